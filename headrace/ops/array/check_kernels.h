// CPU kernels of check.cpp.
#pragma once

#include "headrace/kernel/kernel.h"

namespace headrace {

StatusOr<std::unique_ptr<Kernel>> MakeCheckNumericsCpu(const KernelInit& init);
StatusOr<std::unique_ptr<Kernel>> MakeAssertCpu(const KernelInit& init);
StatusOr<std::unique_ptr<Kernel>> MakePrintCpu(const KernelInit& init);
StatusOr<std::unique_ptr<Kernel>> MakePrintV2Cpu(const KernelInit& init);

// How messages write one element: numbers as short as they can be read back, strings escaped.
std::string ElementText(const Tensor& tensor, int64_t i);

// "[[1 2...]...]": a tensor as TensorFlow's Print and Assert show it, at most `most` elements
// (below 0: all).
std::string Summary(const Tensor& tensor, int64_t most);

}  // namespace headrace
