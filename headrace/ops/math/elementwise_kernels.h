// Factories of element-wise kernels: one for all functions of one argument, one for all of two.
// They find the op's loop by its name.
#pragma once

#include <memory>

#include "headrace/kernel/kernel.h"
#include "headrace/ops/math/elementwise.h"

namespace headrace {

StatusOr<std::unique_ptr<Kernel>> MakeUnaryCpu(const KernelInit& init);
StatusOr<std::unique_ptr<Kernel>> MakeBinaryCpu(const KernelInit& init);
// Functions of two arguments of one shape: the gradients by result.
StatusOr<std::unique_ptr<Kernel>> MakeSameShapeBinaryCpu(const KernelInit& init);

// Kernels of functions that other files have.
std::unique_ptr<Kernel> MakeUnaryKernel(UnaryFunction function);
std::unique_ptr<Kernel> MakeBinaryKernel(BinaryFunction function);

// The loop of an op; not valid() if it has none for the dtype.
UnaryFunction FindUnaryFunction(std::string_view op, DType in, DType out);
BinaryFunction FindBinaryFunction(std::string_view op, DType in, DType out);

}  // namespace headrace
