// A kernel: the code of one node on one device. The same kernels serve step plans and the general executor.
//
//   class ReluKernel final : public Kernel {
//    public:
//     Status Compute(KernelContext& ctx) override {
//       const Tensor& x = ctx.input(0);
//       HR_ASSIGN_OR_RETURN(Tensor* y, ctx.Output(0, x.shape()));
//       ctx.workers().ParallelFor(x.num_elements(), 0.3, [&](int64_t begin, int64_t end) { ... });
//       return absl::OkStatus();
//     }
//   };
//   StatusOr<std::unique_ptr<Kernel>> MakeReluCpu(const KernelInit& init) { return std::make_unique<ReluKernel>(); }
//
// Ownership and threads: a kernel object belongs to one compiled step instance and one thread runs it at a
// time, so members may cache what depends on shapes (primitives, scratch). State that must outlive the step or
// be seen by other steps (variables, random generators) lives in the ResourceStore.
//
// Checks: dtypes and attributes were checked when the node was made; shapes only as far as they were known,
// so Compute checks what it relies on and returns InvalidArgument (the runtime adds op, node and location).
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "headrace/base/cancellation.h"
#include "headrace/base/worker_pool.h"
#include "headrace/device/device.h"
#include "headrace/graph/graph.h"
#include "headrace/kernel/resource.h"
#include "headrace/tensor/tensor.h"

namespace headrace {

class Rendezvous;  // kernel/rendezvous.h

// What all kernels of one run of a step share.
struct StepContext {
  int64_t step_id = 0;
  Cancellation* cancellation = nullptr;  // never null while running
  ResourceStore* resources = nullptr;
  Rendezvous* rendezvous = nullptr;
  bool deterministic = false;            // results may not depend on thread count or timing
};

// What a factory sees.
class KernelInit {
 public:
  KernelInit(const Node& node, headrace::Device& device, ResourceStore& resources)
      : node_(node), device_(device), resources_(resources) {}
  const Node& node() const { return node_; }
  const AttrMap& attrs() const { return node_.attrs(); }
  template <class T>
  const T& Attr(std::string_view name) const {
    return node_.attrs().Get<T>(name);
  }
  DType input_type(int i) const { return RemoveRef(node_.input_type(i)); }
  DType output_type(int i) const { return RemoveRef(node_.output_type(i)); }
  headrace::Device& device() const { return device_; }
  ResourceStore& resources() const { return resources_; }

 private:
  const Node& node_;
  headrace::Device& device_;
  ResourceStore& resources_;
};

// The arguments of one call. Filled by the runtime; a plan fills it once and reuses it in every step.
class KernelContext {
 public:
  int num_inputs() const { return num_inputs_; }
  // Value of an input (of a variable input that the op takes by value, the variable's value).
  const Tensor& input(int i) const { return *inputs_[i]; }
  // The variable behind a ref input.
  VariableResource& variable(int i) const { return *variables_[i]; }

  // Where to write output i: planned memory, an input that may be overwritten, or fresh memory of the device.
  // Contents are undefined. ResourceExhausted when memory is short.
  StatusOr<Tensor*> Output(int i, const Shape& shape) {
    Tensor& out = outputs_[i];
    if (out.valid() && out.shape() == shape) [[likely]] return &out;
    return AllocateOutput(i, shape);
  }
  // Gives a tensor as output i, sharing its bytes (the op must state Forwards or own the bytes).
  void SetOutput(int i, Tensor tensor) { outputs_[i] = std::move(tensor); }
  void SetVariable(int i, VariableResource* variable) { ref_outputs_[i] = variable; }
  // False if nobody consumes output i: it may be left unset.
  bool output_wanted(int i) const { return wanted_ == nullptr || wanted_[i]; }
  DType output_type(int i) const { return RemoveRef(node_->output_type(i)); }

  // Memory of the device for use within Compute. `scratch` is a member of the kernel: reallocated only when
  // dtype or shape change.
  Status Scratch(Tensor& scratch, DType type, const Shape& shape);

  const Node& node() const { return *node_; }
  headrace::Device& device() const { return *device_; }
  WorkerPool& workers() const { return *workers_; }
  Allocator& allocator() const { return device_->allocator(); }
  const StepContext& step() const { return *step_; }

 private:
  friend class ContextBuilder;  // kernel/context_builder.h: for runtimes and the op harness
  StatusOr<Tensor*> AllocateOutput(int i, const Shape& shape);

  const Tensor* const* inputs_ = nullptr;
  VariableResource* const* variables_ = nullptr;   // entries for ref inputs only; null if there is none
  Tensor* outputs_ = nullptr;
  VariableResource** ref_outputs_ = nullptr;
  const bool* wanted_ = nullptr;           // null: all
  const bool* planned_ = nullptr;          // outputs with a planned shape: another shape is an error of the op
  int num_inputs_ = 0;
  const Node* node_ = nullptr;
  headrace::Device* device_ = nullptr;
  WorkerPool* workers_ = nullptr;
  const StepContext* step_ = nullptr;
};

class Kernel {
 public:
  virtual ~Kernel() = default;
  virtual Status Compute(KernelContext& ctx) = 0;
};

// A kernel that may have to wait (queues, receive). `done` is called exactly once, on any thread; `ctx` lives
// until then. Such ops state Blocking(). Compute waits for ComputeAsync and the deadline.
class AsyncKernel : public Kernel {
 public:
  using Done = std::function<void(Status)>;
  virtual void ComputeAsync(KernelContext& ctx, Done done) = 0;
  Status Compute(KernelContext& ctx) final;
};

// A kernel from one function, for ops without attributes or state.
template <Status (*kCompute)(KernelContext&)>
StatusOr<std::unique_ptr<Kernel>> MakeFunctionKernel(const KernelInit&) {
  class FunctionKernel final : public Kernel {
    Status Compute(KernelContext& ctx) override { return kCompute(ctx); }
  };
  return std::make_unique<FunctionKernel>();
}

// The kernel for a node on a device: the CUDA kernel, or the CPU kernel for CPU and simulated devices.
// Errors: InvalidArgument when the op does not support the device type and dtypes.
StatusOr<std::unique_ptr<Kernel>> CreateKernel(const Node& node, Device& device, ResourceStore& resources);

}  // namespace headrace
