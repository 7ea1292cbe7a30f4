#include <cstdio>
#include <filesystem>
#include <set>

#include "headrace/base/strings.h"
#include "headrace/io/checkpoint_bundle.h"
#include "headrace/ops/state/checkpoint_kernels.h"

namespace headrace {
namespace {

StatusOr<std::string> ScalarText(const KernelContext& ctx, int input, std::string_view what) {
  const Tensor& tensor = ctx.input(input);
  if (tensor.num_elements() != 1) {
    return InvalidArgument(what, " must be one string, got shape ", tensor.shape().ToString());
  }
  return *tensor.data<std::string>();
}

Status CheckLengths(const KernelContext& ctx, int64_t tensors) {
  for (int i : {1, 2}) {
    if (ctx.input(i).num_elements() == tensors) continue;
    return InvalidArgument(i == 1 ? "tensor_names" : "shape_and_slices",
                           " must have an entry for each of ", tensors, " tensors, got ",
                           ctx.input(i).num_elements());
  }
  return absl::OkStatus();
}

Status Save(KernelContext& ctx) {
  HR_ASSIGN_OR_RETURN(const std::string prefix, ScalarText(ctx, 0, "prefix"));
  const int tensors = ctx.num_inputs() - 3;
  HR_RETURN_IF_ERROR(CheckLengths(ctx, tensors));
  HR_ASSIGN_OR_RETURN(const auto writer, BundleWriter::Create(prefix));
  for (int i = 0; i < tensors; ++i) {
    if (ctx.step().cancellation != nullptr) HR_RETURN_IF_ERROR(ctx.step().cancellation->status());
    const std::string& name = ctx.input(1).data<std::string>()[i];
    const std::string& part = ctx.input(2).data<std::string>()[i];
    const Tensor& value = ctx.input(3 + i);
    if (part.empty()) {
      HR_RETURN_IF_ERROR(writer->Add(name, value));
      continue;
    }
    HR_ASSIGN_OR_RETURN(const ShapeAndSlice slice, ParseShapeAndSlice(part));
    HR_ASSIGN_OR_RETURN(const Shape shape, slice.slice.ShapeIn(slice.full_shape));
    if (shape != value.shape()) {
      return InvalidArgument("tensor '", name, "' has shape ", value.shape().ToString(),
                             ", its slice '", part, "' has ", shape.ToString());
    }
    HR_RETURN_IF_ERROR(writer->AddSlice(name, slice.full_shape, slice.slice, value));
  }
  return writer->Finish();
}

StatusOr<Tensor> Restore(const KernelContext& ctx, const BundleReader& reader,
                         const std::string& name, const std::string& part, DType dtype) {
  const CheckpointVariable* variable = reader.Find(name);
  if (variable != nullptr && variable->dtype != dtype) {
    return InvalidArgument("tensor_name = ", name, "; expected dtype ", DTypeName(dtype),
                           " does not equal original dtype ", DTypeName(variable->dtype),
                           " in checkpoint '", reader.prefix(), "'");
  }
  if (part.empty()) return reader.Read(name, &ctx.allocator());
  HR_ASSIGN_OR_RETURN(const ShapeAndSlice slice, ParseShapeAndSlice(part));
  if (variable != nullptr && variable->shape != slice.full_shape) {
    return InvalidArgument("tensor '", name, "' has shape ", variable->shape.ToString(),
                           " in checkpoint '", reader.prefix(), "', a slice of shape ",
                           slice.full_shape.ToString(), " was asked for");
  }
  return reader.ReadSlice(name, slice.slice, &ctx.allocator());
}

Status RestoreAll(KernelContext& ctx) {
  HR_ASSIGN_OR_RETURN(const std::string prefix, ScalarText(ctx, 0, "prefix"));
  const int tensors = ctx.node().num_outputs();
  HR_RETURN_IF_ERROR(CheckLengths(ctx, tensors));
  HR_ASSIGN_OR_RETURN(const auto reader, BundleReader::Open(prefix));
  for (int i = 0; i < tensors; ++i) {
    if (!ctx.output_wanted(i)) continue;
    if (ctx.step().cancellation != nullptr) HR_RETURN_IF_ERROR(ctx.step().cancellation->status());
    HR_ASSIGN_OR_RETURN(Tensor value,
                        Restore(ctx, *reader, ctx.input(1).data<std::string>()[i],
                                ctx.input(2).data<std::string>()[i], ctx.output_type(i)));
    ctx.SetOutput(i, std::move(value));
  }
  return absl::OkStatus();
}

Status RestoreOne(KernelContext& ctx) {
  HR_ASSIGN_OR_RETURN(const std::string prefix, ScalarText(ctx, 0, "file_pattern"));
  HR_ASSIGN_OR_RETURN(const std::string name, ScalarText(ctx, 1, "tensor_name"));
  std::string part;
  if (ctx.num_inputs() > 2) {
    HR_ASSIGN_OR_RETURN(part, ScalarText(ctx, 2, "shape_and_slice"));
  }
  HR_ASSIGN_OR_RETURN(const auto reader, BundleReader::Open(prefix));
  HR_ASSIGN_OR_RETURN(Tensor value, Restore(ctx, *reader, name, part, ctx.output_type(0)));
  ctx.SetOutput(0, std::move(value));
  return absl::OkStatus();
}

class MergeKernel final : public Kernel {
 public:
  explicit MergeKernel(bool delete_old_dirs) : delete_old_dirs_(delete_old_dirs) {}
  Status Compute(KernelContext& ctx) override {
    HR_ASSIGN_OR_RETURN(const std::string destination, ScalarText(ctx, 1, "destination_prefix"));
    const auto parts = ctx.input(0).flat<std::string>();
    const std::vector<std::string> prefixes(parts.begin(), parts.end());
    HR_RETURN_IF_ERROR(MergeBundles(prefixes, destination));
    if (!delete_old_dirs_) return absl::OkStatus();
    std::set<std::filesystem::path> folders;
    for (const std::string& prefix : prefixes)
      folders.insert(std::filesystem::path(prefix).parent_path());
    folders.erase(std::filesystem::path(destination).parent_path());
    // A folder that holds other files stays: only what the parts left behind is removed.
    std::error_code ignored;
    for (const auto& folder : folders) std::filesystem::remove(folder, ignored);
    return absl::OkStatus();
  }

