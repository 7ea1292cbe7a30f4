// SparseConcat and SparseSplit.
#include <algorithm>
#include <numeric>
#include <vector>

#include "headrace/base/strings.h"
#include "headrace/ops/array/device_types.h"
#include "headrace/ops/sparse/sparse_input.h"
#include "headrace/ops/sparse/sparse_tensor_kernels.h"
#include "headrace/tensor/dispatch.h"

namespace headrace {
namespace {

class SparseConcatKernel final : public Kernel {
 public:
  SparseConcatKernel(int parts, int64_t axis) : parts_(parts), axis_(axis) {}

  Status Compute(KernelContext& ctx) override {
    const int rank = static_cast<int>(ctx.input(2 * parts_).num_elements());
    if (axis_ < -rank || axis_ >= rank) {
      return InvalidArgument("Concat dimension must be in range [", -rank, ", ", rank, "), got ",
                             axis_);
    }
    const int axis = static_cast<int>(axis_ < 0 ? axis_ + rank : axis_);
    int64_t count = 0;
    for (int p = 0; p < parts_; ++p) {
      HR_RETURN_IF_ERROR(CheckPart(ctx, p, rank, axis));
      count += ctx.input(p).dim(0);
    }
    // All entries with their index in the whole, and then in order.
    const Tensor& first_shape = ctx.input(2 * parts_);
    std::vector<int64_t> dims(first_shape.data<int64_t>(), first_shape.data<int64_t>() + rank);
    dims[axis] = 0;
    std::vector<int64_t> indices, offsets;
    indices.reserve(static_cast<size_t>(count * rank));
    for (int p = 0; p < parts_; ++p) {
      offsets.push_back(static_cast<int64_t>(indices.size()) / std::max(rank, 1));
      for (size_t at = indices.size(); int64_t value : ctx.input(p).flat<int64_t>()) {
        indices.push_back(
            static_cast<int>((indices.size() - at) % rank) == axis ? value + dims[axis] : value);
      }
      dims[axis] += ctx.input(2 * parts_ + p).data<int64_t>()[axis];
    }
    offsets.push_back(count);
    const SparseInput whole{.indices = indices.data(), .count = count, .rank = rank};
    const std::vector<int64_t> order = RowMajorOrder(whole);
    HR_ASSIGN_OR_RETURN(int64_t * out, MakeIndices(ctx, 0, count, rank));
    HR_ASSIGN_OR_RETURN(Tensor * values, ctx.Output(1, {count}));
    for (int64_t i = 0; i < count; ++i) std::ranges::copy(whole.index(order[i]), out + i * rank);
    DispatchDType<kMovedTypes - kQuantizedTypes>(values->dtype(), [&]<class T>() {
      for (int64_t i = 0; i < count; ++i) {
        const auto part = std::upper_bound(offsets.begin(), offsets.end(), order[i]) - 1;
        const int p = static_cast<int>(part - offsets.begin());
        values->data<T>()[i] = ctx.input(parts_ + p).data<T>()[order[i] - *part];
      }
    });
    return SetShapeOutput(ctx, 2, dims);
  }

