// Eigen's view of the matrices of a kernel, for the sources of kernels only (Eigen compiles
// slowly). TensorFlow decomposes with Eigen too, by the same classes, so that signs of vectors
// agree.
#pragma once

#define EIGEN_MPL2_ONLY
#include <Eigen/Core>

#include "headrace/base/strings.h"
#include "headrace/ops/linalg/matrix_kernel.h"
#include "headrace/ops/linalg/types.h"
#include "headrace/tensor/dispatch.h"

namespace headrace {

template <class T>
using Matrix = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
template <class T>
using RealOf = typename Eigen::NumTraits<T>::Real;

template <class T>
Eigen::Map<const Matrix<T>> In(const MatrixCall& call, int i) {
  const MatrixIn& m = call.in[i];
  return {static_cast<const T*>(m.data), m.rows, m.cols};
}
template <class T>
Eigen::Map<Matrix<T>> Out(const MatrixCall& call, int i) {
  const MatrixOut& m = call.out[i];
  return {static_cast<T*>(m.data), m.rows, m.cols};
}

// A kernel of the function that `function_for.operator()<T>()` gives for the dtype.
template <DTypeSet kTypes = kLinalgTypes, class F>
StatusOr<std::unique_ptr<Kernel>> MakeMatrixKernelFor(DType type, MatrixKernelOptions options,
                                                      F function_for) {
  MatrixFunction function;
  DispatchDType<kTypes>(type, [&]<class T>() { function = function_for.template operator()<T>(); });
  if (function == nullptr)
    return Unimplemented("there is no kernel for matrices of ", DTypeName(type));
  return MakeMatrixKernel(std::move(function), options);
}

}  // namespace headrace
