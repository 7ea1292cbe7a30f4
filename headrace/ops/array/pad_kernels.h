// CPU kernels of pad.cpp.
#pragma once

#include "headrace/kernel/kernel.h"

namespace headrace {

StatusOr<std::unique_ptr<Kernel>> MakePadCpu(const KernelInit& init);  // Pad and PadV2
StatusOr<std::unique_ptr<Kernel>> MakeMirrorPadCpu(const KernelInit& init);
StatusOr<std::unique_ptr<Kernel>> MakeMirrorPadGradCpu(const KernelInit& init);

}  // namespace headrace
