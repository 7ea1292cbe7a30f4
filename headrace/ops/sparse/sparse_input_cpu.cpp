#include "headrace/ops/sparse/sparse_input.h"

#include <algorithm>
#include <numeric>

#include "headrace/base/strings.h"
#include "headrace/ops/array/device_types.h"
#include "headrace/tensor/dispatch.h"

namespace headrace {

StatusOr<SparseInput> ReadSparse(const KernelContext& ctx, int first) {
  const Tensor &indices = ctx.input(first), &values = ctx.input(first + 1),
               &shape = ctx.input(first + 2);
  if (indices.rank() != 2) {
    return InvalidArgument("Input indices should be a matrix but received shape ",
                           indices.shape().ToString());
  }
  if (values.rank() != 1) {
    return InvalidArgument("Input values should be a vector but received shape ",
                           values.shape().ToString());
  }
  if (shape.rank() != 1) {
    return InvalidArgument("Input shape should be a vector but received shape ",
                           shape.shape().ToString());
  }
  if (indices.dim(0) != values.dim(0)) {
    return InvalidArgument("indices and values rows (indexing dimension) must match. (indices = ",
                           indices.dim(0), ", values = ", values.dim(0), ")");
  }
  if (indices.dim(1) != shape.dim(0)) {
    return InvalidArgument("indices have ", indices.dim(1), " columns, but the shape has ",
                           shape.dim(0), " dimensions");
  }
  return SparseInput{.indices = indices.data<int64_t>(),
                     .count = indices.dim(0),
                     .rank = static_cast<int>(indices.dim(1)),
                     .values = &values,
                     .dims = shape.flat<int64_t>()};
}

Status CheckInBounds(const SparseInput& sparse) {
  for (int64_t i = 0; i < sparse.count; ++i) {
    const auto index = sparse.index(i);
    for (int d = 0; d < sparse.rank; ++d) {
      if (index[d] < 0 || index[d] >= sparse.dims[d]) {
        return InvalidArgument("indices[", i, "] = [", IndexListText(index),
                               "] is out of bounds: need 0 <= index < [",
                               IndexListText(sparse.dims), "]");
      }
    }
  }
  return absl::OkStatus();
}

int CompareIndices(std::span<const int64_t> a, std::span<const int64_t> b) {
  for (size_t d = 0; d < a.size(); ++d) {
    if (a[d] != b[d]) return a[d] < b[d] ? -1 : 1;
  }
  return 0;
}

std::string IndexListText(std::span<const int64_t> index) {
  return StrJoin(index, ",");
}

std::vector<int64_t> RowMajorOrder(const SparseInput& sparse) {
  std::vector<int64_t> order(static_cast<size_t>(sparse.count));
  std::iota(order.begin(), order.end(), int64_t{0});
  std::stable_sort(order.begin(), order.end(), [&](int64_t a, int64_t b) {
    return CompareIndices(sparse.index(a), sparse.index(b)) < 0;
  });
  return order;
}

void TakeValues(const Tensor& values, std::span<const int64_t> order, Tensor& out) {
  if (values.dtype() == DType::kResource) {
    for (size_t i = 0; i < order.size(); ++i)
      out.data<ResourceHandle>()[i] = values.data<ResourceHandle>()[order[i]];
    return;
  }
  DispatchDType<kMovedTypes - kQuantizedTypes>(values.dtype(), [&]<class T>() {
    const T* from = values.data<T>();
    T* to = out.data<T>();
    for (size_t i = 0; i < order.size(); ++i) to[i] = from[order[i]];
  });
}

StatusOr<int64_t*> MakeIndices(KernelContext& ctx, int output, int64_t count, int rank) {
  HR_ASSIGN_OR_RETURN(Tensor * out, ctx.Output(output, {count, rank}));
  return out->data<int64_t>();
}

Status SetShapeOutput(KernelContext& ctx, int output, std::span<const int64_t> dims) {
  HR_ASSIGN_OR_RETURN(Tensor * out, ctx.Output(output, {static_cast<int64_t>(dims.size())}));
  std::copy(dims.begin(), dims.end(), out->data<int64_t>());
  return absl::OkStatus();
}

}  // namespace headrace
