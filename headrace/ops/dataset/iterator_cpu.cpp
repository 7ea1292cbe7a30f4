#include "headrace/ops/data/named_resource.h"
#include "headrace/ops/dataset/dataset_kernel.h"
#include "headrace/ops/dataset/iterator.h"
#include "headrace/ops/dataset/iterator_kernels.h"

namespace headrace {
namespace {

constexpr std::string_view kWanted = "an iterator";

StatusOr<std::shared_ptr<IteratorResource>> IteratorOfNode(const KernelInit& init) {
  return FindOrMake<IteratorResource>(
      init, [&](std::string name) -> StatusOr<std::shared_ptr<IteratorResource>> {
        return std::make_shared<IteratorResource>(std::move(name),
                                                  init.Attr<AttrValue::Types>("output_types"),
                                                  init.Attr<AttrValue::Shapes>("output_shapes"));
      });
}

// An iterator that its first use starts, once in the life of the session.
class StartedIteratorKernel final : public Kernel {
 public:
  StartedIteratorKernel(const ResourceKey& key, std::shared_ptr<IteratorResource> iterator)
      : iterator_(std::move(iterator)),
        handle_(Tensor::Scalar(ResourceHandle{key.container, key.name, iterator_})) {}
  Status Compute(KernelContext& ctx) override {
    if (!iterator_->started()) {
      HR_ASSIGN_OR_RETURN(const DatasetPtr dataset, DatasetInput(ctx, 0));
      IterationContext context = ContextOf(ctx);
      context.fuse_shuffle_and_repeat = ctx.node().attrs().Get<bool>("fuse_shuffle_and_repeat");
      HR_RETURN_IF_ERROR(iterator_->Start(context, dataset));
    }
    ctx.SetOutput(0, handle_);
    return absl::OkStatus();
  }

 private:
  const std::shared_ptr<IteratorResource> iterator_;
  const Tensor handle_;
};

Status MakeIterator(KernelContext& ctx) {
  HR_ASSIGN_OR_RETURN(const DatasetPtr dataset, DatasetInput(ctx, 0));
  HR_ASSIGN_OR_RETURN(const auto iterator, ResourceInput<IteratorResource>(ctx, 1, kWanted));
  return iterator->Start(ContextOf(ctx), dataset);
}

class GetNextKernel final : public Kernel {
 public:
  Status Compute(KernelContext& ctx) override {
    HR_ASSIGN_OR_RETURN(const auto iterator, ResourceInput<IteratorResource>(ctx, 0, kWanted));
    HR_RETURN_IF_ERROR(iterator->Next(*ctx.step().cancellation, element_));
    HR_RETURN_IF_ERROR(Check(ctx));
    for (size_t i = 0; i < element_.size(); ++i)
      ctx.SetOutput(static_cast<int>(i), std::move(element_[i]));
    return absl::OkStatus();
  }

 private:
  // A dataset says what its elements are; a step relies on what the node says.
  Status Check(KernelContext& ctx) const {
    const Node& node = ctx.node();
    if (static_cast<int>(element_.size()) != node.num_outputs()) {
      return InvalidArgument("Number of components does not match: expected ", node.num_outputs(),
                             " types but got ", element_.size(), ".");
    }
    for (size_t i = 0; i < element_.size(); ++i) {
      const int output = static_cast<int>(i);
      if (element_[i].dtype() != ctx.output_type(output)) {
        return InvalidArgument("Data type mismatch at component ", i, ": expected ",
                               DTypeName(ctx.output_type(output)), " but got ",
                               DTypeName(element_[i].dtype()), ".");
      }
      if (!node.output_shape(output).IsCompatibleWith(element_[i].shape())) {
        return InvalidArgument("Incompatible shapes at component ", i, ": expected ",
                               node.output_shape(output).ToString(), " but got ",
                               element_[i].shape().ToString(), ".");
      }
    }
    return absl::OkStatus();
  }

