#include <atomic>

#include "headrace/base/strings.h"
#include "headrace/ops/data/named_resource.h"

namespace headrace {
namespace {

class HandleKernel final : public Kernel {
 public:
  HandleKernel(const ResourceKey& key, std::shared_ptr<Resource> resource)
      : handle_(Tensor::Scalar(ResourceHandle{key.container, key.name, std::move(resource)})) {}
  Status Compute(KernelContext& ctx) override {
    ctx.SetOutput(0, handle_);
    return absl::OkStatus();
  }

 private:
  const Tensor handle_;
};

class RefHandleKernel final : public Kernel {
 public:
  RefHandleKernel(const ResourceKey& key, std::shared_ptr<Resource> resource, Allocator& allocator)
      : resource_(std::move(resource)),
        name_(key.name, DType::kString, PartialShape{2}, allocator) {
    name_.Assign(Tensor::Of<std::string>({key.container, key.name}))
        .IgnoreError();  // two strings always fit
  }
  Status Compute(KernelContext& ctx) override {
    ctx.SetVariable(0, &name_);
    return absl::OkStatus();
  }

 private:
  const std::shared_ptr<Resource> resource_;
  VariableResource name_;
};

}  // namespace

ResourceKey KeyOf(const KernelInit& init) {
  const std::string& shared = init.Attr<std::string>("shared_name");
  return {init.Attr<std::string>("container"), shared.empty() ? init.node().name() : shared};
}

std::string ShownName(const KernelInit& init) {
  const std::string& shared = init.Attr<std::string>("shared_name");
  if (!shared.empty()) return shared;
  static std::atomic<int64_t> made{0};
  return StrCat("_", made.fetch_add(1), "_", init.node().name());
}

std::unique_ptr<Kernel> MakeHandleKernel(const KernelInit& init,
                                         std::shared_ptr<Resource> resource) {
  if (IsRef(init.node().output_type(0))) {
    return std::make_unique<RefHandleKernel>(KeyOf(init), std::move(resource),
                                             init.device().allocator());
  }
  return std::make_unique<HandleKernel>(KeyOf(init), std::move(resource));
}

StatusOr<std::shared_ptr<Resource>> AnyResourceInput(KernelContext& ctx, int i) {
  if (IsRef(ctx.node().input_type(i))) {
    const Tensor name = ctx.variable(i).ReadOrInvalid();
    if (!name.valid() || name.dtype() != DType::kString || name.num_elements() != 2) {
      return InvalidArgument("input ", i,
                             " must be a handle, two strings (container and name), got ",
                             name.ToString());
    }
    return ctx.step().resources->Lookup<Resource>(name.data<std::string>()[0],
                                                  name.data<std::string>()[1]);
  }
  const Tensor& input = ctx.input(i);
  if (input.dtype() != DType::kResource || input.num_elements() != 1) {
    return InvalidArgument("input ", i, " must be one resource handle, got ", input.ToString());
  }
  const ResourceHandle& handle = *input.data<ResourceHandle>();
  if (handle.object == nullptr) return NotFound("resource '", handle.name, "' does not exist");
  return handle.object;
}

Status WrongKind(const Resource& resource, std::string_view wanted) {
  return InvalidArgument("the handle stands for a ", resource.kind(), ", not for ", wanted);
}

}  // namespace headrace
