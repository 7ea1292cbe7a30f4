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

Status Reorder(KernelContext& ctx) {
  HR_ASSIGN_OR_RETURN(const SparseInput in, ReadSparse(ctx, 0));
  const std::vector<int64_t> order = RowMajorOrder(in);
  HR_ASSIGN_OR_RETURN(int64_t * indices, MakeIndices(ctx, 0, in.count, in.rank));
  HR_ASSIGN_OR_RETURN(Tensor * values, ctx.Output(1, {in.count}));
  for (int64_t i = 0; i < in.count; ++i)
    std::ranges::copy(in.index(order[i]), indices + i * in.rank);
  TakeValues(*in.values, order, *values);
  return absl::OkStatus();
}

// The product of dimensions, where it fits.
StatusOr<int64_t> Elements(std::span<const int64_t> dims) {
  int64_t product = 1;
  for (int64_t dim : dims) {
    if (dim < 0) return InvalidArgument("a dimension may not be negative, got ", dim);
    if (__builtin_mul_overflow(product, dim, &product))
      return InvalidArgument("the shape [", IndexListText(dims), "] has too many elements");
  }
  return product;
}

StatusOr<std::vector<int64_t>> TargetShape(std::span<const int64_t> from,
                                           std::span<const int64_t> stated) {
  std::vector<int64_t> target(stated.begin(), stated.end());
  int unknown = -1;
  for (size_t i = 0; i < target.size(); ++i) {
    if (target[i] != -1) continue;
    if (unknown >= 0) {
      return InvalidArgument("only one output dimension may be -1, not both ", unknown, " and ", i);
    }
    unknown = static_cast<int>(i);
    target[i] = 1;
  }
  HR_ASSIGN_OR_RETURN(const int64_t have, Elements(from));
  HR_ASSIGN_OR_RETURN(const int64_t want, Elements(target));
  const auto shapes = [&] {
    return StrCat("input_shape=[", IndexListText(from), "] output_shape=[", IndexListText(target),
                  "]");
  };
  if (unknown >= 0) {
    if (want == 0) {
      return InvalidArgument(
          "reshape cannot infer the missing input size for an empty tensor unless all specified "
          "input sizes are non-zero");
    }
    target[unknown] = have / want;
    if (have % want != 0) {
      return InvalidArgument("Input to reshape is a SparseTensor with ", have,
                             " dense values, but the requested shape requires a multiple of ", want,
                             ". ", shapes());
    }
  } else if (have != want) {
    return InvalidArgument("Input to reshape is a tensor with ", have,
                           " dense values, but the requested shape has ", want, ". ", shapes());
  }
  return target;
}

Status ReshapeEntries(KernelContext& ctx) {
  const Tensor &indices = ctx.input(0), &shape = ctx.input(1), &target = ctx.input(2);
  if (indices.rank() != 2) {
    return InvalidArgument("Input indices should be a matrix but received shape ",
                           indices.shape().ToString());
  }
  if (shape.rank() != 1) {
    return InvalidArgument("Input shape should be a vector but received shape ",
                           shape.shape().ToString());
  }
  if (target.rank() != 1) {
    return InvalidArgument("Target shape should be a vector but received shape ",
                           target.shape().ToString());
  }
  if (indices.dim(1) != shape.dim(0)) {
    return InvalidArgument("indices have ", indices.dim(1), " columns, but the shape has ",
                           shape.dim(0), " dimensions");
  }
  const auto from = shape.flat<int64_t>();
  HR_ASSIGN_OR_RETURN(const std::vector<int64_t> to, TargetShape(from, target.flat<int64_t>()));
  const int64_t count = indices.dim(0);
  const int rank = static_cast<int>(from.size()), out_rank = static_cast<int>(to.size());
  HR_ASSIGN_OR_RETURN(int64_t * out, MakeIndices(ctx, 0, count, out_rank));
  const int64_t* in = indices.data<int64_t>();
  for (int64_t i = 0; i < count; ++i) {
    int64_t place = 0;
    for (int d = 0; d < rank; ++d) {
      const int64_t at = in[i * rank + d];
      if (at < 0 || at >= from[d]) {
        return InvalidArgument("indices[", i, "] = [",
                               IndexListText({in + i * rank, static_cast<size_t>(rank)}),
                               "] is out of bounds: need 0 <= index < [", IndexListText(from), "]");
      }
      place = place * from[d] + at;
    }
    for (int d = out_rank; d-- > 0; place /= to[d]) out[i * out_rank + d] = place % to[d];
  }
  return SetShapeOutput(ctx, 1, to);
}

