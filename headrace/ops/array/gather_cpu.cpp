#include <cstring>

#include "headrace/ops/array/constant.h"
#include "headrace/ops/array/constant_kernels.h"
#include "headrace/ops/array/gather_kernels.h"
#include "headrace/ops/array/index_check.h"
#include "headrace/ops/array/int_values.h"
#include "headrace/ops/array/strided_copy.h"
#include "headrace/ops/state/variable_input.h"
#include "headrace/tensor/dispatch.h"

namespace headrace {
namespace {

// Copies one run of elements of a dtype.
void CopyRun(DType type, char* dst, const char* src, int64_t elements, size_t bytes) {
  if (type == DType::kString) {
    std::copy_n(reinterpret_cast<const std::string*>(src), elements,
                reinterpret_cast<std::string*>(dst));
  } else if (type == DType::kResource) {
    std::copy_n(reinterpret_cast<const ResourceHandle*>(src), elements,
                reinterpret_cast<ResourceHandle*>(dst));
  } else {
    std::memcpy(dst, src, bytes);
  }
}

struct GatherSizes {
  int64_t batch, outer, limit, inner, count;  // count: indices of one batch
};

// Runs of one element, which a call of memcpy each would cost more than the rest.
template <int64_t kBytes, class I>
void GatherElements(WorkerPool& workers, const GatherSizes& s, char* dst, const char* src,
                    const I* indices) {
  const int64_t blocks = s.batch * s.outer;
  const auto copy = [&](int64_t block, int64_t begin, int64_t end) {
    const I* batch = indices + block / s.outer * s.count;
    const char* from = src + block * s.limit * kBytes;
    char* to = dst + block * s.count * kBytes;
    for (int64_t i = begin; i < end; ++i) {
      std::memcpy(to + i * kBytes, from + static_cast<int64_t>(batch[i]) * kBytes, kBytes);
    }
  };
  if (blocks == 1) {
    workers.ParallelFor(s.count, 1.0, [&](int64_t begin, int64_t end) { copy(0, begin, end); });
    return;
  }
  workers.ParallelFor(blocks, static_cast<double>(s.count), [&](int64_t begin, int64_t end) {
    for (int64_t block = begin; block < end; ++block) copy(block, 0, s.count);
  });
}

template <class I>
void GatherRows(WorkerPool& workers, DType type, const GatherSizes& s, char* dst, const char* src,
                const I* indices) {
  const size_t bytes = static_cast<size_t>(s.inner) * SizeOf(type);
  const int64_t rows = s.batch * s.outer * s.count;
  if (IsPlain(type) && bytes == 4) return GatherElements<4>(workers, s, dst, src, indices);
  if (IsPlain(type) && bytes == 8) return GatherElements<8>(workers, s, dst, src, indices);
  workers.ParallelFor(rows, 4 + static_cast<double>(bytes) * 0.1, [&](int64_t begin, int64_t end) {
    int64_t i = begin % s.count, block = begin / s.count;
    for (int64_t row = begin; row < end; ++row) {
      const I* batch = indices + block / s.outer * s.count;
      CopyRun(
          type, dst + row * static_cast<int64_t>(bytes),
          src + (block * s.limit + static_cast<int64_t>(batch[i])) * static_cast<int64_t>(bytes),
          s.inner, bytes);
      if (++i == s.count) {
        i = 0;
        ++block;
      }
    }
  });
}

// What is gathered from: a value, or that of the variable behind a handle. Where handles themselves are gathered, they are the value.
StatusOr<Tensor> Params(KernelContext& ctx) {
  if (ctx.output_type(0) == DType::kResource) return ctx.input(0);
  return ValueInput(ctx, 0, ctx.output_type(0));
}

class GatherKernel final : public Kernel {
 public:
  GatherKernel(bool has_axis, int64_t batch_dims) : has_axis_(has_axis), batch_dims_(batch_dims) {}

