#include "headrace/ops/linalg/eigen_matrix_function.h"

namespace headrace {

StatusOr<std::unique_ptr<Kernel>> MakeMatrixSquareRootCpu(const KernelInit& init) {
  return MakeMatrixFunctionKernel<kLinalgTypes>(init, [](const auto& a) { return a.sqrt(); });
}

}  // namespace headrace