Status Slice(KernelContext& ctx) {
  HR_ASSIGN_OR_RETURN(const SparseInput in, ReadSparse(ctx, 0));
  const Tensor &start = ctx.input(3), &size = ctx.input(4);
  for (int i : {3, 4}) {
    const char* what = i == 3 ? "start" : "size";
    if (ctx.input(i).rank() != 1) {
      return InvalidArgument("Input ", what, " should be a vector but received shape ",
                             ctx.input(i).shape().ToString());
    }
    if (ctx.input(i).dim(0) != in.rank) {
      return InvalidArgument("Expected ", what, " to be a vector of length ", in.rank,
                             " but got length ", ctx.input(i).dim(0));
    }
    for (int64_t value : ctx.input(i).flat<int64_t>()) {
      if (value < 0) return InvalidArgument("Input ", what, " may not be negative, got ", value);
    }
  }
  const int64_t *begin = start.data<int64_t>(), *extent = size.data<int64_t>();
  std::vector<int64_t> dims(static_cast<size_t>(in.rank)), kept;
  for (int d = 0; d < in.rank; ++d)
    dims[d] = std::clamp<int64_t>(in.dims[d] - begin[d], 0, extent[d]);
  for (int64_t i = 0; i < in.count; ++i) {
    bool inside = true;
    for (int d = 0; d < in.rank; ++d) {
      const int64_t at = in.index(i)[d] - begin[d];
      inside = inside && at >= 0 && at < dims[d];
    }
    if (inside) kept.push_back(i);
  }
  const auto count = static_cast<int64_t>(kept.size());
  HR_ASSIGN_OR_RETURN(int64_t * indices, MakeIndices(ctx, 0, count, in.rank));
  HR_ASSIGN_OR_RETURN(Tensor * values, ctx.Output(1, {count}));
  for (int64_t i = 0; i < count; ++i) {
    for (int d = 0; d < in.rank; ++d) indices[i * in.rank + d] = in.index(kept[i])[d] - begin[d];
  }
  TakeValues(*in.values, kept, *values);
  return SetShapeOutput(ctx, 2, dims);
}

Status SliceGrad(KernelContext& ctx) {
  const Tensor &grad = ctx.input(0), &in = ctx.input(1), &start = ctx.input(2), &out = ctx.input(3);
  if (in.rank() != 2 || out.rank() != 2) {
    return InvalidArgument("Input and output indices should be matrices but received shapes: ",
                           in.shape().ToString(), " and ", out.shape().ToString());
  }
  if (grad.rank() != 1) {
    return InvalidArgument("Input backprop_val_grad should be a vector but received shape: ",
                           grad.shape().ToString());
  }
  const int64_t rank = in.dim(1), count = in.dim(0), taken = out.dim(0);
  if (out.dim(1) != rank) {
    return InvalidArgument("The input and output should have the same ndims: got: ", rank, " and ",
                           out.dim(1));
  }
  if (start.rank() != 1 || start.dim(0) != rank)
    return InvalidArgument("Expected input_start to be a vector of length ", rank);
  if (grad.dim(0) != taken) {
    return InvalidArgument(
        "# elements of backprop_val_grad and # rows of output_indices should "
        "match (#nnz of sum): got ",
        grad.dim(0), " and ", taken);
  }
  HR_ASSIGN_OR_RETURN(Tensor * result, ctx.Output(0, {count}));
  int64_t used = 0;
  DispatchDType<kCommonNumberTypes>(grad.dtype(), [&]<class T>() {
    for (int64_t i = 0; i < count; ++i) {
      bool same = used < taken;
      for (int64_t d = 0; d < rank && same; ++d) {
        same = in.data<int64_t>()[i * rank + d] ==
               out.data<int64_t>()[used * rank + d] + start.data<int64_t>()[d];
      }
      result->data<T>()[i] = same ? grad.data<T>()[used] : T(0);
      used += same ? 1 : 0;
    }
  });
  if (used == taken) return absl::OkStatus();
  return Internal("Elements of backprop_val_grad aren't all propagated. Num elements:", taken,
                  ", used: ", used);
}

