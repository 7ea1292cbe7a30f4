#include "headrace/ops/linalg/eigen_maps.h"

#include <Eigen/Eigenvalues>

#include "headrace/ops/linalg/eig_kernels.h"

namespace headrace {
namespace {

template <class T>
Status CheckSuccess(const Eigen::SelfAdjointEigenSolver<Matrix<T>>& eig, const char* what) {
  if (eig.info() == Eigen::Success) return absl::OkStatus();
  return InvalidArgument(what, " decomposition was not successful. The input might not be valid.");
}

template <class T, bool kVectors>
Status Decompose(const MatrixCall& call) {
  const Matrix<T> a = In<T>(call, 0);
  if (a.rows() == 0) return absl::OkStatus();
  const Eigen::SelfAdjointEigenSolver<Matrix<T>> eig(
      a, kVectors ? Eigen::ComputeEigenvectors : Eigen::EigenvaluesOnly);
  HR_RETURN_IF_ERROR(CheckSuccess(eig, "Self-adjoint eigen"));
  Out<T>(call, 0) = eig.eigenvalues().template cast<T>();
  if constexpr (kVectors) Out<T>(call, 1) = eig.eigenvectors();
  return absl::OkStatus();
}

// One output: a row of eigenvalues over the eigenvectors.
template <class T>
Status DecomposeIntoOne(const MatrixCall& call) {
  const Matrix<T> a = In<T>(call, 0);
  if (a.rows() == 0) return absl::OkStatus();
  const Eigen::SelfAdjointEigenSolver<Matrix<T>> eig(a);
  HR_RETURN_IF_ERROR(CheckSuccess(eig, "Self Adjoint Eigen"));
  auto out = Out<T>(call, 0);
  out.row(0) = eig.eigenvalues().transpose();
  out.bottomRows(a.rows()) = eig.eigenvectors();
  return absl::OkStatus();
}

double Cost(const MatrixCall& call) {
  const double m = static_cast<double>(call.in[0].rows);
  return 1000 + 10 * m * m * m;
}

}  // namespace

StatusOr<std::unique_ptr<Kernel>> MakeSelfAdjointEigCpu(const KernelInit& init) {
  const bool vectors = init.Attr<bool>("compute_v");
  return MakeMatrixKernelFor(init.input_type(0), {.ns = Cost}, [&]<class T>() {
    return MatrixFunction(vectors ? Decompose<T, true> : Decompose<T, false>);
  });
}

StatusOr<std::unique_ptr<Kernel>> MakeSelfAdjointEigV1Cpu(const KernelInit& init) {
  return MakeMatrixKernelFor<kFloat32And64>(init.input_type(0), {.ns = Cost}, []<class T>() {
    return MatrixFunction(DecomposeIntoOne<T>);
  });
}

}  // namespace headrace
