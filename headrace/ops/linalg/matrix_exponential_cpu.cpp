#include "headrace/ops/linalg/matrix_function_cpu.h"

namespace headrace {

StatusOr<std::unique_ptr<Kernel>> MakeMatrixExponentialCpu(const KernelInit& init) {
  return MakeMatrixFunctionKernel<kLinalgTypes>(init, [](const auto& a) { return a.exp(); });
}

}  // namespace headrace
