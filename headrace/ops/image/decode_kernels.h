// CPU kernels of decode.cpp.
#pragma once

#include "headrace/kernel/kernel.h"

namespace headrace {

StatusOr<std::unique_ptr<Kernel>> MakeDecodeJpegCpu(const KernelInit& init);
StatusOr<std::unique_ptr<Kernel>> MakeDecodeAndCropJpegCpu(const KernelInit& init);
StatusOr<std::unique_ptr<Kernel>> MakeExtractJpegShapeCpu(const KernelInit& init);
StatusOr<std::unique_ptr<Kernel>> MakeDecodePngCpu(const KernelInit& init);
StatusOr<std::unique_ptr<Kernel>> MakeDecodeGifCpu(const KernelInit& init);
StatusOr<std::unique_ptr<Kernel>> MakeDecodeBmpCpu(const KernelInit& init);

}  // namespace headrace
