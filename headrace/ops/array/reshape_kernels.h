// CPU kernels of reshape.cpp.
#pragma once

#include <cstdint>
#include <span>

#include "headrace/kernel/kernel.h"

namespace headrace {

// What -1 stands for where an empty tensor is given a shape with a 0 in it: zeros count on neither
// side, as in TensorFlow ([0, 3] as [0, -1] is [0, 3]).
int64_t MissingSizeOfEmpty(std::span<const int64_t> in, std::span<const int64_t> stated);

StatusOr<std::unique_ptr<Kernel>> MakeReshapeCpu(const KernelInit& init);
StatusOr<std::unique_ptr<Kernel>> MakeExpandDimsCpu(const KernelInit& init);
StatusOr<std::unique_ptr<Kernel>> MakeSqueezeCpu(const KernelInit& init);

}  // namespace headrace
