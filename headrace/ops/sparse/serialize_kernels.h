// CPU kernels of serialize.cpp.
#pragma once

#include "headrace/kernel/kernel.h"

namespace headrace {

StatusOr<std::unique_ptr<Kernel>> MakeSerializeSparseCpu(const KernelInit& init);
StatusOr<std::unique_ptr<Kernel>> MakeSerializeManySparseCpu(const KernelInit& init);
StatusOr<std::unique_ptr<Kernel>> MakeDeserializeSparseCpu(const KernelInit& init);

}  // namespace headrace
