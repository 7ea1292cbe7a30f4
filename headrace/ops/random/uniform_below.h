// Whole numbers from random words, as TensorFlow draws them.
//
//   PhiloxWords words(generator);
//   uint32_t place = UniformBelow(uint32_t{10}, [&] { return words.Next(); });   // 0 ... 9
//
// A pure function.
#pragma once

#include <bit>
#include <limits>

namespace headrace {

// Uniform in [0, n) from uniform words of all bits of U: those that would favour small numbers are
// drawn again. REQUIRES: n > 0.
template <class U, class Next>
U UniformBelow(U n, Next next) {
  if (std::has_single_bit(n)) return next() & (n - 1);
  const U excess = std::numeric_limits<U>::max() % n + 1;
  U word;
  do {
    word = next();
  } while (word < excess);
  return word % n;
}

}  // namespace headrace
