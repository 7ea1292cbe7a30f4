// MapDataset, FilterDataset, TakeWhileDataset.
#include "headrace/ops/dataset/dataset_function.h"
#include "headrace/ops/dataset/function_dataset_kernels.h"
#include "headrace/ops/dataset/map_results.h"
#include "headrace/ops/dataset/unary_dataset.h"

namespace headrace {
namespace {

class MapDataset final : public UnaryDataset {
 public:
  MapDataset(DatasetPtr input, DatasetFunction f, std::vector<DType> types,
             std::vector<PartialShape> shapes, bool keeps_count)
      : UnaryDataset(std::move(input), std::move(types), std::move(shapes)),
        f_(std::move(f)),
        keeps_count_(keeps_count) {}
  std::string_view name() const override { return "Map"; }
  int64_t Cardinality() const override {
    return keeps_count_ ? input().Cardinality() : kUnknownCount;
  }

 private:
  class Position final : public UnaryIterator<MapDataset> {
   public:
    using UnaryIterator::UnaryIterator;
    StatusOr<bool> Next(const IterationContext& ctx, Element& element) override {
      if (input_ == nullptr) return false;
      if (!opened_) {
        call_ = dataset().f_.Open(ctx);
        opened_ = true;
      }
      HR_ASSIGN_OR_RETURN(const bool more, input_->Next(ctx, element));
      if (!more) {
        input_.reset();
        return false;
      }
      return TakeResults(call_(ctx, std::move(element)), dataset().keeps_count_, element);
    }
    Status Save(StateWriter& state) const override {
      state.Begin("Map");
      state.Int(input_ == nullptr);
      return input_ == nullptr ? absl::OkStatus() : input_->Save(state);
    }
    Status Restore(const IterationContext& ctx, StateReader& state) override {
      HR_RETURN_IF_ERROR(state.Begin("Map"));
      HR_ASSIGN_OR_RETURN(const int64_t ended, state.IntIn(0, 1));
      if (ended != 0) input_.reset();
      return input_ == nullptr ? absl::OkStatus() : input_->Restore(ctx, state);
    }

   private:
    FunctionCall call_;
    bool opened_ = false;
  };
  StatusOr<std::unique_ptr<Iterator>> MakeIterator(const IterationContext& ctx,
                                                   std::string place) const override {
    return OverInput<Position, MapDataset>(ctx, std::move(place));
  }

  const DatasetFunction f_;
  const bool keeps_count_;
};

// The elements for which a function gives true; at the first false, `ends` says whether that is the end.
class FilterDataset final : public UnaryDataset {
 public:
  FilterDataset(DatasetPtr input, DatasetFunction predicate, bool ends)
      : UnaryDataset(std::move(input)), predicate_(std::move(predicate)), ends_(ends) {}
  std::string_view name() const override { return ends_ ? "TakeWhile" : "Filter"; }

 private:
  class Position final : public UnaryIterator<FilterDataset> {
   public:
    using UnaryIterator::UnaryIterator;
    StatusOr<bool> Next(const IterationContext& ctx, Element& element) override {
      if (!opened_) {
        call_ = dataset().predicate_.Open(ctx);
        opened_ = true;
      }
      while (input_ != nullptr) {
        HR_RETURN_IF_ERROR(ctx.CheckCancelled());
        HR_ASSIGN_OR_RETURN(const bool more, input_->Next(ctx, element));
        bool matches = false;
        if (more) {
          HR_ASSIGN_OR_RETURN(const Element results, call_(ctx, element));
          HR_ASSIGN_OR_RETURN(matches, PredicateResult(results));
        }
        if (matches) return true;
        if (!more || dataset().ends_) input_.reset();
      }
      return false;
    }
    Status Save(StateWriter& state) const override {
      state.Begin(dataset().name());
      state.Int(input_ == nullptr);
      return input_ == nullptr ? absl::OkStatus() : input_->Save(state);
    }
    Status Restore(const IterationContext& ctx, StateReader& state) override {
      HR_RETURN_IF_ERROR(state.Begin(dataset().name()));
      HR_ASSIGN_OR_RETURN(const int64_t ended, state.IntIn(0, 1));
      if (ended != 0) input_.reset();
      return input_ == nullptr ? absl::OkStatus() : input_->Restore(ctx, state);
    }

   private:
    FunctionCall call_;
    bool opened_ = false;
  };
  StatusOr<std::unique_ptr<Iterator>> MakeIterator(const IterationContext& ctx,
                                                   std::string place) const override {
    return OverInput<Position, FilterDataset>(ctx, std::move(place));
  }

  const DatasetFunction predicate_;
  const bool ends_;
};

StatusOr<DatasetPtr> MakeMap(KernelContext& ctx, std::vector<DatasetFunction> f) {
  HR_ASSIGN_OR_RETURN(DatasetPtr input, DatasetInput(ctx, 0));
  HR_RETURN_IF_ERROR(f[0].CheckArguments(input->types()));
  HR_RETURN_IF_ERROR(f[0].CheckResults(StatedTypes(ctx)));
  return std::make_shared<MapDataset>(std::move(input), std::move(f[0]), StatedTypes(ctx),
                                      StatedShapes(ctx),
                                      ctx.node().attrs().Get<bool>("preserve_cardinality"));
}

template <bool kEnds>
StatusOr<DatasetPtr> MakeFilter(KernelContext& ctx, std::vector<DatasetFunction> f) {
  HR_ASSIGN_OR_RETURN(DatasetPtr input, DatasetInput(ctx, 0));
  HR_RETURN_IF_ERROR(f[0].CheckArguments(input->types()));
  HR_RETURN_IF_ERROR(f[0].CheckResults({DType::kBool}));
  return std::make_shared<FilterDataset>(std::move(input), std::move(f[0]), kEnds);
}

}  // namespace

StatusOr<bool> TakeResults(StatusOr<Element> results, bool keeps_count, Element& element) {
  if (results.ok()) {
    element = *std::move(results);
    return true;
  }
  if (!absl::IsOutOfRange(results.status())) return results.status();
  if (!keeps_count) return false;  // how a function ends its dataset
  return InvalidArgument("Function invocation produced OutOfRangeError: ",
                         Message(results.status()));
}

StatusOr<std::unique_ptr<Kernel>> MakeMapDatasetCpu(const KernelInit& init) {
  return MakeFunctionDatasetKernel<MakeMap>(init, {{"f", "other_arguments"}});
}
StatusOr<std::unique_ptr<Kernel>> MakeFilterDatasetCpu(const KernelInit& init) {
  return MakeFunctionDatasetKernel<MakeFilter<false>>(init, {{"predicate", "other_arguments"}});
}
StatusOr<std::unique_ptr<Kernel>> MakeTakeWhileDatasetCpu(const KernelInit& init) {
  return MakeFunctionDatasetKernel<MakeFilter<true>>(init, {{"predicate", "other_arguments"}});
}

}  // namespace headrace
