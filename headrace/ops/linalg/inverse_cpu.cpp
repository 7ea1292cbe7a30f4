// MatrixInverse and MatrixSolve: by LU with row exchanges.
#include "headrace/ops/linalg/eigen_maps.h"

#include <Eigen/LU>

#include "headrace/ops/linalg/solve_kernels.h"

namespace headrace {
namespace {

// Of a pivot that is exactly zero; of NaN there is none.
template <class T>
bool IsSingular(const Eigen::PartialPivLU<Matrix<T>>& lu) {
  return (lu.matrixLU().diagonal().array() == T(0)).any();
}

template <class T>
Eigen::PartialPivLU<Matrix<T>> Factor(const MatrixCall& call, bool adjoint) {
  const auto a = In<T>(call, 0);
  if (adjoint) return Eigen::PartialPivLU<Matrix<T>>(Matrix<T>(a.adjoint()));
  return Eigen::PartialPivLU<Matrix<T>>(Matrix<T>(a));
}

template <class T>
Status Invert(const MatrixCall& call, bool adjoint) {
  if (call.in[0].rows == 0) return absl::OkStatus();
  const Eigen::PartialPivLU<Matrix<T>> lu = Factor<T>(call, adjoint);
  if (IsSingular(lu)) return InvalidArgument("Input is not invertible.");
  Out<T>(call, 0).noalias() = lu.inverse();
  return absl::OkStatus();
}

template <class T>
Status Solve(const MatrixCall& call, bool adjoint) {
  if (call.in[0].rows == 0 || call.in[1].cols == 0) return absl::OkStatus();
  const Eigen::PartialPivLU<Matrix<T>> lu = Factor<T>(call, adjoint);
  if (IsSingular(lu)) return InvalidArgument("Input matrix is not invertible.");
  Out<T>(call, 0) = lu.solve(In<T>(call, 1));
  return absl::OkStatus();
}

double SolveCost(const MatrixCall& call) {
  const double m = static_cast<double>(call.in[0].rows), k = static_cast<double>(call.in[1].cols);
  return 200 + m * m * (m + k);
}

}  // namespace

StatusOr<std::unique_ptr<Kernel>> MakeMatrixInverseCpu(const KernelInit& init) {
  const bool adjoint = init.Attr<bool>("adjoint");
  return MakeMatrixKernelFor(init.input_type(0), {}, [&]<class T>() {
    return MatrixFunction([adjoint](const MatrixCall& call) { return Invert<T>(call, adjoint); });
  });
}

StatusOr<std::unique_ptr<Kernel>> MakeMatrixSolveCpu(const KernelInit& init) {
  const bool adjoint = init.Attr<bool>("adjoint");
  return MakeMatrixKernelFor(init.input_type(0), {.inputs = 2, .ns = SolveCost}, [&]<class T>() {
    return MatrixFunction([adjoint](const MatrixCall& call) { return Solve<T>(call, adjoint); });
  });
}

}  // namespace headrace
