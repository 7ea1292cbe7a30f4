#pragma once

#include <memory>

#include "headrace/kernel/kernel.h"

namespace headrace {

StatusOr<std::unique_ptr<Kernel>> MakeDiagCpu(const KernelInit& init);
StatusOr<std::unique_ptr<Kernel>> MakeDiagPartCpu(const KernelInit& init);
// Both versions of each.
StatusOr<std::unique_ptr<Kernel>> MakeMatrixDiagCpu(const KernelInit& init);
StatusOr<std::unique_ptr<Kernel>> MakeMatrixDiagPartCpu(const KernelInit& init);
StatusOr<std::unique_ptr<Kernel>> MakeMatrixSetDiagCpu(const KernelInit& init);
StatusOr<std::unique_ptr<Kernel>> MakeMatrixBandPartCpu(const KernelInit& init);

}  // namespace headrace
