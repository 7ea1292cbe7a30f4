#include <algorithm>
#include <cstring>

#include "headrace/kernel/cpu/stream.h"
#include "headrace/ops/array/constant.h"
#include "headrace/ops/array/constant_kernels.h"
#include "headrace/ops/array/int_values.h"
#include "headrace/tensor/dispatch.h"

namespace headrace {
namespace {

class ConstKernel final : public Kernel {
 public:
  explicit ConstKernel(Tensor value) : value_(std::move(value)) {}
  Status Compute(KernelContext& ctx) override {
    ctx.SetOutput(0, value_);
    return absl::OkStatus();
  }

 private:
  const Tensor value_;
};

Status FillKernel(KernelContext& ctx) {
  HR_ASSIGN_OR_RETURN(const Shape shape, ShapeFromTensor(ctx.input(0), "dims"));
  const Tensor& value = ctx.input(1);
  if (value.rank() != 0)
    return InvalidArgument("value must be a scalar, got shape ", value.shape().ToString());
  HR_ASSIGN_OR_RETURN(Tensor * out, ctx.Output(0, shape));
  FillElements(ctx.workers(), out->dtype(), out->raw_data(), out->num_elements(), value.raw_data());
  return absl::OkStatus();
}

class FillLikeKernel final : public Kernel {
 public:
  explicit FillLikeKernel(Tensor value) : value_(std::move(value)) {}
  Status Compute(KernelContext& ctx) override {
    HR_ASSIGN_OR_RETURN(Tensor * out, ctx.Output(0, ctx.input(0).shape()));
    FillElements(ctx.workers(), out->dtype(), out->raw_data(), out->num_elements(),
                 value_.raw_data());
    return absl::OkStatus();
  }

 private:
  const Tensor value_;
};

template <class T>
void FillRange(T* out, int64_t begin, int64_t end, const void* value) {
  T v;
  std::memcpy(&v, value, sizeof(T));
  std::fill(out + begin, out + end, v);
}

struct Bytes16 {
  uint64_t low, high;
};

bool StaysOnHost(const KernelInit& init, std::string_view argument) {
  const auto support = FindSupport(init.node(), init.device().type());
  return support.ok() &&
         std::ranges::find((*support)->host_args, argument) != (*support)->host_args.end();
}

}  // namespace

void FillElements(WorkerPool& workers, DType type, void* out, int64_t count, const void* value) {
  if (type == DType::kString) {
    std::fill_n(static_cast<std::string*>(out), count, *static_cast<const std::string*>(value));
    return;
  }
  if (type == DType::kResource) {
    std::fill_n(static_cast<ResourceHandle*>(out), count,
                *static_cast<const ResourceHandle*>(value));
    return;
  }
  const size_t size = SizeOf(type);
  const int64_t element = static_cast<int64_t>(size);
  const bool stream = WorthStreaming(count * element);
  workers.ParallelFor(count, 0.05 * static_cast<double>(size), [&](int64_t begin, int64_t end) {
    if (stream)
      return StreamFill(static_cast<char*>(out) + begin * element, value, element, end - begin);
    switch (size) {
      case 1:
        return FillRange(static_cast<uint8_t*>(out), begin, end, value);
      case 2:
        return FillRange(static_cast<uint16_t*>(out), begin, end, value);
      case 4:
        return FillRange(static_cast<uint32_t*>(out), begin, end, value);
      case 8:
        return FillRange(static_cast<uint64_t*>(out), begin, end, value);
      default:
        return FillRange(static_cast<Bytes16*>(out), begin, end, value);
    }
  });
}

StatusOr<std::unique_ptr<Kernel>> MakeConstCpu(const KernelInit& init) {
  const Tensor& value = init.Attr<Tensor>("value");
  // A device with memory of its own gets a copy there once; the CPU shares the graph's bytes.
  if (!init.device().separate_memory() || StaysOnHost(init, "output"))
    return std::make_unique<ConstKernel>(value);
  HR_ASSIGN_OR_RETURN(Tensor copy, Tensor::Allocate(init.device().allocator(), value.dtype(),
                                                    value.shape(), init.node().name()));
  HR_RETURN_IF_ERROR(init.device().CopyIn(value, copy));
  return std::make_unique<ConstKernel>(std::move(copy));
}

StatusOr<std::unique_ptr<Kernel>> MakeFillCpu(const KernelInit& init) {
  return MakeFunctionKernel<FillKernel>(init);
}

StatusOr<std::unique_ptr<Kernel>> MakeZerosLikeCpu(const KernelInit& init) {
  return std::make_unique<FillLikeKernel>(ScalarTensor(0, init.output_type(0)));
}
StatusOr<std::unique_ptr<Kernel>> MakeOnesLikeCpu(const KernelInit& init) {
  return std::make_unique<FillLikeKernel>(ScalarTensor(1, init.output_type(0)));
}

}  // namespace headrace
