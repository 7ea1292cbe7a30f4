#include <cstring>

#include "headrace/ops/array/constant.h"
#include "headrace/ops/array/constant_kernels.h"
#include "headrace/ops/array/dynamic_kernels.h"
#include "headrace/ops/array/index_check.h"
#include "headrace/ops/array/strided_copy.h"

namespace headrace {
namespace {

class DynamicPartitionKernel final : public Kernel {
 public:
  Status Compute(KernelContext& ctx) override {
    const Tensor& data = ctx.input(0);
    const Tensor& partitions = ctx.input(1);
    const int outer = partitions.rank(), num = ctx.node().num_outputs();
    bool starts = outer <= data.rank();
    for (int i = 0; starts && i < outer; ++i) starts = data.dim(i) == partitions.dim(i);
    if (!starts) {
      return InvalidArgument(
          "data.shape must start with partitions.shape, got data.shape = ", data.shape().ToString(),
          ", partitions.shape = ", partitions.shape().ToString());
    }
    if (const int rank = 1 + data.rank() - outer; rank > kMaxRank)
      return InvalidArgument("a tensor may have at most ", kMaxRank, " dimensions, got ", rank);
    HR_RETURN_IF_ERROR(CheckIndices(partitions, num, "partitions"));
    const std::span<const int32_t> part = partitions.flat<int32_t>();
    std::vector<int64_t> sizes(static_cast<size_t>(num), 0);
    for (const int32_t p : part) ++sizes[static_cast<size_t>(p)];
    std::vector<Tensor*> outputs;
    for (int k = 0; k < num; ++k) {
      Shape shape{sizes[static_cast<size_t>(k)]};
      for (int i = outer; i < data.rank(); ++i) shape.Append(data.dim(i));
      HR_ASSIGN_OR_RETURN(Tensor * out, ctx.Output(k, shape));
      outputs.push_back(out);
    }
    const int64_t inner = data.shape().Product(outer, data.rank());
    std::vector<int64_t> filled(static_cast<size_t>(num), 0);
    for (size_t i = 0; i < part.size(); ++i) {
      const size_t k = static_cast<size_t>(part[i]);
      CopyRows(ctx.workers(), data.dtype(), 1, inner, ElementAt(*outputs[k], filled[k]++ * inner),
               inner, ElementAt(data, static_cast<int64_t>(i) * inner), inner);
    }
    return absl::OkStatus();
  }
};

class DynamicStitchKernel final : public Kernel {
 public:
  explicit DynamicStitchKernel(Tensor zero) : zero_(std::move(zero)) {}

  Status Compute(KernelContext& ctx) override {
    const int n = ctx.num_inputs() / 2;
    int64_t rows = 0;
    Shape rest;
    for (int k = 0; k < n; ++k) {
      const Tensor& indices = ctx.input(k);
      const Tensor& data = ctx.input(n + k);
      HR_ASSIGN_OR_RETURN(const Shape own, RestOf(indices.shape(), data.shape(), k));
      if (k == 0) rest = own;
      if (own != rest) {
        return InvalidArgument("Need data[0].shape[", ctx.input(0).rank(), ":] = data[", k,
                               "].shape[", indices.rank(),
                               ":], got data[0].shape = ", ctx.input(n).shape().ToString(),
                               ", data[", k, "].shape = ", data.shape().ToString(),
                               ", indices[0].shape = ", ctx.input(0).shape().ToString(),
                               ", indices[", k, "].shape = ", indices.shape().ToString());
      }
      for (const int32_t index : indices.flat<int32_t>())
        rows = std::max<int64_t>(rows, int64_t{index} + 1);
    }
    if (rest.rank() == kMaxRank)
      return InvalidArgument("a tensor may have at most ", kMaxRank, " dimensions, got ",
                             rest.rank() + 1);
    Shape shape{rows};
    for (int64_t d : rest.dims()) shape.Append(d);
    HR_ASSIGN_OR_RETURN(Tensor * out, ctx.Output(0, shape));
    if (zero_.valid()) {
      FillElements(ctx.workers(), out->dtype(), out->raw_data(), out->num_elements(),
                   zero_.raw_data());
    } else if (IsPlain(out->dtype())) {  // quantized: no numbers, but bytes
      std::memset(out->raw_data(), 0, out->size_bytes());
    }
    const int64_t inner = rest.num_elements();
    for (int k = 0; k < n; ++k) {
      const Tensor& indices = ctx.input(k);
      const Tensor& data = ctx.input(n + k);
      for (int64_t i = 0; i < indices.num_elements(); ++i) {
        const int32_t to = indices.data<int32_t>()[i];
        if (to < 0) return InvalidArgument("indices[", k, "] is out of range");
        CopyRows(ctx.workers(), data.dtype(), 1, inner, ElementAt(*out, to * inner), inner,
                 ElementAt(data, i * inner), inner);
      }
    }
    return absl::OkStatus();
  }

 private:
  static StatusOr<Shape> RestOf(const Shape& indices, const Shape& data, int k) {
    bool starts = indices.rank() <= data.rank();
    for (int i = 0; starts && i < indices.rank(); ++i) starts = data.dim(i) == indices.dim(i);
    if (!starts) {
      return InvalidArgument("data[", k, "].shape = ", data.ToString(),
                             " does not start with indices[", k, "].shape = ", indices.ToString());
    }
    return Shape(data.dims().subspan(static_cast<size_t>(indices.rank())));
  }

  const Tensor zero_;
};

}  // namespace

StatusOr<std::unique_ptr<Kernel>> MakeDynamicPartitionCpu(const KernelInit&) {
  return std::make_unique<DynamicPartitionKernel>();
}
StatusOr<std::unique_ptr<Kernel>> MakeDynamicStitchCpu(const KernelInit& init) {
  return std::make_unique<DynamicStitchKernel>(ScalarTensor(0, init.output_type(0)));
}

}  // namespace headrace
