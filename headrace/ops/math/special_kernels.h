// CPU kernels of special.cpp.
#pragma once

#include "headrace/kernel/kernel.h"

namespace headrace {

// By the op's name: Igamma, Igammac, IgammaGradA, NextAfter.
StatusOr<std::unique_ptr<Kernel>> MakeSpecialBinaryCpu(const KernelInit& init);
StatusOr<std::unique_ptr<Kernel>> MakeBesselCpu(const KernelInit& init);
StatusOr<std::unique_ptr<Kernel>> MakeBetaincCpu(const KernelInit& init);
StatusOr<std::unique_ptr<Kernel>> MakeApproximateEqualCpu(const KernelInit& init);

}  // namespace headrace
