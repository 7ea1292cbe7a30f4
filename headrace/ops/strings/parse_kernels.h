// CPU kernels of parse.cpp, and the one way in which they read numbers.
#pragma once

#include <string_view>

#include "headrace/kernel/kernel.h"

namespace headrace {

StatusOr<std::unique_ptr<Kernel>> MakeStringToNumberCpu(const KernelInit& init);
StatusOr<std::unique_ptr<Kernel>> MakeDecodeRawCpu(const KernelInit& init);
StatusOr<std::unique_ptr<Kernel>> MakeDecodePaddedRawCpu(const KernelInit& init);
StatusOr<std::unique_ptr<Kernel>> MakeDecodeCSVCpu(const KernelInit& init);

// The number that `text` is, white space around it aside; false if it is none or, of integers, does
// not fit. Floating numbers may be "inf", "nan" (in any case, with a sign), or hexadecimal integers
// with 0x; a '+' before other numbers is for floating ones alone. T: float, double, int32_t,
// int64_t.
template <class T>
bool TextToNumber(std::string_view text, T& number);

}  // namespace headrace
