// How kernels call functions of the graph: what a dataset maps its elements with.
//
//   // the factory of a kernel with attribute `f`:
//   HR_ASSIGN_OR_RETURN(std::shared_ptr<const BoundFunction> f, BindFunction(init, "f"));
//   // an iterator:
//   std::shared_ptr<FunctionInstance> call = f->MakeInstance();
//   HR_ASSIGN_OR_RETURN(std::vector<Tensor> results, call->Run(arguments, cancellation));
//
// Calls run on the calling thread, on CPU:0, through the same compiled plans as steps of a session: one for each
// combination of argument shapes. Thread-safe: any number of calls may run at once.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "headrace/kernel/kernel.h"

namespace headrace {

// A function with state of its own: random ops of its body continue their sequences from call to call. Variables,
// tables and queues are those of the session.
class FunctionInstance {
 public:
  virtual ~FunctionInstance() = default;
  // Errors: InvalidArgument for arguments that do not fit; what the first failing node says, with op, node and line;
  // the reason of the cancellation.
  virtual StatusOr<std::vector<Tensor>> Run(std::span<const Tensor> arguments,
                                            Cancellation& cancellation) = 0;
};

class BoundFunction {
 public:
  virtual ~BoundFunction() = default;
  virtual const std::string& name() const = 0;
  virtual const std::vector<DType>& argument_types() const = 0;
  virtual const std::vector<DType>& result_types() const = 0;
  // As far as the body tells them.
  virtual const std::vector<PartialShape>& result_shapes() const = 0;
  // Compiles nothing yet: that is done in the first call.
  virtual std::shared_ptr<FunctionInstance> MakeInstance() const = 0;
};

// Who runs functions for the kernels of a resource store: a session puts it there before it makes kernels.
class FunctionRuntime : public Resource {
 public:
  static constexpr std::string_view kContainer = "_functions", kName = "runtime";
  std::string_view kind() const final { return "runtime of functions"; }
  // `function` is in the library of the graph of `caller`. `resources` outlives what is made here.
  virtual StatusOr<std::shared_ptr<const BoundFunction>> Bind(const Node& caller,
                                                              const FunctionRef& function,
                                                              ResourceStore& resources) = 0;
};

// The function that attribute `attr` of a kernel's node names. Errors: NotFound when the graph has no such function;
// InvalidArgument for one that is not well formed; FailedPrecondition outside a session.
StatusOr<std::shared_ptr<const BoundFunction>> BindFunction(const KernelInit& init,
                                                            std::string_view attr);

}  // namespace headrace
