// Distributions that take a fixed stretch of the generator's sequence for each group of numbers,
// and the loop that fills a tensor with them on all threads. For kernels.
//
//   random::Fill(ctx.workers(), generator, random::Normal<float>(), out->flat<float>());
#pragma once

#include <algorithm>
#include <cmath>
#include <span>
#include <type_traits>

#include "headrace/base/worker_pool.h"
#include "headrace/ops/random/philox.h"

namespace headrace::random {

// A distribution turns the words of the generator into groups of numbers. kGroup: numbers of a
// group. The fixed ones take one block a group. The others take as many words as they need from a
// stretch of their own that nobody else's group reaches.

template <class T>
struct Uniform {
  static constexpr int kGroup = std::is_same_v<T, double> ? 2 : 4;
  static constexpr double kNsPerGroup = 8;
  void operator()(const Philox::Block& w, T* out) const {
    if constexpr (std::is_same_v<T, double>) {
      for (int i = 0; i < 2; ++i) out[i] = UniformDouble(w[2 * i], w[2 * i + 1]);
    } else if constexpr (std::is_same_v<T, float>) {
      for (int i = 0; i < 4; ++i) out[i] = UniformFloat(w[i]);
    } else if constexpr (std::is_same_v<T, Half>) {
      for (int i = 0; i < 4; ++i) out[i] = UniformHalf(w[i]);
    } else {
      for (int i = 0; i < 4; ++i) out[i] = UniformBFloat16(w[i]);
    }
  }
};

template <class T>
struct UniformInt {
  static constexpr int kGroup = sizeof(T) == 8 ? 2 : 4;
  static constexpr double kNsPerGroup = 12;
  using Unsigned = std::make_unsigned_t<T>;
  T low;
  Unsigned range;
  void operator()(const Philox::Block& w, T* out) const {
    for (int i = 0; i < kGroup; ++i) {
      const Unsigned bits = sizeof(T) == 8
                                ? static_cast<Unsigned>(w[2 * i] | (uint64_t{w[2 * i + 1]} << 32))
                                : static_cast<Unsigned>(w[i]);
      out[i] = static_cast<T>(static_cast<Unsigned>(low) + bits % range);
    }
  }
};

template <class T>
struct Normal {
  static constexpr int kGroup = std::is_same_v<T, double> ? 2 : 4;
  static constexpr double kNsPerGroup = 40;
  void operator()(const Philox::Block& w, T* out) const {
    if constexpr (std::is_same_v<T, double>) {
      BoxMuller(w[0], w[1], w[2], w[3], &out[0], &out[1]);
    } else {
      for (int i = 0; i < 4; i += 2) {
        float n[2];
        BoxMuller(w[i], w[i + 1], &n[0], &n[1]);
        out[i] = static_cast<T>(n[0]);
        out[i + 1] = static_cast<T>(n[1]);
      }
    }
  }
};

template <class T>
struct Truncated {
  static constexpr int kGroup = std::is_same_v<T, double> ? 2 : 4;
  static constexpr double kNsPerGroup = 40;
  // Blocks from one group's stretch to the next.
  static constexpr uint64_t kStretch = uint64_t{kGroup} * 256 / Philox::kWords;
  static bool Accepted(auto value) { return std::abs(value) < 2; }