  Element element_;
};

// A name that is found in another step of the session: container and name, told from other texts by what is before.
constexpr std::string_view kMark = "headrace iterator\n";

Status ToStringHandle(KernelContext& ctx) {
  HR_RETURN_IF_ERROR(ResourceInput<IteratorResource>(ctx, 0, kWanted).status());
  const ResourceHandle& handle = *ctx.input(0).data<ResourceHandle>();
  HR_ASSIGN_OR_RETURN(Tensor * out, ctx.Output(0, {}));
  *out->data<std::string>() = StrCat(kMark, handle.container, "\n", handle.name);
  return absl::OkStatus();
}

Status FromStringHandle(KernelContext& ctx) {
  HR_ASSIGN_OR_RETURN(const std::string text, ScalarInput<std::string>(ctx, 0, "string_handle"));
  const size_t line = text.find('\n', kMark.size());
  if (!text.starts_with(kMark) || line == std::string::npos) {
    return InvalidArgument(
        "Could not parse string_handle as a valid ResourceHandle: it must come from ",
        "Iterator.string_handle() of this session, got \"", text.substr(0, 40), "\"");
  }
  const std::string container = text.substr(kMark.size(), line - kMark.size()),
                    name = text.substr(line + 1);
  HR_ASSIGN_OR_RETURN(auto iterator,
                      ctx.step().resources->Lookup<IteratorResource>(container, name));
  const auto types = StatedTypes(ctx);
  if (!types.empty()) HR_RETURN_IF_ERROR(CheckTypes(types, iterator->types()));
  const auto shapes = StatedShapes(ctx);
  if (!shapes.empty()) HR_RETURN_IF_ERROR(CheckShapes(shapes, iterator->shapes()));
  ctx.SetOutput(0, Tensor::Scalar(ResourceHandle{container, name, std::move(iterator)}));
  return absl::OkStatus();
}

Status Serialize(KernelContext& ctx) {
  HR_ASSIGN_OR_RETURN(const auto iterator, ResourceInput<IteratorResource>(ctx, 0, kWanted));
  auto state = std::make_shared<PipelineState>();
  HR_RETURN_IF_ERROR(iterator->Save(*ctx.step().cancellation, *state));
  ctx.SetOutput(0, Tensor::Scalar(Variant{std::move(state)}));
  return absl::OkStatus();
}

Status Deserialize(KernelContext& ctx) {
  HR_ASSIGN_OR_RETURN(const auto iterator, ResourceInput<IteratorResource>(ctx, 0, kWanted));
  HR_ASSIGN_OR_RETURN(const Variant serialized, ScalarInput<Variant>(ctx, 1, "serialized"));
  const auto state = std::dynamic_pointer_cast<const PipelineState>(serialized.object);
  if (state == nullptr) return InvalidArgument("serialized must come from SerializeIterator");
  return iterator->Restore(*ctx.step().cancellation, *state);
}

}  // namespace

StatusOr<std::unique_ptr<Kernel>> MakeIteratorCpu(const KernelInit& init) {
  HR_ASSIGN_OR_RETURN(std::shared_ptr<IteratorResource> iterator, IteratorOfNode(init));
  HR_RETURN_IF_ERROR(CheckTypes(iterator->types(), init.Attr<AttrValue::Types>("output_types")));
  return MakeHandleKernel(init, std::move(iterator));
}
StatusOr<std::unique_ptr<Kernel>> MakeStartedIteratorCpu(const KernelInit& init) {
  HR_ASSIGN_OR_RETURN(std::shared_ptr<IteratorResource> iterator, IteratorOfNode(init));
  return std::make_unique<StartedIteratorKernel>(KeyOf(init), std::move(iterator));
}
StatusOr<std::unique_ptr<Kernel>> MakeMakeIteratorCpu(const KernelInit& init) {
  return MakeFunctionKernel<MakeIterator>(init);
}
StatusOr<std::unique_ptr<Kernel>> MakeIteratorGetNextCpu(const KernelInit&) {
  return std::make_unique<GetNextKernel>();
}
StatusOr<std::unique_ptr<Kernel>> MakeIteratorToStringHandleCpu(const KernelInit& init) {
  return MakeFunctionKernel<ToStringHandle>(init);
}
StatusOr<std::unique_ptr<Kernel>> MakeIteratorFromStringHandleCpu(const KernelInit& init) {
  return MakeFunctionKernel<FromStringHandle>(init);
}
StatusOr<std::unique_ptr<Kernel>> MakeSerializeIteratorCpu(const KernelInit& init) {
  return MakeFunctionKernel<Serialize>(init);
}
StatusOr<std::unique_ptr<Kernel>> MakeDeserializeIteratorCpu(const KernelInit& init) {
  return MakeFunctionKernel<Deserialize>(init);
}

}  // namespace headrace
