// The kernel that the matrix functions (exponential, logarithm, square root) share: each differs in
// one expression.
#pragma once

#include "headrace/ops/linalg/eigen_wide.h"

#include <limits>
#include <memory>
#include <unsupported/Eigen/MatrixFunctions>

#include "headrace/ops/linalg/matrix_functions_kernels.h"

namespace headrace {

// One square matrix through `F`, a captureless callable from Matrix<W> to an Eigen expression, in
// the wide type of T. A matrix that holds an infinity or a NaN gives NaN everywhere: the iterations
// behind `F` would not end well on it.
template <class T, class F>
Status ComputeMatrixFunction(const MatrixCall& call) {
  const Matrix<T> a = In<T>(call, 0);
  if (a.rows() == 0) return absl::OkStatus();
  if (!a.allFinite()) {
    Out<T>(call, 0).setConstant(T(std::numeric_limits<RealOf<T>>::quiet_NaN()));
    return absl::OkStatus();
  }
  const Matrix<WideOf<T>> wide = a.template cast<WideOf<T>>();
  const Matrix<WideOf<T>> result = F{}(wide);
  Out<T>(call, 0) = result.template cast<T>();
  return absl::OkStatus();
}

inline double MatrixFunctionCost(const MatrixCall& call) {
  const double m = static_cast<double>(call.in[0].rows);
  return 1000 + 20 * m * m * m;
}

template <auto kTypes, class F>
StatusOr<std::unique_ptr<Kernel>> MakeMatrixFunctionKernel(const KernelInit& init, F) {
  return MakeMatrixKernelFor<kTypes>(init.input_type(0), {.ns = MatrixFunctionCost}, []<class T>() {
    return MatrixFunction(ComputeMatrixFunction<T, F>);
  });
}

}  // namespace headrace
