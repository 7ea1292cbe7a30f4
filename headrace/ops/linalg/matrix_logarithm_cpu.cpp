#include "headrace/ops/linalg/eigen_matrix_function.h"

namespace headrace {

StatusOr<std::unique_ptr<Kernel>> MakeMatrixLogarithmCpu(const KernelInit& init) {
  return MakeMatrixFunctionKernel<kComplexTypes>(init, [](const auto& a) { return a.log(); });
}

}  // namespace headrace
