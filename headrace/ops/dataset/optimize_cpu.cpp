// OptimizeDataset, ModelDataset and others that change no element; DatasetCardinality.
#include <algorithm>

#include "headrace/ops/dataset/dataset_kernels.h"
#include "headrace/ops/dataset/unary_dataset.h"

namespace headrace {
namespace {

// Of TensorFlow's optimizations the one that changes what a program sees: the order of shuffle(...).repeat(...).
class OptimizeDataset final : public UnaryDataset {
 public:
  using UnaryDataset::UnaryDataset;
  std::string_view name() const override { return "Optimize"; }
  int64_t Cardinality() const override { return input().Cardinality(); }

 private:
  StatusOr<std::unique_ptr<Iterator>> MakeIterator(const IterationContext& ctx,
                                                   std::string place) const override {
    IterationContext fusing = ctx;
    fusing.fuse_shuffle_and_repeat = true;
    HR_ASSIGN_OR_RETURN(std::unique_ptr<Iterator> input, this->input().Iterate(fusing, place));
    return std::make_unique<Position>(std::move(input));
  }

  // Iterators that are made later, for another epoch, see the wish as well.
  class Position final : public Iterator {
   public:
    explicit Position(std::unique_ptr<Iterator> input) : input_(std::move(input)) {}
    StatusOr<bool> Next(const IterationContext& ctx, Element& element) override {
      IterationContext fusing = ctx;
      fusing.fuse_shuffle_and_repeat = true;
      return input_->Next(fusing, element);
    }
    Status Save(StateWriter& state) const override { return input_->Save(state); }
    Status Restore(const IterationContext& ctx, StateReader& state) override {
      IterationContext fusing = ctx;
      fusing.fuse_shuffle_and_repeat = true;
      return input_->Restore(fusing, state);
    }

   private:
    const std::unique_ptr<Iterator> input_;
  };
};

StatusOr<DatasetPtr> MakeOptimize(KernelContext& ctx) {
  HR_ASSIGN_OR_RETURN(DatasetPtr input, DatasetInput(ctx, 0));
  HR_ASSIGN_OR_RETURN(const std::vector<std::string> names, StringsInput(ctx, 1, "optimizations"));
  if (std::ranges::find(names, "shuffle_and_repeat_fusion") == names.end()) return input;
  return std::make_shared<OptimizeDataset>(std::move(input));
}

StatusOr<DatasetPtr> MakeForwarded(KernelContext& ctx) {
  return DatasetInput(ctx, 0);
}

Status Cardinality(KernelContext& ctx) {
  HR_ASSIGN_OR_RETURN(const DatasetPtr input, DatasetInput(ctx, 0));
  HR_ASSIGN_OR_RETURN(Tensor * out, ctx.Output(0, {}));
  *out->data<int64_t>() = input->Cardinality();
  return absl::OkStatus();
}

}  // namespace

StatusOr<std::unique_ptr<Kernel>> MakeOptimizeDatasetCpu(const KernelInit& init) {
  return MakeDatasetKernel<MakeOptimize>(init);
}
StatusOr<std::unique_ptr<Kernel>> MakeForwardedDatasetCpu(const KernelInit& init) {
  return MakeDatasetKernel<MakeForwarded>(init);
}
StatusOr<std::unique_ptr<Kernel>> MakeDatasetCardinalityCpu(const KernelInit& init) {
  return MakeFunctionKernel<Cardinality>(init);
}

}  // namespace headrace
