#include "headrace/ops/linalg/eigen_maps.h"

#include <Eigen/LU>
#include <cmath>
#include <limits>

#include "headrace/ops/linalg/determinant_kernels.h"

namespace headrace {
namespace {

template <class T>
struct SignAndLog {
  T sign = T(1);
  RealOf<T> log = 0;
};

template <class T>
SignAndLog<T> LogDeterminant(const MatrixCall& call) {
  const auto a = In<T>(call, 0);
  SignAndLog<T> result;
  if (a.size() > 0) {
    const Eigen::PartialPivLU<Matrix<T>> lu{Matrix<T>(a)};
    const auto diagonal = lu.matrixLU().diagonal().array().eval();
    const auto sizes = diagonal.abs().eval();
    result.log = sizes.log().sum();
    result.sign = T(static_cast<RealOf<T>>(lu.permutationP().determinant())) *
                  (diagonal / sizes.template cast<T>()).prod();
  }
  if (!std::isfinite(result.log)) {
    constexpr RealOf<T> kInfinity = std::numeric_limits<RealOf<T>>::infinity();
    result = {.sign = T(0), .log = result.log > 0 ? kInfinity : -kInfinity};
  }
  return result;
}

template <class T>
Status Determinant(const MatrixCall& call) {
  const SignAndLog<T> result = LogDeterminant<T>(call);
  *static_cast<T*>(call.out[0].data) = result.sign * std::exp(result.log);
  return absl::OkStatus();
}

template <class T>
Status SignAndLogOfDeterminant(const MatrixCall& call) {
  const SignAndLog<T> result = LogDeterminant<T>(call);
  *static_cast<T*>(call.out[0].data) = result.sign;
  *static_cast<T*>(call.out[1].data) = T(result.log);
  return absl::OkStatus();
}

}  // namespace

StatusOr<std::unique_ptr<Kernel>> MakeMatrixDeterminantCpu(const KernelInit& init) {
  return MakeMatrixKernelFor(init.input_type(0), {},
                             []<class T>() { return MatrixFunction(Determinant<T>); });
}

StatusOr<std::unique_ptr<Kernel>> MakeLogMatrixDeterminantCpu(const KernelInit& init) {
  return MakeMatrixKernelFor(init.input_type(0), {},
                             []<class T>() { return MatrixFunction(SignAndLogOfDeterminant<T>); });
}

}  // namespace headrace