 private:
  Status CheckPart(const KernelContext& ctx, int p, int rank, int axis) const {
    const Tensor &indices = ctx.input(p), &values = ctx.input(parts_ + p),
                 &shape = ctx.input(2 * parts_ + p);
    if (indices.rank() != 2) {
      return InvalidArgument("Input indices should be a matrix but received shape ",
                             indices.shape().ToString(), " at position ", p);
    }
    if (values.rank() != 1) {
      return InvalidArgument("Input values should be a vector but received shape ",
                             values.shape().ToString(), " at position ", p);
    }
    if (shape.rank() != 1) {
      return InvalidArgument("Input shapes should be a vector but received shape ",
                             shape.shape().ToString(), " at position ", p);
    }
    if (shape.dim(0) != rank || indices.dim(1) != rank) {
      return InvalidArgument("Ranks of all input tensors must match: expected ", rank, " but got ",
                             shape.dim(0) != rank ? shape.dim(0) : indices.dim(1), " at position ",
                             p);
    }
    if (indices.dim(0) != values.dim(0)) {
      return InvalidArgument("indices and values rows (indexing dimension) must match. (indices = ",
                             indices.dim(0), ", values = ", values.dim(0), ")");
    }
    const int64_t* first = ctx.input(2 * parts_).data<int64_t>();
    for (int d = 0; d < rank; ++d) {
      const int64_t size = shape.data<int64_t>()[d];
      if (d == axis || size == first[d]) continue;
      return InvalidArgument("Input shapes must match: expected ", first[d], " for dimension ", d,
                             " but got ", size, " at position ", p);
    }
    return absl::OkStatus();
  }

  const int parts_;
  const int64_t axis_;
};

class SparseSplitKernel final : public Kernel {
 public:
  explicit SparseSplitKernel(int parts) : parts_(parts) {}

  Status Compute(KernelContext& ctx) override {
    if (ctx.input(0).num_elements() != 1) return InvalidArgument("split_dim must be a scalar");
    int64_t axis = *ctx.input(0).data<int64_t>();
    HR_ASSIGN_OR_RETURN(const SparseInput in, ReadSparse(ctx, 1));
    if (axis < 0) axis += in.rank;
    if (axis < 0 || axis >= in.rank) {
      return InvalidArgument("Input split_dim should be between 0 and rank (", in.rank, "), got ",
                             *ctx.input(0).data<int64_t>());
    }
    const int64_t size = in.dims[axis];
    if (size < parts_) {
      return InvalidArgument(
          "Input num_split should be between 1 and the splitting dimension size (", size, "), got ",
          parts_);
    }
    HR_RETURN_IF_ERROR(CheckInBounds(in));
    // The first `rest` parts are one larger.
    const int64_t small = size / parts_, rest = size % parts_;
    std::vector<std::vector<int64_t>> entries(static_cast<size_t>(parts_));
    for (int64_t i = 0; i < in.count; ++i) {
      const int64_t at = in.index(i)[axis], large = rest * (small + 1);
      entries[at < large ? at / (small + 1) : rest + (at - large) / small].push_back(i);
    }
    int64_t begin = 0;
    std::vector<int64_t> dims(in.dims.begin(), in.dims.end());
    for (int p = 0; p < parts_; ++p) {
      dims[axis] = small + (p < rest ? 1 : 0);
      const auto count = static_cast<int64_t>(entries[p].size());
      HR_ASSIGN_OR_RETURN(int64_t * indices, MakeIndices(ctx, p, count, in.rank));
      HR_ASSIGN_OR_RETURN(Tensor * values, ctx.Output(parts_ + p, {count}));
      for (int64_t i = 0; i < count; ++i) {
        std::ranges::copy(in.index(entries[p][i]), indices + i * in.rank);
        indices[i * in.rank + axis] -= begin;
      }
      TakeValues(*in.values, entries[p], *values);
      HR_RETURN_IF_ERROR(SetShapeOutput(ctx, 2 * parts_ + p, dims));
      begin += dims[axis];
    }
    return absl::OkStatus();
  }

 private:
  const int parts_;
};

}  // namespace

StatusOr<std::unique_ptr<Kernel>> MakeSparseConcatCpu(const KernelInit& init) {
  return std::make_unique<SparseConcatKernel>(static_cast<int>(init.Attr<int64_t>("N")),
                                              init.Attr<int64_t>("concat_dim"));
}
StatusOr<std::unique_ptr<Kernel>> MakeSparseSplitCpu(const KernelInit& init) {
  return std::make_unique<SparseSplitKernel>(static_cast<int>(init.Attr<int64_t>("num_split")));
}

}  // namespace headrace