  // Fills out[filled, kGroup) from the words that come next.
  static void Complete(PhiloxWords& words, T* out, int filled) {
    while (filled < kGroup) {
      std::conditional_t<std::is_same_v<T, double>, double, float> n[2];
      const uint32_t x0 = words.Next(), x1 = words.Next();
      if constexpr (std::is_same_v<T, double>) {
        const uint32_t x2 = words.Next(), x3 = words.Next();
        BoxMuller(x0, x1, x2, x3, &n[0], &n[1]);
      } else {
        BoxMuller(x0, x1, &n[0], &n[1]);
      }
      for (auto value : n) {
        if (Accepted(value) && filled < kGroup) out[filled++] = static_cast<T>(value);
      }
    }
  }
  void operator()(PhiloxWords& words, T* out) const { Complete(words, out, 0); }
};

// As many groups of `Truncated` at once as `groups`, at most kBatch: function by function over all
// of them, which the processor overlaps, while a test after each number makes it wait. The numbers
// are the same.
constexpr int64_t kBatch = 64;
template <class T>
void DrawBatch(const Truncated<T>& distribution, Philox& generator, int64_t groups, T* out) {
  constexpr int kGroup = Truncated<T>::kGroup;
  if constexpr (std::is_same_v<T, double>) {
    for (int64_t i = 0; i < groups; ++i, out += kGroup) {
      PhiloxWords words(generator);
      distribution(words, out);
      generator.Skip(Truncated<T>::kStretch);
    }
  } else {
    const Philox start = generator;
    float radius[2 * kBatch], angle[2 * kBatch], normal[4 * kBatch];
    for (int64_t i = 0; i < groups; ++i) {
      Philox group = generator;
      const Philox::Block w = group.Next();
      generator.Skip(Truncated<T>::kStretch);
      for (int pair = 0; pair < 2; ++pair) {
        radius[2 * i + pair] = BoxMullerUniform(w[2 * pair]);
        angle[2 * i + pair] = BoxMullerAngle(w[2 * pair + 1]);
      }
    }
    for (int64_t i = 0; i < 2 * groups; ++i) radius[i] = BoxMullerRadius(radius[i]);
    for (int64_t i = 0; i < 2 * groups; ++i) sincosf(angle[i], &normal[2 * i], &normal[2 * i + 1]);
    for (int64_t i = 0; i < 2 * groups; ++i)
      normal[2 * i] *= radius[i], normal[2 * i + 1] *= radius[i];
    for (int64_t i = 0; i < groups; ++i, out += kGroup) {
      int filled = 0;
      for (int at = 0; at < kGroup; ++at) {
        out[filled] = static_cast<T>(normal[kGroup * i + at]);
        filled += Truncated<T>::Accepted(normal[kGroup * i + at]);
      }
      if (filled == kGroup) continue;
      Philox group = start;
      group.Skip(static_cast<uint64_t>(i) * Truncated<T>::kStretch + 1);
      PhiloxWords words(group);
      Truncated<T>::Complete(words, out, filled);
    }
  }
}

template <class D, class T>
void DrawGroup(const D& distribution, Philox& generator, T* out) {
  distribution(generator.Next(), out);
}
template <class T>
void DrawGroup(const Truncated<T>& distribution, Philox& generator, T* out) {
  PhiloxWords words(generator);
  distribution(words, out);
  generator.Skip(Truncated<T>::kStretch);
}

template <class D>
constexpr uint64_t BlocksPerGroup() {
  if constexpr (requires { D::kStretch; }) {
    return D::kStretch;
  } else {
    return 1;
  }
}

// Fills `out`; group i always takes the same blocks, so threads may share the groups in any way.
template <class D, class T>
void Fill(WorkerPool& workers, const Philox& start, const D& distribution, std::span<T> out) {
  const int64_t size = static_cast<int64_t>(out.size());
  const int64_t groups = (size + D::kGroup - 1) / D::kGroup;
  workers.ParallelFor(groups, D::kNsPerGroup, [&](int64_t begin, int64_t end) {
    Philox generator = start;
    generator.Skip(static_cast<uint64_t>(begin) * BlocksPerGroup<D>());
    const int64_t whole = std::min(end, size / D::kGroup);
    if constexpr (requires { D::kStretch; }) {
      for (int64_t i = begin; i < whole; i += kBatch) {
        DrawBatch(distribution, generator, std::min(kBatch, whole - i), out.data() + i * D::kGroup);
      }
    } else {
      for (int64_t i = begin; i < whole; ++i)
        DrawGroup(distribution, generator, out.data() + i * D::kGroup);
    }
    if (whole < end) {
      T last[D::kGroup];
      DrawGroup(distribution, generator, last);
      std::copy_n(last, size - whole * D::kGroup, out.data() + whole * D::kGroup);
    }
  });
}

}  // namespace headrace::random
