#include "headrace/ops/linalg/eigen_maps.h"

#include <Eigen/LU>
#include <algorithm>

#include "headrace/ops/linalg/lu_kernels.h"

namespace headrace {
namespace {

template <class T, class Index>
Status Decompose(const MatrixCall& call) {
  const auto a = In<T>(call, 0);
  if (a.rows() == 0) return absl::OkStatus();
  const Eigen::PartialPivLU<Matrix<T>> lu{Matrix<T>(a)};
  if (!(lu.matrixLU().diagonal().cwiseAbs().array() == RealOf<T>(0)).any()) {
    Out<T>(call, 0) = lu.matrixLU();
    const auto& rows = lu.permutationP().indices();  // where each row goes
    for (Eigen::Index i = 0; i < rows.size(); ++i)
      static_cast<Index*>(call.out[1].data)[rows[i]] = static_cast<Index>(i);
    return absl::OkStatus();
  }
  return InvalidArgument("Input is not invertible.");
}

}  // namespace

StatusOr<std::unique_ptr<Kernel>> MakeLuCpu(const KernelInit& init) {
  const bool is_long = init.output_type(1) == DType::kInt64;
  return MakeMatrixKernelFor(init.input_type(0), {}, [&]<class T>() {
    return MatrixFunction(is_long ? Decompose<T, int64_t> : Decompose<T, int32_t>);
  });
}

}  // namespace headrace
