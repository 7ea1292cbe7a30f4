// The longest of Eigen's algorithms are compiled for float64 and complex128 alone, and serve the
// shorter dtypes too: that halves the time they take to compile, and makes the results better.
#pragma once

#include <complex>
#include <type_traits>

#include "headrace/ops/linalg/eigen_maps.h"

namespace headrace {

template <class T>
using WideOf = std::conditional_t<Eigen::NumTraits<T>::IsComplex, std::complex<double>, double>;

}  // namespace headrace
