// GeneratorDataset, OneShotIterator.
#include "headrace/ops/data/named_resource.h"
#include "headrace/ops/dataset/dataset_function.h"
#include "headrace/ops/dataset/function_dataset_kernels.h"
#include "headrace/ops/dataset/iterator.h"
#include "headrace/ops/dataset/pipeline_state.h"

namespace headrace {
namespace {

// What functions say: one gives a state, one an element of the state until it is OutOfRange, one sees it end.
class GeneratorDataset final : public Dataset {
 public:
  GeneratorDataset(DatasetFunction init, DatasetFunction next, DatasetFunction finalize,
                   std::vector<DType> types, std::vector<PartialShape> shapes)
      : Dataset(std::move(types), std::move(shapes)),
        init_(std::move(init)),
        next_(std::move(next)),
        finalize_(std::move(finalize)) {}
  std::string_view name() const override { return "Generator"; }

 private:
  class Position final : public IteratorOf<GeneratorDataset> {
   public:
    using IteratorOf::IteratorOf;
    // An iterator that is dropped before its end still lets the generator go.
    ~Position() override {
      if (state_.empty() || ended_) return;
      Cancellation none;
      IterationContext ctx;
      ctx.cancellation = &none;
      (void)finalize_(ctx, state_);
    }
    StatusOr<bool> Next(const IterationContext& ctx, Element& element) override {
      if (ended_) return false;
      if (state_.empty()) {
        next_ = dataset().next_.Open(ctx);
        finalize_ = dataset().finalize_.Open(ctx);
        HR_ASSIGN_OR_RETURN(state_, dataset().init_.Open(ctx)(ctx, {}));
      }
      StatusOr<Element> results = next_(ctx, state_);
      if (results.ok()) {
        element = *std::move(results);
        return true;
      }
      if (!absl::IsOutOfRange(results.status())) return results.status();
      ended_ = true;
      HR_RETURN_IF_ERROR(finalize_(ctx, state_).status());
      return false;
    }
    Status Save(StateWriter&) const override {
      return absl::UnimplementedError(
          "a generator's position cannot be saved: only the program knows it");
    }
    Status Restore(const IterationContext&, StateReader&) override {
      return absl::UnimplementedError(
          "a generator's position cannot be restored: only the program knows it");
    }

   private:
    FunctionCall next_, finalize_;
    Element state_;  // none before the first element
    bool ended_ = false;
  };
  StatusOr<std::unique_ptr<Iterator>> MakeIterator(const IterationContext& ctx,
                                                   std::string place) const override {
    return std::make_unique<Position>(
        std::static_pointer_cast<const GeneratorDataset>(shared_from_this()), std::move(place));
  }

  const DatasetFunction init_, next_, finalize_;
};

StatusOr<DatasetPtr> MakeGenerator(KernelContext& ctx, std::vector<DatasetFunction> f) {
  HR_RETURN_IF_ERROR(f[0].CheckArguments({}));
  const std::vector<DType>& state = f[0].result_types();
  if (state.empty()) return InvalidArgument("`init_func` must return a state");
  HR_RETURN_IF_ERROR(f[1].CheckArguments(state));
  HR_RETURN_IF_ERROR(f[1].CheckResults(StatedTypes(ctx)));
  HR_RETURN_IF_ERROR(f[2].CheckArguments(state));
  return std::make_shared<GeneratorDataset>(std::move(f[0]), std::move(f[1]), std::move(f[2]),
                                            StatedTypes(ctx), StatedShapes(ctx));
}

// An iterator over the dataset that a function makes, started by the first step that uses it, and not again.
class OneShotKernel final : public Kernel {
 public:
  OneShotKernel(const ResourceKey& key, std::shared_ptr<IteratorResource> iterator,
                std::shared_ptr<FunctionInstance> factory)
      : iterator_(std::move(iterator)),
        factory_(std::move(factory)),
        handle_(Tensor::Scalar(ResourceHandle{key.container, key.name, iterator_})) {}
  Status Compute(KernelContext& ctx) override {
    if (!iterator_->started()) {
      HR_ASSIGN_OR_RETURN(const Element made, factory_->Run({}, *ctx.step().cancellation));
      HR_ASSIGN_OR_RETURN(const DatasetPtr dataset, DatasetResult(made, "dataset_factory"));
      HR_RETURN_IF_ERROR(iterator_->Start(ContextOf(ctx), dataset));
    }
    ctx.SetOutput(0, handle_);
    return absl::OkStatus();
  }

 private:
  const std::shared_ptr<IteratorResource> iterator_;
  const std::shared_ptr<FunctionInstance> factory_;
  const Tensor handle_;
};

}  // namespace

StatusOr<std::unique_ptr<Kernel>> MakeGeneratorDatasetCpu(const KernelInit& init) {
  return MakeFunctionDatasetKernel<MakeGenerator>(init,
                                                  {{"init_func", "init_func_other_args"},
                                                   {"next_func", "next_func_other_args"},
                                                   {"finalize_func", "finalize_func_other_args"}});
}

StatusOr<std::unique_ptr<Kernel>> MakeOneShotIteratorCpu(const KernelInit& init) {
  HR_ASSIGN_OR_RETURN(const std::shared_ptr<const BoundFunction> factory,
                      BindFunction(init, "dataset_factory"));
  HR_ASSIGN_OR_RETURN(
      std::shared_ptr<IteratorResource> iterator,
      FindOrMake<IteratorResource>(
          init, [&](std::string name) -> StatusOr<std::shared_ptr<IteratorResource>> {
            return std::make_shared<IteratorResource>(
                std::move(name), init.Attr<AttrValue::Types>("output_types"),
                init.Attr<AttrValue::Shapes>("output_shapes"));
          }));
  return std::make_unique<OneShotKernel>(KeyOf(init), std::move(iterator), factory->MakeInstance());
}

}  // namespace headrace
