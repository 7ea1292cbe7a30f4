#include "headrace/ops/linalg/eigen_matrix_function.h"

namespace headrace {

StatusOr<std::unique_ptr<Kernel>> MakeMatrixExponentialCpu(const KernelInit& init) {
  return MakeMatrixFunctionKernel<kLinalgTypes>(init, [](const auto& a) { return a.exp(); });
}

}  // namespace headrace
