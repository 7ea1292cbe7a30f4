// ZipDataset, ConcatenateDataset, DirectedInterleaveDataset.
#include <algorithm>

#include "headrace/ops/dataset/dataset_kernel.h"
#include "headrace/ops/dataset/dataset_kernels.h"
#include "headrace/ops/dataset/pipeline_state.h"

namespace headrace {
namespace {

using Datasets = std::vector<DatasetPtr>;
using Iterators = std::vector<std::unique_ptr<Iterator>>;

StatusOr<Iterators> IterateAll(const Datasets& inputs, const IterationContext& ctx,
                               const std::string& place) {
  Iterators iterators;
  for (const DatasetPtr& input : inputs) {
    HR_ASSIGN_OR_RETURN(std::unique_ptr<Iterator> iterator,
                        input->Iterate(ctx, StrCat(place, "[", iterators.size(), "]")));
    iterators.push_back(std::move(iterator));
  }
  return iterators;
}

// Where each of several iterators stands; null ones have come to their end.
Status SaveAll(const Iterators& iterators, StateWriter& state) {
  for (const std::unique_ptr<Iterator>& iterator : iterators) {
    state.Int(iterator != nullptr);
    if (iterator != nullptr) HR_RETURN_IF_ERROR(iterator->Save(state));
  }
  return absl::OkStatus();
}
Status RestoreAll(Iterators& iterators, const IterationContext& ctx, StateReader& state) {
  for (std::unique_ptr<Iterator>& iterator : iterators) {
    HR_ASSIGN_OR_RETURN(const int64_t there, state.IntIn(0, 1));
    if (there == 0) iterator.reset();
    if (iterator != nullptr) HR_RETURN_IF_ERROR(iterator->Restore(ctx, state));
  }
  return absl::OkStatus();
}

template <class All>
All Joined(const Datasets& inputs, const All& (Dataset::*of)() const) {
  All all;
  for (const DatasetPtr& input : inputs) {
    const All& more = (input.get()->*of)();
    all.insert(all.end(), more.begin(), more.end());
  }
  return all;
}

class ZipDataset final : public Dataset {
 public:
  explicit ZipDataset(Datasets inputs)
      : Dataset(Joined(inputs, &Dataset::types), Joined(inputs, &Dataset::shapes)),
        inputs_(std::move(inputs)) {}
  std::string_view name() const override { return "Zip"; }
  int64_t Cardinality() const override {
    int64_t least = kInfinite;
    for (const DatasetPtr& input : inputs_) {
      const int64_t count = input->Cardinality();
      if (count == kUnknownCount) return count;
      if (count != kInfinite && (least == kInfinite || count < least)) least = count;
    }
    return least;
  }

 private:
  class Position final : public IteratorOf<ZipDataset> {
   public:
    Position(std::shared_ptr<const ZipDataset> dataset, std::string place, Iterators inputs)
        : IteratorOf(std::move(dataset), std::move(place)), inputs_(std::move(inputs)) {}
    StatusOr<bool> Next(const IterationContext& ctx, Element& element) override {
      if (inputs_.empty()) return false;
      element.clear();
      for (const std::unique_ptr<Iterator>& input : inputs_) {
        HR_ASSIGN_OR_RETURN(const bool more, input->Next(ctx, part_));
        if (!more) {
          inputs_.clear();
          return false;
        }
        std::move(part_.begin(), part_.end(), std::back_inserter(element));
      }
      return true;
    }
    Status Save(StateWriter& state) const override {
      state.Begin("Zip");
      state.Int(inputs_.empty());
      return SaveAll(inputs_, state);
    }
    Status Restore(const IterationContext& ctx, StateReader& state) override {
      HR_RETURN_IF_ERROR(state.Begin("Zip"));
      HR_ASSIGN_OR_RETURN(const int64_t ended, state.IntIn(0, 1));
      if (ended != 0) inputs_.clear();
      return RestoreAll(inputs_, ctx, state);
    }

   private:
    Iterators inputs_;  // none at the end
    Element part_;
  };
  StatusOr<std::unique_ptr<Iterator>> MakeIterator(const IterationContext& ctx,
                                                   std::string place) const override {
    HR_ASSIGN_OR_RETURN(Iterators inputs, IterateAll(inputs_, ctx, place));
    return std::make_unique<Position>(
        std::static_pointer_cast<const ZipDataset>(shared_from_this()), std::move(place),
        std::move(inputs));
  }

