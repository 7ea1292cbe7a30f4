// Kernel factories of the candidate samplers, for their definitions.
#pragma once

#include "headrace/kernel/kernel.h"

namespace headrace {

StatusOr<std::unique_ptr<Kernel>> MakeUniformCandidateSamplerCpu(const KernelInit& init);
StatusOr<std::unique_ptr<Kernel>> MakeLogUniformCandidateSamplerCpu(const KernelInit& init);
StatusOr<std::unique_ptr<Kernel>> MakeLearnedUnigramCandidateSamplerCpu(const KernelInit& init);
StatusOr<std::unique_ptr<Kernel>> MakeFixedUnigramCandidateSamplerCpu(const KernelInit& init);
StatusOr<std::unique_ptr<Kernel>> MakeAllCandidateSamplerCpu(const KernelInit& init);
StatusOr<std::unique_ptr<Kernel>> MakeComputeAccidentalHitsCpu(const KernelInit& init);

}  // namespace headrace
