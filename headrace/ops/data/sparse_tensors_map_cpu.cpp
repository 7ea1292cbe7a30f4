#include <map>
#include <mutex>

#include "headrace/base/strings.h"
#include "headrace/ops/data/named_resource.h"
#include "headrace/ops/data/sparse_tensors_map_kernels.h"
#include "headrace/ops/sparse/stack_sparse.h"
#include "headrace/ops/state/variable_input.h"

namespace headrace {
namespace {

// Sparse tensors by number. Thread-safe.
class SparseTensorsMap final : public Resource {
 public:
  explicit SparseTensorsMap(std::string name) : name_(std::move(name)) {}

  std::string_view kind() const override { return "map of sparse tensors"; }
  int64_t memory_bytes() const override {
    std::lock_guard lock(mutex_);
    int64_t bytes = 0;
    for (const auto& [handle, parts] : parts_) {
      bytes += static_cast<int64_t>(parts.indices.size_bytes() + parts.values.size_bytes() +
                                    parts.shape.size_bytes());
    }
    return bytes;
  }
  int64_t Add(SparseParts parts) {
    std::lock_guard lock(mutex_);
    parts_.emplace(next_, std::move(parts));
    return next_++;
  }
  StatusOr<std::vector<SparseParts>> Take(std::span<const int64_t> handles, DType type) {
    std::lock_guard lock(mutex_);
    for (int64_t handle : handles) {
      const auto found = parts_.find(handle);
      if (found == parts_.end()) {
        return InvalidArgument("Unable to find SparseTensor: ", handle, " in map: ", name_);
      }
      if (found->second.values.dtype() != type) {
        return InvalidArgument("Requested SparseTensor of type ", CppTypeName(type),
                               " but SparseTensor ", handle, " has values of type ",
                               CppTypeName(found->second.values.dtype()));
      }
    }
    std::vector<SparseParts> taken;
    for (int64_t handle : handles) {
      auto node = parts_.extract(handle);
      if (node.empty()) return InvalidArgument("SparseTensor ", handle, " is asked for twice");
      taken.push_back(std::move(node.mapped()));
    }
    return taken;
  }

 private:
  const std::string name_;
  mutable std::mutex mutex_;
  int64_t next_ = 0;
  std::map<int64_t, SparseParts> parts_;
};

class MapKernel : public Kernel {
 public:
  explicit MapKernel(std::shared_ptr<SparseTensorsMap> map) : map_(std::move(map)) {}

 protected:
  SparseTensorsMap& map() const { return *map_; }

 private:
  const std::shared_ptr<SparseTensorsMap> map_;
};

class AddKernel final : public MapKernel {
 public:
  using MapKernel::MapKernel;
  Status Compute(KernelContext& ctx) override {
    HR_RETURN_IF_ERROR(ReadSparse(ctx, 0).status());
    HR_ASSIGN_OR_RETURN(Tensor * handle, ctx.Output(0, {}));
    // Copies: what comes in may lie in the memory of the step.
    *handle->data<int64_t>() =
        map().Add({ctx.input(0).Clone(), ctx.input(1).Clone(), ctx.input(2).Clone()});
    return absl::OkStatus();
  }
};

class AddManyKernel final : public MapKernel {
 public:
  using MapKernel::MapKernel;
  Status Compute(KernelContext& ctx) override {
    HR_ASSIGN_OR_RETURN(const SparseInput in, ReadSparse(ctx, 0));
    HR_ASSIGN_OR_RETURN(std::vector<SparseParts> rows, SplitRows(in));
    HR_ASSIGN_OR_RETURN(Tensor * handles, ctx.Output(0, {static_cast<int64_t>(rows.size())}));
    int64_t* handle = handles->data<int64_t>();
    for (SparseParts& row : rows) *handle++ = map().Add(std::move(row));
    return absl::OkStatus();
  }
};

class TakeManyKernel final : public MapKernel {
 public:
  using MapKernel::MapKernel;
  Status Compute(KernelContext& ctx) override {
    const Tensor& handles = ctx.input(0);
    if (handles.rank() != 1) {
      return InvalidArgument("sparse_handles should be a vector but received shape: ",
                             handles.shape().ToString());
    }
    if (handles.num_elements() == 0)
      return InvalidArgument("Must have at least 1 serialized SparseTensor");
    HR_ASSIGN_OR_RETURN(const std::vector<SparseParts> parts,
                        map().Take(handles.flat<int64_t>(), ctx.output_type(1)));
    return StackSparse(ctx, handles.shape().dims(), parts);
  }
};

template <class T>
StatusOr<std::unique_ptr<Kernel>> Make(const KernelInit& init) {
  HR_ASSIGN_OR_RETURN(
      std::shared_ptr<SparseTensorsMap> map,
      FindOrMake<SparseTensorsMap>(
          init, [](std::string name) -> StatusOr<std::shared_ptr<SparseTensorsMap>> {
            return std::make_shared<SparseTensorsMap>(std::move(name));
          }));
  return std::make_unique<T>(std::move(map));
}

}  // namespace

StatusOr<std::unique_ptr<Kernel>> MakeAddSparseCpu(const KernelInit& init) {
  return Make<AddKernel>(init);
}
StatusOr<std::unique_ptr<Kernel>> MakeAddManySparseCpu(const KernelInit& init) {
  return Make<AddManyKernel>(init);
}
StatusOr<std::unique_ptr<Kernel>> MakeTakeManySparseCpu(const KernelInit& init) {
  return Make<TakeManyKernel>(init);
}

}  // namespace headrace