  const Datasets inputs_;
};

std::vector<PartialShape> MostSpecific(const std::vector<PartialShape>& a,
                                       const std::vector<PartialShape>& b) {
  std::vector<PartialShape> shapes;
  for (size_t i = 0; i < a.size(); ++i) {
    if (!a[i].has_rank() || !b[i].has_rank() || a[i].rank() != b[i].rank()) {
      shapes.push_back(PartialShape());
      continue;
    }
    PartialShape shape = a[i];
    for (int d = 0; d < shape.rank(); ++d) {
      if (a[i].dim(d) != b[i].dim(d)) shape.set_dim(d, PartialShape::kUnknown);
    }
    shapes.push_back(shape);
  }
  return shapes;
}

class ConcatenateDataset final : public Dataset {
 public:
  ConcatenateDataset(DatasetPtr first, DatasetPtr second)
      : Dataset(first->types(), MostSpecific(first->shapes(), second->shapes())),
        inputs_{std::move(first), std::move(second)} {}
  std::string_view name() const override { return "Concatenate"; }
  int64_t Cardinality() const override {
    const int64_t a = inputs_[0]->Cardinality(), b = inputs_[1]->Cardinality();
    if (a == kInfinite || b == kInfinite) return kInfinite;
    return a == kUnknownCount || b == kUnknownCount ? kUnknownCount : a + b;
  }

 private:
  class Position final : public IteratorOf<ConcatenateDataset> {
   public:
    using IteratorOf::IteratorOf;
    Status Open(const IterationContext& ctx) {
      HR_ASSIGN_OR_RETURN(input_,
                          dataset().inputs_[at_]->Iterate(ctx, StrCat(place(), "[", at_, "]")));
      return absl::OkStatus();
    }
    StatusOr<bool> Next(const IterationContext& ctx, Element& element) override {
      while (input_ != nullptr) {
        HR_ASSIGN_OR_RETURN(const bool more, input_->Next(ctx, element));
        if (more) return true;
        input_.reset();
        if (++at_ < dataset().inputs_.size()) HR_RETURN_IF_ERROR(Open(ctx));
      }
      return false;
    }
    Status Save(StateWriter& state) const override {
      state.Begin("Concatenate");
      state.Int(static_cast<int64_t>(at_));
      return input_ == nullptr ? absl::OkStatus() : input_->Save(state);
    }
    Status Restore(const IterationContext& ctx, StateReader& state) override {
      HR_RETURN_IF_ERROR(state.Begin("Concatenate"));
      HR_ASSIGN_OR_RETURN(const int64_t at,
                          state.IntIn(0, static_cast<int64_t>(dataset().inputs_.size())));
      at_ = static_cast<size_t>(at);
      input_.reset();
      if (at_ == dataset().inputs_.size()) return absl::OkStatus();
      HR_RETURN_IF_ERROR(Open(ctx));
      return input_->Restore(ctx, state);
    }

   private:
    size_t at_ = 0;
    std::unique_ptr<Iterator> input_;  // null at the end
  };
  StatusOr<std::unique_ptr<Iterator>> MakeIterator(const IterationContext& ctx,
                                                   std::string place) const override {
    auto position = std::make_unique<Position>(
        std::static_pointer_cast<const ConcatenateDataset>(shared_from_this()), std::move(place));
    HR_RETURN_IF_ERROR(position->Open(ctx));
    return position;
  }

  const Datasets inputs_;
};

// Elements of the inputs in the order in which the elements of the selector, numbers, name them. An input that has
// come to its end is passed over.
class DirectedInterleaveDataset final : public Dataset {
 public:
  DirectedInterleaveDataset(DatasetPtr selector, Datasets inputs)
      : Dataset(inputs[0]->types(), inputs[0]->shapes()),
        selector_(std::move(selector)),
        inputs_(std::move(inputs)) {}
  std::string_view name() const override { return "DirectedInterleave"; }