 private:
  const bool delete_old_dirs_;
};

Status FileName(KernelContext& ctx) {
  HR_ASSIGN_OR_RETURN(const std::string base, ScalarText(ctx, 0, "basename"));
  for (int i = 1; i < ctx.num_inputs(); ++i) {
    if (ctx.input(i).shape().is_scalar()) continue;
    return InvalidArgument("input ", i, " ('", i + 1 == ctx.num_inputs() ? "num_shards" : "shard",
                           "') must be a scalar, got shape ", ctx.input(i).shape().ToString());
  }
  char suffix[64];
  const bool pattern = ctx.num_inputs() == 2;
  if (pattern) {
    std::snprintf(suffix, sizeof(suffix), "-\?\?\?\?\?-of-%05d", ctx.input(1).scalar<int32_t>());
  } else {
    std::snprintf(suffix, sizeof(suffix), "-%05d-of-%05d", ctx.input(1).scalar<int32_t>(),
                  ctx.input(2).scalar<int32_t>());
  }
  HR_ASSIGN_OR_RETURN(Tensor * name, ctx.Output(0, Shape()));
  *name->data<std::string>() = base + suffix;
  return absl::OkStatus();
}

}  // namespace

StatusOr<std::unique_ptr<Kernel>> MakeSaveV2Cpu(const KernelInit& init) {
  return MakeFunctionKernel<Save>(init);
}
StatusOr<std::unique_ptr<Kernel>> MakeRestoreV2Cpu(const KernelInit& init) {
  return MakeFunctionKernel<RestoreAll>(init);
}
StatusOr<std::unique_ptr<Kernel>> MakeRestoreCpu(const KernelInit& init) {
  return MakeFunctionKernel<RestoreOne>(init);
}
StatusOr<std::unique_ptr<Kernel>> MakeMergeV2CheckpointsCpu(const KernelInit& init) {
  return std::make_unique<MergeKernel>(init.Attr<bool>("delete_old_dirs"));
}
StatusOr<std::unique_ptr<Kernel>> MakeShardedFilenameCpu(const KernelInit& init) {
  return MakeFunctionKernel<FileName>(init);
}
StatusOr<std::unique_ptr<Kernel>> MakeShardedFilespecCpu(const KernelInit& init) {
  return MakeFunctionKernel<FileName>(init);
}

}  // namespace headrace
