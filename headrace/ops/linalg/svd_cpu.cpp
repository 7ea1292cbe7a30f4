#include "headrace/ops/linalg/eigen_wide.h"

#include <Eigen/SVD>
#include <limits>

#include "headrace/ops/linalg/svd_kernels.h"

namespace headrace {
namespace {

enum class Vectors { kNone, kThin, kFull };

// Sets all outputs, which are of the matrix's own dtype, from values of the wider one.
template <class T, class Svd>
void Store(const MatrixCall& call, const Svd& svd, Vectors vectors) {
  Out<T>(call, 0) = svd.singularValues().template cast<T>();
  if (vectors == Vectors::kNone) return;
  Out<T>(call, 1) = svd.matrixU().template cast<T>();
  Out<T>(call, 2) = svd.matrixV().template cast<T>();
}

template <class T>
void Fill(const MatrixCall& call, T value, Vectors vectors) {
  Out<T>(call, 0).setConstant(value);
  if (vectors == Vectors::kNone) return;
  Out<T>(call, 1).setConstant(value);
  Out<T>(call, 2).setConstant(value);
}

template <class T>
Status Decompose(const MatrixCall& call, Vectors vectors) {
  const auto a = In<T>(call, 0);
  if (a.size() == 0) {
    if (vectors == Vectors::kNone) return absl::OkStatus();
    Out<T>(call, 1).setIdentity();
    Out<T>(call, 2).setIdentity();
    return absl::OkStatus();
  }
  if (!a.allFinite()) {  // of which nothing can be said
    Fill(call, T(std::numeric_limits<RealOf<T>>::quiet_NaN()), vectors);
    return absl::OkStatus();
  }
  const unsigned options = vectors == Vectors::kNone   ? 0
                           : vectors == Vectors::kFull ? Eigen::ComputeFullU | Eigen::ComputeFullV
                                                       : Eigen::ComputeThinU | Eigen::ComputeThinV;
  const Eigen::BDCSVD<Matrix<WideOf<T>>> svd(a.template cast<WideOf<T>>(), options);
  Store<T>(call, svd, vectors);
  return absl::OkStatus();
}

double Cost(const MatrixCall& call) {
  const double m = static_cast<double>(call.in[0].rows), n = static_cast<double>(call.in[0].cols);
  return 1000 + 20 * m * n * std::min(m, n);
}

}  // namespace

StatusOr<std::unique_ptr<Kernel>> MakeSvdCpu(const KernelInit& init) {
  const Vectors vectors = !init.Attr<bool>("compute_uv")     ? Vectors::kNone
                          : init.Attr<bool>("full_matrices") ? Vectors::kFull
                                                             : Vectors::kThin;
  return MakeMatrixKernelFor(init.input_type(0), {.ns = Cost}, [&]<class T>() {
    return MatrixFunction(
        [vectors](const MatrixCall& call) { return Decompose<T>(call, vectors); });
  });
}

}  // namespace headrace
