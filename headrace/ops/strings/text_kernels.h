// CPU kernels of text.cpp.
#pragma once

#include "headrace/kernel/kernel.h"

namespace headrace {

StatusOr<std::unique_ptr<Kernel>> MakeAsStringCpu(const KernelInit& init);
StatusOr<std::unique_ptr<Kernel>> MakeStringLengthCpu(const KernelInit& init);
StatusOr<std::unique_ptr<Kernel>> MakeSubstrCpu(const KernelInit& init);
StatusOr<std::unique_ptr<Kernel>> MakeStringLowerCpu(const KernelInit& init);
StatusOr<std::unique_ptr<Kernel>> MakeStringUpperCpu(const KernelInit& init);
StatusOr<std::unique_ptr<Kernel>> MakeStringStripCpu(const KernelInit& init);
StatusOr<std::unique_ptr<Kernel>> MakeStringFormatCpu(const KernelInit& init);

// That StringFormat has a placeholder for each input.
Status CheckPlaceholders(const Node& node);

}  // namespace headrace
