// A convolution of tensors: brings dtypes and layouts to float32 or float64, channels last, and
// lets conv_dnnl.h or conv_plain.h compute. For the kernels of convolution ops.
//
//   ConvRunner conv_{ConvDirection::kForward};                       // a member of the kernel
//   HR_RETURN_IF_ERROR(conv_.Run(ctx, shape, channels_first, input, filter, *output));
//
// Not thread-safe; keeps primitives and scratch memory of the last shape.
#pragma once

#include <vector>

#include "headrace/kernel/kernel.h"
#include "headrace/ops/nn/conv_dnnl.h"
#include "headrace/ops/nn/image_operand.h"

namespace headrace {

class ConvRunner {
 public:
  explicit ConvRunner(ConvDirection direction) : direction_(direction) {}

  // Forward: input, filter -> output. Backward data: out_backprop, filter -> gradient of the input.
  // Backward filter: input, out_backprop -> gradient of the filter. All of one dtype: float16
  // (computed in float32), float32, float64. What has no products is zero.
  // REQUIRES: the tensors have the shapes that `shape` states.
  Status Run(KernelContext& ctx, const ConvShape& shape, bool channels_first, const Tensor& a,
             const Tensor& b, Tensor& result);

 private:
  template <class T>
  Status RunPlain(KernelContext& ctx, const ConvShape& s, const T* a, const T* b, T* result,
                  std::vector<T>& patches);
  Status Compute(KernelContext& ctx, const ConvShape& s, DType type, const void* a, const void* b,
                 void* result);

  const ConvDirection direction_;
  ImageOperand a_, b_, result_;
  DnnlConv dnnl_;
  std::vector<float> patches32_;
  std::vector<double> patches64_;
};

}  // namespace headrace
