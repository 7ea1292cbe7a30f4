#include <algorithm>
#include <filesystem>

#include "headrace/base/file.h"
#include "headrace/base/strings.h"
#include "headrace/ops/data/files_kernels.h"

namespace headrace {
namespace {

StatusOr<const std::string*> TextInput(KernelContext& ctx, int i, std::string_view what) {
  if (ctx.input(i).num_elements() == 1) return ctx.input(i).data<std::string>();
  return InvalidArgument(
      what, " tensor must be scalar, but had shape: ", ctx.input(i).shape().ToString());
}

Status Read(KernelContext& ctx) {
  HR_ASSIGN_OR_RETURN(const std::string* path, TextInput(ctx, 0, "Input filename"));
  HR_ASSIGN_OR_RETURN(std::string contents, ReadFile(*path));
  ctx.SetOutput(0, Tensor::Scalar(std::move(contents)));
  return absl::OkStatus();
}

Status Write(KernelContext& ctx) {
  HR_ASSIGN_OR_RETURN(const std::string* path, TextInput(ctx, 0, "Input filename"));
  HR_ASSIGN_OR_RETURN(const std::string* contents, TextInput(ctx, 1, "Contents"));
  const std::string folder = std::filesystem::path(*path).parent_path().string();
  if (!folder.empty()) HR_RETURN_IF_ERROR(MakeFolders(folder));
  return WriteFileAtomically(*path, *contents);
}

Status Match(KernelContext& ctx) {
  if (ctx.input(0).rank() > 1) {
    return InvalidArgument("Input patterns tensor must be scalar or vector, but had shape: ",
                           ctx.input(0).shape().ToString());
  }
  std::vector<std::string> all;
  for (const std::string& pattern : ctx.input(0).flat<std::string>()) {
    HR_ASSIGN_OR_RETURN(std::vector<std::string> found, MatchingFiles(pattern));
    std::ranges::move(found, std::back_inserter(all));
  }
  std::ranges::sort(all);
  HR_ASSIGN_OR_RETURN(Tensor * out, ctx.Output(0, Shape{static_cast<int64_t>(all.size())}));
  std::ranges::move(all, out->data<std::string>());
  return absl::OkStatus();
}

}  // namespace

StatusOr<std::unique_ptr<Kernel>> MakeReadFileCpu(const KernelInit& init) {
  return MakeFunctionKernel<Read>(init);
}
StatusOr<std::unique_ptr<Kernel>> MakeWriteFileCpu(const KernelInit& init) {
  return MakeFunctionKernel<Write>(init);
}
StatusOr<std::unique_ptr<Kernel>> MakeMatchingFilesCpu(const KernelInit& init) {
  return MakeFunctionKernel<Match>(init);
}

}  // namespace headrace
