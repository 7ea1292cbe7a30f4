#include "headrace/ops/linalg/eigen_maps.h"

#include <Eigen/Cholesky>

#include "headrace/ops/linalg/cholesky_kernels.h"

namespace headrace {
namespace {

template <class T>
Status Decompose(const MatrixCall& call) {
  const auto a = In<T>(call, 0);
  if (a.rows() == 0) return absl::OkStatus();
  const Eigen::LLT<Matrix<T>> llt(a);
  if (llt.info() != Eigen::Success) {
    return InvalidArgument(
        "Cholesky decomposition was not successful. The input might not be valid.");
  }
  Out<T>(call, 0) = llt.matrixL();
  return absl::OkStatus();
}

// With phi(x) = lower triangle of x, its diagonal halved: the symmetric part of
// l^-T * phi(l^T * grad) * l^-1.
template <class T>
Status Differentiate(const MatrixCall& call) {
  const Matrix<T> l = In<T>(call, 0).template triangularView<Eigen::Lower>();
  if (l.rows() == 0) return absl::OkStatus();
  const Matrix<T> grad = In<T>(call, 1).template triangularView<Eigen::Lower>();
  Matrix<T> middle = (l.transpose() * grad).template triangularView<Eigen::Lower>();
  middle.diagonal() *= T(0.5);
  const auto upper = l.transpose().template triangularView<Eigen::Upper>();
  upper.solveInPlace(middle);
  // x * l^-1 = (l^-T * x^T)^T
  Matrix<T> turned = middle.transpose();
  upper.solveInPlace(turned);
  Out<T>(call, 0) = T(0.5) * (turned + turned.transpose());
  return absl::OkStatus();
}

}  // namespace

StatusOr<std::unique_ptr<Kernel>> MakeCholeskyCpu(const KernelInit& init) {
  return MakeMatrixKernelFor(init.input_type(0), {},
                             []<class T>() { return MatrixFunction(Decompose<T>); });
}

StatusOr<std::unique_ptr<Kernel>> MakeCholeskyGradCpu(const KernelInit& init) {
  return MakeMatrixKernelFor<kFloat32And64>(init.input_type(0), {.inputs = 2}, []<class T>() {
    return MatrixFunction(Differentiate<T>);
  });
}

}  // namespace headrace
