// ScanDataset, ReduceDataset.
#include "headrace/ops/dataset/dataset_function.h"
#include "headrace/ops/dataset/function_dataset_kernels.h"
#include "headrace/ops/dataset/iterator.h"
#include "headrace/ops/dataset/map_results.h"
#include "headrace/ops/dataset/unary_dataset.h"

namespace headrace {
namespace {

class ScanDataset final : public UnaryDataset {
 public:
  ScanDataset(DatasetPtr input, Element initial_state, DatasetFunction f, std::vector<DType> types,
              std::vector<PartialShape> shapes, bool keeps_count)
      : UnaryDataset(std::move(input), std::move(types), std::move(shapes)),
        initial_state_(std::move(initial_state)),
        f_(std::move(f)),
        keeps_count_(keeps_count) {}
  std::string_view name() const override { return "Scan"; }
  int64_t Cardinality() const override {
    return keeps_count_ ? input().Cardinality() : kUnknownCount;
  }

 private:
  class Position final : public UnaryIterator<ScanDataset> {
   public:
    Position(std::shared_ptr<const ScanDataset> dataset, std::string place,
             std::unique_ptr<Iterator> input)
        : UnaryIterator(std::move(dataset), std::move(place), std::move(input)),
          state_(this->dataset().initial_state_) {}
    StatusOr<bool> Next(const IterationContext& ctx, Element& element) override {
      if (!opened_) {
        call_ = dataset().f_.Open(ctx);
        opened_ = true;
      }
      HR_ASSIGN_OR_RETURN(const bool more, input_->Next(ctx, element));
      if (!more) return false;
      Element arguments = state_;
      arguments.insert(arguments.end(), element.begin(), element.end());
      HR_ASSIGN_OR_RETURN(const bool made, TakeResults(call_(ctx, std::move(arguments)),
                                                       dataset().keeps_count_, element));
      if (!made) return false;
      const auto outputs = element.begin() + static_cast<ptrdiff_t>(state_.size());
      std::move(element.begin(), outputs, state_.begin());
      element.erase(element.begin(), outputs);
      return true;
    }
    Status Save(StateWriter& state) const override {
      state.Begin("Scan");
      state.Values(state_);
      return input_->Save(state);
    }
    Status Restore(const IterationContext& ctx, StateReader& state) override {
      HR_RETURN_IF_ERROR(state.Begin("Scan"));
      HR_ASSIGN_OR_RETURN(Element values, state.Values());
      if (values.size() != state_.size())
        return absl::FailedPreconditionError(
            "the state is that of another pipeline: its Scan has other components");
      state_ = std::move(values);
      return input_->Restore(ctx, state);
    }

   private:
    FunctionCall call_;
    bool opened_ = false;
    Element state_;
  };
  StatusOr<std::unique_ptr<Iterator>> MakeIterator(const IterationContext& ctx,
                                                   std::string place) const override {
    return OverInput<Position, ScanDataset>(ctx, std::move(place));
  }

  const Element initial_state_;
  const DatasetFunction f_;
  const bool keeps_count_;
};

StatusOr<DatasetPtr> MakeScan(KernelContext& ctx, std::vector<DatasetFunction> f) {
  HR_ASSIGN_OR_RETURN(DatasetPtr input, DatasetInput(ctx, 0));
  const AttrMap& attrs = ctx.node().attrs();
  const auto& state_types = attrs.Get<AttrValue::Types>("Tstate");
  HR_RETURN_IF_ERROR(f[0].CheckArguments(Joined(state_types, input->types())));
  HR_RETURN_IF_ERROR(f[0].CheckResults(Joined(state_types, StatedTypes(ctx))));
  return std::make_shared<ScanDataset>(std::move(input), KeptInputs(ctx, "initial_state"),
                                       std::move(f[0]), StatedTypes(ctx), StatedShapes(ctx),
                                       attrs.Get<bool>("preserve_cardinality"));
}

// Goes through a whole dataset in one step.
class ReduceKernel final : public Kernel {
 public:
  explicit ReduceKernel(BoundAttrs functions) : functions_(std::move(functions)) {}
  Status Compute(KernelContext& ctx) override {
    HR_ASSIGN_OR_RETURN(const DatasetPtr input, DatasetInput(ctx, 0));
    const DatasetFunction f = functions_.In(ctx)[0];
    const auto& types = ctx.node().attrs().Get<AttrValue::Types>("Tstate");
    HR_RETURN_IF_ERROR(f.CheckArguments(Joined(types, input->types())));
    HR_RETURN_IF_ERROR(f.CheckResults(types));
    Element state = KeptInputs(ctx, "initial_state");
    const IterationContext iteration = ContextOf(ctx);
    HR_RETURN_IF_ERROR(Reduce(iteration, *input, f.Open(iteration), state));
    for (size_t i = 0; i < state.size(); ++i)
      ctx.SetOutput(static_cast<int>(i), std::move(state[i]));
    return absl::OkStatus();
  }

 private:
  static Status Reduce(const IterationContext& ctx, const Dataset& input, const FunctionCall& f,
                       Element& state) {
    HR_ASSIGN_OR_RETURN(const std::unique_ptr<Iterator> iterator,
                        input.Iterate(ctx, "ReduceIterator"));
    for (Element element;;) {
      HR_RETURN_IF_ERROR(ctx.CheckCancelled());
      HR_ASSIGN_OR_RETURN(const bool more, iterator->Next(ctx, element));
      if (!more) return absl::OkStatus();
      Element arguments = std::move(state);
      arguments.insert(arguments.end(), element.begin(), element.end());
      HR_ASSIGN_OR_RETURN(state, f(ctx, std::move(arguments)));
    }
  }

  const BoundAttrs functions_;
};

}  // namespace

StatusOr<std::unique_ptr<Kernel>> MakeScanDatasetCpu(const KernelInit& init) {
  return MakeFunctionDatasetKernel<MakeScan>(init, {{"f", "other_arguments"}});
}
StatusOr<std::unique_ptr<Kernel>> MakeReduceDatasetCpu(const KernelInit& init) {
  HR_ASSIGN_OR_RETURN(BoundAttrs functions, BoundAttrs::Bind(init, {{"f", "other_arguments"}}));
  return std::make_unique<ReduceKernel>(std::move(functions));
}

}  // namespace headrace
