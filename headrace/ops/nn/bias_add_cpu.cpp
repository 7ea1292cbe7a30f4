#include <algorithm>

#include "headrace/base/strings.h"
#include "headrace/ops/math/elementwise.h"
#include "headrace/ops/math/functors.h"
#include "headrace/ops/math/simd_rows.h"
#include "headrace/ops/math/type_sets.h"
#include "headrace/ops/nn/bias_add_kernels.h"
#include "headrace/ops/nn/row_math.h"
#include "headrace/tensor/dispatch.h"

namespace headrace {
namespace {

template <class T>
uint32_t AddRow(const void* a_data, int64_t a_step, const void* b_data, int64_t b_step, void* out,
                int64_t n) {
  const T* a = static_cast<const T*>(a_data);
  const T* b = static_cast<const T*>(b_data);
  T* y = static_cast<T*>(out);
  for (int64_t i = 0; i < n; ++i) y[i] = fn::Add{}(a[i * a_step], b[i * b_step]);
  return kRowOk;
}

BinaryFunction AddFunction(DType type) {
  const bool widened = type == DType::kFloat16 || type == DType::kBFloat16;
  BinaryRow row = FindSimdBinaryRow("Add", widened ? DType::kFloat32 : type);
  if (row == nullptr) {
    constexpr DTypeSet kOthers = kIntTypes | kComplexTypes;
    DispatchDType<kOthers>(type, [&]<class T>() { row = AddRow<T>; });
  }
  return BinaryFunction(row, type, type, 0.15);
}

// Dimension of the channels. BiasAddV1 has no data_format.
int ChannelDim(const KernelInit& init, int rank) {
  return init.attrs().GetOr<std::string>("data_format", "NHWC") == "NCHW" ? 1 : rank - 1;
}

class BiasAddKernel final : public Kernel {
 public:
  explicit BiasAddKernel(const KernelInit& init)
      : add_(AddFunction(init.input_type(0))), channels_first_(ChannelDim(init, 0) == 1) {}

  Status Compute(KernelContext& ctx) override {
    const Shape& value = ctx.input(0).shape();
    const Shape& bias = ctx.input(1).shape();
    if (value.rank() < 2)
      return InvalidArgument("Input tensor must be at least 2D: ", value.ToString());
    if (bias.rank() != 1) return InvalidArgument("Biases must be 1D: ", bias.ToString());
    const int channel = channels_first_ ? 1 : value.rank() - 1;
    if (bias[0] != value[channel]) {
      return InvalidArgument(
          "Must provide as many biases as the ", channels_first_ ? "channel" : "last",
          " dimension of the input tensor: ", bias.ToString(), " vs. ", value.ToString());
    }
    Shape spread{bias[0]};  // [C, 1, ...] for channels first
    for (int d = channel + 1; d < value.rank(); ++d) spread.Append(1);
    HR_RETURN_IF_ERROR(plan_.Prepare({&value, &spread}));
    HR_ASSIGN_OR_RETURN(Tensor * out, ctx.Output(0, value));
    return add_.Run(plan_, ctx.input(0).raw_data(), ctx.input(1).raw_data(), out->raw_data(),
                    ctx.workers());
  }

 private:
  BinaryFunction add_;
  BroadcastPlan<2> plan_;
  bool channels_first_;
};

// What the shape says: `outer` times [channels, inner].
struct Layout {
  int64_t outer = 1, channels = 1, inner = 1;
};

// Sums by plain loops, for the dtypes without a row function; 16-bit floats in float32.
template <class T>
void PlainSums(const Layout& l, const Tensor& in, Tensor& out, WorkerPool& workers) {
  constexpr bool kShort = std::is_same_v<T, Half> || std::is_same_v<T, BFloat16>;
  using Acc = std::conditional_t<kShort, float, T>;
  const T* x = in.data<T>();
  T* y = out.data<T>();
  workers.ParallelFor(l.channels, 1.0 * static_cast<double>(l.outer * l.inner) + 1,
                      [&](int64_t begin, int64_t end) {
                        for (int64_t c = begin; c < end; ++c) {
                          Acc total{};
                          for (int64_t o = 0; o < l.outer; ++o) {
                            const T* from = x + (o * l.channels + c) * l.inner;
                            for (int64_t i = 0; i < l.inner; ++i)
                              total = fn::Add{}(total, static_cast<Acc>(from[i]));
                          }
                          y[c] = static_cast<T>(total);
                        }
                      });
}

class BiasAddGradKernel final : public Kernel {
 public:
  explicit BiasAddGradKernel(const KernelInit& init) : channels_first_(ChannelDim(init, 0) == 1) {}

