// Functions that datasets call, with the values that they captured.
//
//   StatusOr<DatasetPtr> MakeMap(KernelContext& ctx, std::vector<DatasetFunction> f) { ... }
//   ... return MakeFunctionDatasetKernel<MakeMap>(init, {{"f", "other_arguments"}});
//   // in an iterator
//   FunctionCall call = dataset().f_.Open(ctx);
//   HR_ASSIGN_OR_RETURN(Element results, call(ctx, element));
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "headrace/kernel/function.h"
#include "headrace/ops/dataset/dataset_kernel.h"

namespace headrace {

// A function that an iterator calls. Any number of threads may call at once.
class FunctionCall {
 public:
  FunctionCall() = default;
  FunctionCall(std::shared_ptr<FunctionInstance> instance, const Element& captured)
      : instance_(std::move(instance)), captured_(&captured) {}
  StatusOr<Element> operator()(const IterationContext& ctx, Element arguments) const {
    arguments.insert(arguments.end(), captured_->begin(), captured_->end());
    return instance_->Run(arguments, *ctx.cancellation);
  }

 private:
  std::shared_ptr<FunctionInstance> instance_;
  const Element* captured_ = nullptr;  // the dataset's
};

class DatasetFunction {
 public:
  DatasetFunction(std::shared_ptr<const BoundFunction> function, Element captured)
      : function_(std::move(function)), captured_(std::move(captured)) {}

  const std::string& name() const { return function_->name(); }
  const std::vector<DType>& result_types() const { return function_->result_types(); }
  // Errors: InvalidArgument for arguments or results of other dtypes than the function has.
  Status CheckArguments(const std::vector<DType>& types) const;
  Status CheckResults(const std::vector<DType>& types) const;

  // For the iterators of one pipeline: epochs and branches that call the same function share its random sequences.
  // REQUIRES: this outlives the call.
  FunctionCall Open(const IterationContext& ctx) const;

 private:
  const std::shared_ptr<const BoundFunction> function_;
  const Element captured_;
};

// A function attribute, and the input argument that holds what it captured.
struct FunctionAttr {
  std::string_view attr, captured;
};

// The first flattened input of an argument, and how many there are.
struct InputRange {
  int begin = 0, count = 0;
};
InputRange InputsOf(const Node& node, std::string_view argument);
// Their values, which own their bytes.
Element KeptInputs(KernelContext& ctx, std::string_view argument);

// Binds the functions of a node, and gives them what they captured in a step.
class BoundAttrs {
 public:
  static StatusOr<BoundAttrs> Bind(const KernelInit& init,
                                   std::initializer_list<FunctionAttr> attrs);
  std::vector<DatasetFunction> In(KernelContext& ctx) const;

 private:
  std::vector<FunctionAttr> attrs_;
  std::vector<std::shared_ptr<const BoundFunction>> functions_;
};

template <StatusOr<DatasetPtr> (*kMake)(KernelContext&, std::vector<DatasetFunction>)>
StatusOr<std::unique_ptr<Kernel>> MakeFunctionDatasetKernel(
    const KernelInit& init, std::initializer_list<FunctionAttr> attrs) {
  class FunctionDatasetKernel final : public Kernel {
   public:
    explicit FunctionDatasetKernel(BoundAttrs functions) : functions_(std::move(functions)) {}
    Status Compute(KernelContext& ctx) override {
      HR_ASSIGN_OR_RETURN(DatasetPtr dataset, kMake(ctx, functions_.In(ctx)));
      ctx.SetOutput(0, DatasetTensor(std::move(dataset)));
      return absl::OkStatus();
    }

   private:
    const BoundAttrs functions_;
  };
  HR_ASSIGN_OR_RETURN(BoundAttrs functions, BoundAttrs::Bind(init, attrs));
  return std::make_unique<FunctionDatasetKernel>(std::move(functions));
}

// `types` and then `more`.
std::vector<DType> Joined(std::vector<DType> types, const std::vector<DType>& more);
// Errors: InvalidArgument unless it is one bool.
StatusOr<bool> PredicateResult(const Element& results);
// Errors: InvalidArgument unless it is one int64; `what` names the function.
StatusOr<int64_t> NumberResult(const Element& results, std::string_view what);
// Errors: InvalidArgument unless it is one dataset.
StatusOr<DatasetPtr> DatasetResult(const Element& results, std::string_view what);

}  // namespace headrace