  Status Compute(KernelContext& ctx) override {
    HR_ASSIGN_OR_RETURN(const Tensor params, Params(ctx));
    const Tensor& indices = ctx.input(1);
    if (params.rank() < 1) return InvalidArgument("params must be at least 1 dimensional");
    int64_t stated = 0;
    if (has_axis_) {
      HR_ASSIGN_OR_RETURN(stated, IntScalar(ctx.input(2), "axis"));
    } else if (batch_dims_ != 0) {
      stated = batch_dims_ < 0 ? batch_dims_ + indices.rank() : batch_dims_;
    }
    const int rank = params.rank();
    if (stated < -rank || stated >= rank) {
      return InvalidArgument("Expected axis in the range [", -rank, ", ", rank, "), but got ",
                             stated);
    }
    const int axis = static_cast<int>(stated < 0 ? stated + rank : stated);
    HR_ASSIGN_OR_RETURN(const int batch_dims,
                        ResolveBatchDims(params.shape(), indices.shape(), axis));
    HR_RETURN_IF_ERROR(CheckIndices(indices, params.dim(axis)));
    Shape shape;
    const int total = rank - 1 + indices.rank() - batch_dims;
    if (total > kMaxRank)
      return InvalidArgument("a tensor may have at most ", kMaxRank, " dimensions, got ", total);
    for (int i = 0; i < axis; ++i) shape.Append(params.dim(i));
    for (int i = batch_dims; i < indices.rank(); ++i) shape.Append(indices.dim(i));
    for (int i = axis + 1; i < rank; ++i) shape.Append(params.dim(i));
    HR_ASSIGN_OR_RETURN(Tensor * out, ctx.Output(0, shape));
    if (out->num_elements() == 0) return absl::OkStatus();
    const GatherSizes sizes{.batch = params.shape().Product(0, batch_dims),
                            .outer = params.shape().Product(batch_dims, axis),
                            .limit = params.dim(axis),
                            .inner = params.shape().Product(axis + 1, rank),
                            .count = indices.shape().Product(batch_dims, indices.rank())};
    char* dst = static_cast<char*>(out->raw_data());
    const char* src = static_cast<const char*>(params.raw_data());
    if (indices.dtype() == DType::kInt32) {
      GatherRows(ctx.workers(), params.dtype(), sizes, dst, src, indices.data<int32_t>());
    } else {
      GatherRows(ctx.workers(), params.dtype(), sizes, dst, src, indices.data<int64_t>());
    }
    return absl::OkStatus();
  }

 private:
  StatusOr<int> ResolveBatchDims(const Shape& params, const Shape& indices, int axis) const {
    if (batch_dims_ == 0) return 0;
    const int rank = indices.rank();
    if (batch_dims_ < -rank || batch_dims_ >= rank) {
      return InvalidArgument("Expected batch_dims in the range [", -rank, ", ", rank, "), but got ",
                             batch_dims_);
    }
    const int dims = static_cast<int>(batch_dims_ < 0 ? batch_dims_ + rank : batch_dims_);
    if (dims >= params.rank()) {
      return InvalidArgument("batch_dims (", dims, ") must be less than rank(params) (",
                             params.rank(), ").");
    }
    if (axis < dims)
      return InvalidArgument("batch_dims (", dims, ") must be less than or equal to axis (", axis,
                             ").");
    for (int i = 0; i < dims; ++i) {
      if (params.dim(i) != indices.dim(i)) {
        return InvalidArgument("params.shape[", i, "]: ", params.dim(i),
                               " should be equal to indices.shape[", i, "]: ", indices.dim(i));
      }
    }
    return dims;
  }

