#include "headrace/ops/sparse/stack_sparse.h"

#include <algorithm>

#include "headrace/base/strings.h"
#include "headrace/ops/array/device_types.h"
#include "headrace/tensor/dispatch.h"

namespace headrace {

StatusOr<std::vector<SparseParts>> SplitRows(const SparseInput& in) {
  if (in.rank <= 1) {
    return InvalidArgument("Rank of input SparseTensor should be > 1, but saw rank: ", in.rank);
  }
  HR_RETURN_IF_ERROR(CheckInBounds(in));
  std::vector<std::vector<int64_t>> entries(static_cast<size_t>(in.dims[0]));
  for (int64_t i = 0; i < in.count; ++i) entries[static_cast<size_t>(in.index(i)[0])].push_back(i);
  const auto rest = in.dims.subspan(1);
  const Tensor shape = Tensor::Of<int64_t>(rest, Shape{static_cast<int64_t>(rest.size())});
  std::vector<SparseParts> rows;
  rows.reserve(entries.size());
  for (const std::vector<int64_t>& row : entries) {
    const auto count = static_cast<int64_t>(row.size());
    Tensor indices(DType::kInt64, {count, in.rank - 1}), values(in.values->dtype(), {count});
    int64_t* at = indices.data<int64_t>();
    for (int64_t i : row) at = std::ranges::copy(in.index(i).subspan(1), at).out;
    TakeValues(*in.values, row, values);
    rows.push_back({std::move(indices), std::move(values), shape});
  }
  return rows;
}

Status StackSparse(KernelContext& ctx, std::span<const int64_t> batch,
                   const std::vector<SparseParts>& parts) {
  for (size_t p = 1; p < parts.size(); ++p) {
    const int64_t rank = parts[p].shape.dim(0), before = parts[0].shape.dim(0);
    if (rank != before) {
      return InvalidArgument("Inconsistent rank across SparseTensors: rank prior to SparseTensor[",
                             p, "] was: ", before, " but rank of SparseTensor[", p, "] is: ", rank);
    }
  }
  const auto inner = static_cast<size_t>(parts[0].shape.dim(0));
  std::vector<int64_t> dims(batch.begin(), batch.end());
  dims.resize(batch.size() + inner, 0);
  int64_t count = 0;
  for (const SparseParts& part : parts) {
    count += part.values.dim(0);
    for (size_t d = 0; d < inner; ++d) {
      int64_t& dim = dims[batch.size() + d];
      dim = std::max(dim, part.shape.data<int64_t>()[d]);
    }
  }
  HR_ASSIGN_OR_RETURN(int64_t * index, MakeIndices(ctx, 0, count, static_cast<int>(dims.size())));
  HR_ASSIGN_OR_RETURN(Tensor * values, ctx.Output(1, {count}));
  int64_t done = 0;
  for (size_t p = 0; p < parts.size(); ++p) {
    const int64_t entries = parts[p].values.dim(0);
    const int64_t* from = parts[p].indices.data<int64_t>();
    for (int64_t i = 0; i < entries; ++i, index += dims.size(), from += inner) {
      for (size_t d = batch.size(), rest = p; d-- > 0;) {
        index[d] = static_cast<int64_t>(rest) % batch[d];
        rest /= static_cast<size_t>(batch[d]);
      }
      std::copy_n(from, inner, index + batch.size());
    }
    DispatchDType<kMovedTypes - kQuantizedTypes>(values->dtype(), [&]<class T>() {
      std::copy_n(parts[p].values.data<T>(), entries, values->data<T>() + done);
    });
    done += entries;
  }
  return SetShapeOutput(ctx, 2, dims);
}

}  // namespace headrace
