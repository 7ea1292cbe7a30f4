#include "headrace/ops/linalg/eigen_wide.h"

#include <limits>
#include <unsupported/Eigen/MatrixFunctions>

#include "headrace/ops/linalg/matrix_functions_kernels.h"

namespace headrace {
namespace {

template <class W>
Matrix<W> Apply(const Matrix<W>& a) {
  return a.log();
}

template <class T>
Status Compute(const MatrixCall& call) {
  const Matrix<T> a = In<T>(call, 0);
  if (a.rows() == 0) return absl::OkStatus();
  if (!a.allFinite()) {
    Out<T>(call, 0).setConstant(T(std::numeric_limits<RealOf<T>>::quiet_NaN()));
    return absl::OkStatus();
  }
  Out<T>(call, 0) = Apply<WideOf<T>>(a.template cast<WideOf<T>>()).template cast<T>();
  return absl::OkStatus();
}

double Cost(const MatrixCall& call) {
  const double m = static_cast<double>(call.in[0].rows);
  return 1000 + 20 * m * m * m;
}

}  // namespace

StatusOr<std::unique_ptr<Kernel>> MakeMatrixLogarithmCpu(const KernelInit& init) {
  return MakeMatrixKernelFor<kComplexTypes>(init.input_type(0), {.ns = Cost},
                                            []<class T>() { return MatrixFunction(Compute<T>); });
}

}  // namespace headrace