  const bool has_axis_;
  const int64_t batch_dims_;
};

class GatherNdKernel final : public Kernel {
 public:
  Status Compute(KernelContext& ctx) override {
    HR_ASSIGN_OR_RETURN(const Tensor params, Params(ctx));
    const Tensor& indices = ctx.input(1);
    if (params.rank() < 1) return InvalidArgument("params must be at least a vector");
    if (indices.rank() < 1) return InvalidArgument("indices must be at least a vector");
    const int64_t depth = indices.dim(indices.rank() - 1);
    if (depth > params.rank()) {
      return InvalidArgument("index innermost dimension length must be <= params rank; saw: ",
                             depth, " vs. ", params.rank());
    }
    const int k = static_cast<int>(depth);
    if (indices.rank() - 1 + params.rank() - k > kMaxRank) {
      return InvalidArgument("a tensor may have at most ", kMaxRank, " dimensions");
    }
    Shape shape(indices.shape().dims().first(static_cast<size_t>(indices.rank() - 1)));
    for (int i = k; i < params.rank(); ++i) shape.Append(params.dim(i));
    HR_RETURN_IF_ERROR(NdOffsets(indices, k, params.shape(), "param shape ", offsets_));
    HR_ASSIGN_OR_RETURN(Tensor * out, ctx.Output(0, shape));
    const int64_t slice = params.shape().Product(k, params.rank());
    const int64_t bytes = slice * static_cast<int64_t>(SizeOf(params.dtype()));
    char* dst = static_cast<char*>(out->raw_data());
    const char* src = static_cast<const char*>(params.raw_data());
    ctx.workers().ParallelFor(
        static_cast<int64_t>(offsets_.size()), 4 + 0.1 * static_cast<double>(bytes),
        [&](int64_t begin, int64_t end) {
          for (int64_t i = begin; i < end; ++i) {
            CopyRun(params.dtype(), dst + i * bytes, src + offsets_[i] * bytes, slice,
                    static_cast<size_t>(bytes));
          }
        });
    return absl::OkStatus();
  }

 private:
  std::vector<int64_t> offsets_;
};

class ScatterNdKernel final : public Kernel {
 public:
  explicit ScatterNdKernel(Tensor zero) : zero_(std::move(zero)) {}

  Status Compute(KernelContext& ctx) override {
    const Tensor& indices = ctx.input(0);
    const Tensor& updates = ctx.input(1);
    if (indices.rank() < 1)
      return InvalidArgument("Indices shape must have rank at least one. Found:[]");
    HR_ASSIGN_OR_RETURN(const Shape shape, ShapeFromTensor(ctx.input(2), "shape"));
    HR_ASSIGN_OR_RETURN(const int k, CheckNdShapes(indices.shape(), updates.shape(), shape));
    HR_RETURN_IF_ERROR(NdOffsets(indices, k, shape, "shape ", offsets_));
    HR_ASSIGN_OR_RETURN(Tensor * out, ctx.Output(0, shape));
    FillElements(ctx.workers(), out->dtype(), out->raw_data(), out->num_elements(),
                 zero_.raw_data());
    const int64_t slice = shape.Product(k, shape.rank());
    DispatchDType<kNumberTypes | DTypeSet{DType::kBool, DType::kString}>(
        out->dtype(), [&]<class T>() {
          const T* from = updates.data<T>();
          for (const int64_t offset : offsets_) {
            T* to = out->data<T>() + offset * slice;
            for (int64_t i = 0; i < slice; ++i, ++from) {
              if constexpr (std::is_same_v<T, bool>) {
                to[i] = to[i] || *from;
              } else if constexpr (std::is_integral_v<T>) {
                using U = std::make_unsigned_t<T>;
                to[i] = static_cast<T>(static_cast<U>(U(to[i]) + U(*from)));
              } else {
                to[i] += *from;  // strings: one after the other
              }
            }
          }
        });
    return absl::OkStatus();
  }

 private:
  const Tensor zero_;
  std::vector<int64_t> offsets_;
};

}  // namespace

StatusOr<std::unique_ptr<Kernel>> MakeGatherCpu(const KernelInit& init) {
  const bool v2 = init.node().op_name() == "GatherV2";
  return std::make_unique<GatherKernel>(v2, init.attrs().GetOr("batch_dims", int64_t{0}));
}
StatusOr<std::unique_ptr<Kernel>> MakeGatherNdCpu(const KernelInit&) {
  return std::make_unique<GatherNdKernel>();
}
StatusOr<std::unique_ptr<Kernel>> MakeScatterNdCpu(const KernelInit& init) {
  return std::make_unique<ScatterNdKernel>(ScalarTensor(0, init.output_type(0)));
}

}  // namespace headrace
