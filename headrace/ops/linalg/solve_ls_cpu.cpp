#include "headrace/ops/linalg/eigen_maps.h"

#include <Eigen/Cholesky>
#include <Eigen/QR>

#include "headrace/ops/linalg/solve_kernels.h"

namespace headrace {
namespace {

// Solves (gramian + l2) x = rhs in place.
template <class T, class Rhs>
Status SolveNormalEquations(Matrix<T> gramian, double l2, Rhs& rhs) {
  if (l2 > 0) gramian.diagonal().array() += T(static_cast<RealOf<T>>(l2));
  const Eigen::LLT<Matrix<T>> llt(gramian);
  if (llt.info() != Eigen::Success) {
    return InvalidArgument(
        "Input matrix was rank deficient or ill-conditioned. Try setting fast=False or provide a "
        "larger l2_regularizer > 0.");
  }
  llt.solveInPlace(rhs);
  return absl::OkStatus();
}

template <class T>
Status Solve(const MatrixCall& call, bool fast) {
  const auto a = In<T>(call, 0);
  const auto b = In<T>(call, 1);
  auto x = Out<T>(call, 0);
  const double l2 = call.ctx.input(2).template scalar<double>();
  if (!(l2 >= 0)) return InvalidArgument("l2_regularizer must be >= 0.");
  if (a.size() == 0 || b.cols() == 0) {
    x.setZero();
    return absl::OkStatus();
  }
  if (!fast) {
    x = Eigen::CompleteOrthogonalDecomposition<Matrix<T>>(Matrix<T>(a)).solve(b);
    return absl::OkStatus();
  }
  if (a.rows() >= a.cols()) {
    x.noalias() = a.adjoint() * b;
    return SolveNormalEquations<T>(a.adjoint() * a, l2, x);
  }
  Matrix<T> y = b;
  HR_RETURN_IF_ERROR(SolveNormalEquations<T>(a * a.adjoint(), l2, y));
  x.noalias() = a.adjoint() * y;
  return absl::OkStatus();
}

double Cost(const MatrixCall& call) {
  const double m = static_cast<double>(call.in[0].rows), n = static_cast<double>(call.in[0].cols);
  return 500 + m * n * (std::min(m, n) + static_cast<double>(call.in[1].cols));
}

}  // namespace

StatusOr<std::unique_ptr<Kernel>> MakeMatrixSolveLsCpu(const KernelInit& init) {
  const bool fast = init.Attr<bool>("fast");
  return MakeMatrixKernelFor(init.input_type(0), {.inputs = 2, .ns = Cost}, [&]<class T>() {
    return MatrixFunction([fast](const MatrixCall& call) { return Solve<T>(call, fast); });
  });
}

}  // namespace headrace