Status FillEmptyRows(KernelContext& ctx) {
  if (ctx.input(0).rank() != 2) {
    return InvalidArgument("indices must be a matrix, saw: ", ctx.input(0).shape().ToString());
  }
  if (ctx.input(3).rank() != 0) {
    return InvalidArgument("default_value must be a scalar, saw: ",
                           ctx.input(3).shape().ToString());
  }
  HR_ASSIGN_OR_RETURN(const SparseInput in, ReadSparse(ctx, 0));
  if (in.rank == 0) return InvalidArgument("Dense shape cannot be empty");
  const int64_t rows = in.dims[0];
  if (rows < 0) return InvalidArgument("dense_shape[0] may not be negative, got ", rows);
  if (rows == 0 && in.count != 0) {
    return InvalidArgument("Received SparseTensor with dense_shape[0] = 0 but indices.shape[0] = ",
                           in.count);
  }
  HR_ASSIGN_OR_RETURN(Tensor * empty, ctx.Output(2, {rows}));
  HR_ASSIGN_OR_RETURN(Tensor * map, ctx.Output(3, {in.count}));
  std::vector<int64_t> next(static_cast<size_t>(rows), 0);  // entries, then where the next one goes
  for (int64_t i = 0; i < in.count; ++i) {
    const int64_t row = in.index(i)[0];
    if (row < 0 || row >= rows)
      return InvalidArgument("indices(", i, ", 0) is invalid: ", row, " >= ", rows);
    ++next[row];
  }
  int64_t count = 0;
  for (int64_t row = 0; row < rows; ++row) {
    empty->data<bool>()[row] = next[row] == 0;
    const int64_t entries = std::max<int64_t>(next[row], 1);
    next[row] = count;
    count += entries;
  }
  HR_ASSIGN_OR_RETURN(int64_t * indices, MakeIndices(ctx, 0, count, in.rank));
  HR_ASSIGN_OR_RETURN(Tensor * values, ctx.Output(1, {count}));
  std::vector<int64_t> from(static_cast<size_t>(count), -1);
  for (int64_t i = 0; i < in.count; ++i) {
    const int64_t to = next[in.index(i)[0]]++;
    from[to] = i;
    map->data<int64_t>()[i] = to;
    std::ranges::copy(in.index(i), indices + to * in.rank);
  }
  for (int64_t row = 0; row < rows; ++row) {
    if (!empty->data<bool>()[row]) continue;
    int64_t* index = indices + next[row] * in.rank;
    std::fill(index, index + in.rank, 0);
    index[0] = row;
  }
  DispatchDType<kMovedTypes - kQuantizedTypes>(values->dtype(), [&]<class T>() {
    for (int64_t i = 0; i < count; ++i)
      values->data<T>()[i] = from[i] < 0 ? *ctx.input(3).data<T>() : in.data<T>()[from[i]];
  });
  return absl::OkStatus();
}

Status FillEmptyRowsGrad(KernelContext& ctx) {
  const Tensor &map = ctx.input(0), &grad = ctx.input(1);
  if (map.rank() != 1) {
    return InvalidArgument("reverse_index_map must be a vector, saw: ", map.shape().ToString());
  }
  if (grad.rank() != 1) {
    return InvalidArgument("grad_values must be a vector, saw: ", grad.shape().ToString());
  }
  const int64_t count = map.dim(0), total = grad.dim(0);
  HR_ASSIGN_OR_RETURN(Tensor * values, ctx.Output(0, {count}));
  HR_ASSIGN_OR_RETURN(Tensor * otherwise, ctx.Output(1, {}));
  std::vector<bool> visited(static_cast<size_t>(total), false);
  for (int64_t at : map.flat<int64_t>()) {
    if (at < 0 || at >= total) {
      return InvalidArgument("Elements in reverse index must be in [0, ", total, ") but got ", at);
    }
    visited[at] = true;
  }
  TakeValues(grad, map.flat<int64_t>(), *values);
  DispatchDType<kCommonNumberTypes>(grad.dtype(), [&]<class T>() {
    T sum(0);
    for (int64_t i = 0; i < total; ++i) {
      if (!visited[i]) sum = static_cast<T>(sum + grad.data<T>()[i]);
    }
    *otherwise->data<T>() = sum;
  });
  return absl::OkStatus();
}

}  // namespace

StatusOr<std::unique_ptr<Kernel>> MakeSparseReorderCpu(const KernelInit& init) {
  return MakeFunctionKernel<Reorder>(init);
}
StatusOr<std::unique_ptr<Kernel>> MakeSparseReshapeCpu(const KernelInit& init) {
  return MakeFunctionKernel<ReshapeEntries>(init);
}
StatusOr<std::unique_ptr<Kernel>> MakeSparseSliceCpu(const KernelInit& init) {
  return MakeFunctionKernel<Slice>(init);
}
StatusOr<std::unique_ptr<Kernel>> MakeSparseSliceGradCpu(const KernelInit& init) {
  return MakeFunctionKernel<SliceGrad>(init);
}
StatusOr<std::unique_ptr<Kernel>> MakeSparseFillEmptyRowsCpu(const KernelInit& init) {
  return MakeFunctionKernel<FillEmptyRows>(init);
}
StatusOr<std::unique_ptr<Kernel>> MakeSparseFillEmptyRowsGradCpu(const KernelInit& init) {
  return MakeFunctionKernel<FillEmptyRowsGrad>(init);
}

}  // namespace headrace