  Status Compute(KernelContext& ctx) override {
    const Tensor& in = ctx.input(0);
    if (in.rank() < 2)
      return InvalidArgument("Input tensor must be at least 2D: ", in.shape().ToString());
    const int channel = channels_first_ ? 1 : in.rank() - 1;
    const Layout layout{in.shape().Product(0, channel), in.dim(channel),
                        in.shape().Product(channel + 1, in.rank())};
    HR_ASSIGN_OR_RETURN(Tensor * out, ctx.Output(0, {layout.channels}));
    if (in.dtype() == DType::kFloat32) return Sums<float>(ctx, layout, in, *out);
    if (in.dtype() == DType::kFloat64) return Sums<double>(ctx, layout, in, *out);
    constexpr DTypeSet kOthers = kNumberTypes - kFloat32And64;
    DispatchDType<kOthers>(in.dtype(),
                           [&]<class T>() { PlainSums<T>(layout, in, *out, ctx.workers()); });
    return absl::OkStatus();
  }

 private:
  template <class T>
  Status Sums(KernelContext& ctx, const Layout& l, const Tensor& in, Tensor& out) {
    const RowMath<T>& rows = RowMath<T>::Get();
    const T* x = in.data<T>();
    T* y = out.data<T>();
    if (l.inner != 1) {
      ctx.workers().ParallelFor(l.channels, 0.1 * static_cast<double>(l.outer * l.inner) + 1,
                                [&](int64_t begin, int64_t end) {
                                  for (int64_t c = begin; c < end; ++c) {
                                    T total = 0;
                                    for (int64_t o = 0; o < l.outer; ++o) {
                                      total +=
                                          rows.sum(x + (o * l.channels + c) * l.inner, l.inner);
                                    }
                                    y[c] = total;
                                  }
                                });
      return absl::OkStatus();
    }
    // Blocks of rows whose number depends on the shape alone, then the sum of the blocks.
    constexpr int64_t kBlockElements = 1 << 15, kMostBlocks = 64;
    const int64_t blocks =
        std::clamp<int64_t>(l.outer * l.channels / kBlockElements, 1, kMostBlocks);
    if (blocks == 1) {
      rows.column_sums(x, l.outer, l.channels, l.channels, y);
      return absl::OkStatus();
    }
    HR_RETURN_IF_ERROR(ctx.Scratch(partial_, kDTypeOf<T>, {blocks, l.channels}));
    T* partial = partial_.data<T>();
    ctx.workers().ParallelChunks(blocks, 1, [&](int64_t begin, int64_t end) {
      for (int64_t b = begin; b < end; ++b) {
        const int64_t first = l.outer * b / blocks, last = l.outer * (b + 1) / blocks;
        rows.column_sums(x + first * l.channels, last - first, l.channels, l.channels,
                         partial + b * l.channels);
      }
    });
    rows.column_sums(partial, blocks, l.channels, l.channels, y);
    return absl::OkStatus();
  }

  bool channels_first_;
  Tensor partial_;
};

}  // namespace

StatusOr<std::unique_ptr<Kernel>> MakeBiasAddCpu(const KernelInit& init) {
  return std::make_unique<BiasAddKernel>(init);
}
StatusOr<std::unique_ptr<Kernel>> MakeBiasAddGradCpu(const KernelInit& init) {
  return std::make_unique<BiasAddGradKernel>(init);
}

}  // namespace headrace
