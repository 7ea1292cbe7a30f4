// Kernel factories of the random ops, for their definitions.
#pragma once

#include "headrace/kernel/kernel.h"

namespace headrace {

StatusOr<std::unique_ptr<Kernel>> MakeRandomUniformCpu(const KernelInit& init);
StatusOr<std::unique_ptr<Kernel>> MakeRandomUniformIntCpu(const KernelInit& init);
StatusOr<std::unique_ptr<Kernel>> MakeRandomStandardNormalCpu(const KernelInit& init);
StatusOr<std::unique_ptr<Kernel>> MakeTruncatedNormalCpu(const KernelInit& init);
StatusOr<std::unique_ptr<Kernel>> MakeRandomShuffleCpu(const KernelInit& init);
StatusOr<std::unique_ptr<Kernel>> MakeMultinomialCpu(const KernelInit& init);

// Without a generator of their own: by the op's name.
StatusOr<std::unique_ptr<Kernel>> MakeStatelessCpu(const KernelInit& init);
StatusOr<std::unique_ptr<Kernel>> MakeStatelessIntCpu(const KernelInit& init);
StatusOr<std::unique_ptr<Kernel>> MakeStatelessMultinomialCpu(const KernelInit& init);

StatusOr<std::unique_ptr<Kernel>> MakeRandomGammaCpu(const KernelInit& init);
StatusOr<std::unique_ptr<Kernel>> MakeRandomGammaGradCpu(const KernelInit& init);
StatusOr<std::unique_ptr<Kernel>> MakeRandomPoissonCpu(const KernelInit& init);
StatusOr<std::unique_ptr<Kernel>> MakeParameterizedTruncatedNormalCpu(const KernelInit& init);
StatusOr<std::unique_ptr<Kernel>> MakeRandomCropCpu(const KernelInit& init);

}  // namespace headrace
