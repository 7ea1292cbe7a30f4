#include "headrace/ops/linalg/matrix_function_cpu.h"

namespace headrace {

StatusOr<std::unique_ptr<Kernel>> MakeMatrixLogarithmCpu(const KernelInit& init) {
  return MakeMatrixFunctionKernel<kComplexTypes>(init, [](const auto& a) { return a.log(); });
}

}  // namespace headrace
