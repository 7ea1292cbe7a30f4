// Fills a KernelContext: for the runtimes and the op harness only, never for kernels.
#pragma once

#include "headrace/kernel/kernel.h"

namespace headrace {

class ContextBuilder {
 public:
  struct Arguments {
    const Node* node = nullptr;
    Device* device = nullptr;
    const Tensor* const* inputs = nullptr;
    VariableResource* const* variables = nullptr;
    int num_inputs = 0;
    Tensor* outputs = nullptr;
    VariableResource** ref_outputs = nullptr;
    const bool* wanted = nullptr;
    const bool* planned = nullptr;
    const StepContext* step = nullptr;
  };
  static void Fill(KernelContext& ctx, const Arguments& a) {
    ctx.node_ = a.node;
    ctx.device_ = a.device;
    ctx.workers_ = a.device == nullptr ? nullptr : &a.device->workers();
    ctx.inputs_ = a.inputs;
    ctx.variables_ = a.variables;
    ctx.num_inputs_ = a.num_inputs;
    ctx.outputs_ = a.outputs;
    ctx.ref_outputs_ = a.ref_outputs;
    ctx.wanted_ = a.wanted;
    ctx.planned_ = a.planned;
    ctx.step_ = a.step;
  }
  static void SetStep(KernelContext& ctx, const StepContext& step) { ctx.step_ = &step; }
};

}  // namespace headrace
