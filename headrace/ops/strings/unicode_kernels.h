// CPU kernels of unicode.cpp.
#pragma once

#include "headrace/kernel/kernel.h"

namespace headrace {

StatusOr<std::unique_ptr<Kernel>> MakeUnicodeDecodeCpu(const KernelInit& init);
StatusOr<std::unique_ptr<Kernel>> MakeUnicodeEncodeCpu(const KernelInit& init);
StatusOr<std::unique_ptr<Kernel>> MakeUnicodeTranscodeCpu(const KernelInit& init);
StatusOr<std::unique_ptr<Kernel>> MakeUnicodeScriptCpu(const KernelInit& init);

}  // namespace headrace
