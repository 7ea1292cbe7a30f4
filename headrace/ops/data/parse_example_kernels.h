// CPU kernels of parse_example.cpp.
#pragma once

#include "headrace/kernel/kernel.h"

namespace headrace {

StatusOr<std::unique_ptr<Kernel>> MakeParseExampleCpu(const KernelInit& init);
StatusOr<std::unique_ptr<Kernel>> MakeParseSingleExampleCpu(const KernelInit& init);
StatusOr<std::unique_ptr<Kernel>> MakeParseSingleSequenceExampleCpu(const KernelInit& init);
StatusOr<std::unique_ptr<Kernel>> MakeParseSequenceExampleCpu(const KernelInit& init);
StatusOr<std::unique_ptr<Kernel>> MakeDecodeJSONExampleCpu(const KernelInit& init);

}  // namespace headrace
