#include "headrace/ops/linalg/eigen_maps.h"

#include <Eigen/QR>
#include <algorithm>

#include "headrace/ops/linalg/qr_kernels.h"

namespace headrace {
namespace {

// The shapes of the outputs say whether full matrices are wanted.
template <class T>
Status Decompose(const MatrixCall& call) {
  const auto a = In<T>(call, 0);
  auto q = Out<T>(call, 0), r = Out<T>(call, 1);
  if (a.size() == 0) {
    q.setIdentity();
    r.setZero();
    return absl::OkStatus();
  }
  const Eigen::HouseholderQR<Matrix<T>> qr{Matrix<T>(a)};
  q = qr.householderQ() * Matrix<T>::Identity(q.rows(), q.cols());
  r = qr.matrixQR().topRows(r.rows()).template triangularView<Eigen::Upper>();
  return absl::OkStatus();
}

}  // namespace

StatusOr<std::unique_ptr<Kernel>> MakeQrCpu(const KernelInit& init) {
  return MakeMatrixKernelFor(init.input_type(0), {},
                             []<class T>() { return MatrixFunction(Decompose<T>); });
}

}  // namespace headrace