 private:
  class Position final : public IteratorOf<DirectedInterleaveDataset> {
   public:
    Position(std::shared_ptr<const DirectedInterleaveDataset> dataset, std::string place,
             std::unique_ptr<Iterator> selector, Iterators inputs)
        : IteratorOf(std::move(dataset), std::move(place)),
          selector_(std::move(selector)),
          inputs_(std::move(inputs)),
          live_(inputs_.size()) {}
    StatusOr<bool> Next(const IterationContext& ctx, Element& element) override {
      while (live_ > 0) {
        HR_RETURN_IF_ERROR(ctx.CheckCancelled());
        HR_ASSIGN_OR_RETURN(const bool selected, selector_->Next(ctx, selection_));
        if (!selected) live_ = 0;
        if (!selected) break;
        const int64_t which = selection_[0].scalar<int64_t>();
        if (which < 0 || which >= static_cast<int64_t>(inputs_.size())) {
          return InvalidArgument("Selector index out of range: ", which, " >= ", inputs_.size());
        }
        std::unique_ptr<Iterator>& input = inputs_[static_cast<size_t>(which)];
        if (input == nullptr) continue;
        HR_ASSIGN_OR_RETURN(const bool more, input->Next(ctx, element));
        if (more) return true;
        input.reset();
        --live_;
      }
      return false;
    }
    Status Save(StateWriter& state) const override {
      state.Begin("DirectedInterleave");
      state.Int(static_cast<int64_t>(live_));
      HR_RETURN_IF_ERROR(selector_->Save(state));
      return SaveAll(inputs_, state);
    }
    Status Restore(const IterationContext& ctx, StateReader& state) override {
      HR_RETURN_IF_ERROR(state.Begin("DirectedInterleave"));
      HR_ASSIGN_OR_RETURN(const int64_t live, state.IntIn(0, static_cast<int64_t>(inputs_.size())));
      live_ = static_cast<size_t>(live);
      HR_RETURN_IF_ERROR(selector_->Restore(ctx, state));
      return RestoreAll(inputs_, ctx, state);
    }

   private:
    const std::unique_ptr<Iterator> selector_;
    Iterators inputs_;
    size_t live_;
    Element selection_;
  };
  StatusOr<std::unique_ptr<Iterator>> MakeIterator(const IterationContext& ctx,
                                                   std::string place) const override {
    HR_ASSIGN_OR_RETURN(std::unique_ptr<Iterator> selector,
                        selector_->Iterate(ctx, StrCat(place, ".selector")));
    HR_ASSIGN_OR_RETURN(Iterators inputs, IterateAll(inputs_, ctx, place));
    return std::make_unique<Position>(
        std::static_pointer_cast<const DirectedInterleaveDataset>(shared_from_this()),
        std::move(place), std::move(selector), std::move(inputs));
  }

  const DatasetPtr selector_;
  const Datasets inputs_;
};

StatusOr<Datasets> Inputs(KernelContext& ctx, int from) {
  Datasets inputs;
  for (int i = from; i < ctx.num_inputs(); ++i) {
    HR_ASSIGN_OR_RETURN(DatasetPtr input, DatasetInput(ctx, i));
    inputs.push_back(std::move(input));
  }
  return inputs;
}

StatusOr<DatasetPtr> MakeZip(KernelContext& ctx) {
  HR_ASSIGN_OR_RETURN(Datasets inputs, Inputs(ctx, 0));
  return std::make_shared<ZipDataset>(std::move(inputs));
}

StatusOr<DatasetPtr> MakeConcatenate(KernelContext& ctx) {
  HR_ASSIGN_OR_RETURN(Datasets inputs, Inputs(ctx, 0));
  if (inputs[0]->types() != inputs[1]->types()) {
    return InvalidArgument("input dataset and dataset to concatenate have different output_types");
  }
  return std::make_shared<ConcatenateDataset>(inputs[0], inputs[1]);
}

StatusOr<DatasetPtr> MakeDirectedInterleave(KernelContext& ctx) {
  HR_ASSIGN_OR_RETURN(DatasetPtr selector, DatasetInput(ctx, 0));
  if (selector->types() != std::vector{DType::kInt64}) {
    return InvalidArgument("The selector dataset must comprise a single int64 element.");
  }
  HR_ASSIGN_OR_RETURN(Datasets inputs, Inputs(ctx, 1));
  for (const DatasetPtr& input : inputs)
    HR_RETURN_IF_ERROR(CheckTypes(inputs[0]->types(), input->types()));
  return std::make_shared<DirectedInterleaveDataset>(std::move(selector), std::move(inputs));
}

}  // namespace

StatusOr<std::unique_ptr<Kernel>> MakeZipDatasetCpu(const KernelInit& init) {
  return MakeDatasetKernel<MakeZip>(init);
}
StatusOr<std::unique_ptr<Kernel>> MakeConcatenateDatasetCpu(const KernelInit& init) {
  return MakeDatasetKernel<MakeConcatenate>(init);
}
StatusOr<std::unique_ptr<Kernel>> MakeDirectedInterleaveDatasetCpu(const KernelInit& init) {
  return MakeDatasetKernel<MakeDirectedInterleave>(init);
}

}  // namespace headrace
