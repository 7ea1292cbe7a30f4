#include "headrace/base/strings.h"
#include "headrace/io/proto/event.pb.h"
#include "headrace/io/proto_convert.h"
#include "headrace/io/summary_builder.h"
#include "headrace/io/utf8.h"
#include "headrace/ops/summary/summary_kernels.h"
#include "headrace/tensor/dispatch.h"

namespace headrace {
namespace {

Status SetSummary(KernelContext& ctx, std::string serialized) {
  HR_ASSIGN_OR_RETURN(Tensor * summary, ctx.Output(0, Shape()));
  *summary->data<std::string>() = std::move(serialized);
  return absl::OkStatus();
}

StatusOr<std::string_view> Tag(const KernelContext& ctx) {
  if (ctx.input(0).num_elements() != 1) {
    return InvalidArgument("tag must be one string, got shape ", ctx.input(0).shape().ToString());
  }
  return *ctx.input(0).data<std::string>();
}

Status ScalarSummary(KernelContext& ctx) {
  const Tensor& tags = ctx.input(0);
  const Tensor& values = ctx.input(1);
  if (tags.shape() != values.shape()) {
    return InvalidArgument(
        "tags and values not the same shape: ", tags.shape().ToString(),
        " != ", values.shape().ToString(),
        tags.num_elements() == 1 ? StrCat(" (tag '", *tags.data<std::string>(), "')") : "");
  }
  SummaryBuilder summary;
  DispatchDType<kRealTypes>(values.dtype(), [&]<class T>() {
    for (int64_t i = 0; i < values.num_elements(); ++i) {
      summary.AddScalar(tags.data<std::string>()[i], static_cast<float>(values.data<T>()[i]));
    }
  });
  return SetSummary(ctx, summary.Serialize());
}

Status HistogramSummary(KernelContext& ctx) {
  HR_ASSIGN_OR_RETURN(const std::string_view tag, Tag(ctx));
  SummaryBuilder summary;
  HR_RETURN_IF_ERROR(summary.AddHistogram(tag, ctx.input(1)));
  return SetSummary(ctx, summary.Serialize());
}

class ImageSummaryKernel final : public Kernel {
 public:
  explicit ImageSummaryKernel(SummaryBuilder::ImageOptions options) : options_(options) {}
  Status Compute(KernelContext& ctx) override {
    HR_ASSIGN_OR_RETURN(const std::string_view tag, Tag(ctx));
    SummaryBuilder summary;
    HR_RETURN_IF_ERROR(summary.AddImages(tag, ctx.input(1), options_));
    return SetSummary(ctx, summary.Serialize());
  }

 private:
  const SummaryBuilder::ImageOptions options_;
};

class AudioSummaryKernel final : public Kernel {
 public:
  explicit AudioSummaryKernel(SummaryBuilder::AudioOptions options) : options_(options) {}
  Status Compute(KernelContext& ctx) override {
    HR_ASSIGN_OR_RETURN(const std::string_view tag, Tag(ctx));
    SummaryBuilder::AudioOptions options = options_;
    if (ctx.num_inputs() == 3) {
      if (ctx.input(2).num_elements() != 1) return InvalidArgument("sample_rate must be a scalar");
      options.sample_rate = *ctx.input(2).data<float>();
    }
    SummaryBuilder summary;
    HR_RETURN_IF_ERROR(summary.AddAudio(tag, ctx.input(1), options));
    return SetSummary(ctx, summary.Serialize());
  }

 private:
  const SummaryBuilder::AudioOptions options_;
};

Status TensorSummary(KernelContext& ctx) {
  HR_ASSIGN_OR_RETURN(const std::string_view tag, Tag(ctx));
  proto::Summary summary;
  proto::Summary::Value& value = *summary.add_value();
  value.set_tag(ValidUtf8(tag));
  if (ctx.input(2).num_elements() != 1)
    return InvalidArgument("serialized_summary_metadata must be one string");
  HR_RETURN_IF_ERROR(
      ParseBinary(*ctx.input(2).data<std::string>(), "summary metadata", value.mutable_metadata()));
  HR_RETURN_IF_ERROR(TensorToProto(ctx.input(1), value.mutable_tensor()));
  HR_ASSIGN_OR_RETURN(std::string bytes, SerializeBinary(summary));
  return SetSummary(ctx, std::move(bytes));
}

Status MergeSummary(KernelContext& ctx) {
  SummaryBuilder merged;
  for (int i = 0; i < ctx.num_inputs(); ++i) {
    for (const std::string& part : ctx.input(i).flat<std::string>())
      HR_RETURN_IF_ERROR(merged.Merge(part));
  }
  return SetSummary(ctx, merged.Serialize());
}

}  // namespace

StatusOr<std::unique_ptr<Kernel>> MakeScalarSummaryCpu(const KernelInit& init) {
  return MakeFunctionKernel<ScalarSummary>(init);
}
StatusOr<std::unique_ptr<Kernel>> MakeHistogramSummaryCpu(const KernelInit& init) {
  return MakeFunctionKernel<HistogramSummary>(init);
}
StatusOr<std::unique_ptr<Kernel>> MakeImageSummaryCpu(const KernelInit& init) {
  SummaryBuilder::ImageOptions options{.max_images =
                                           static_cast<int>(init.Attr<int64_t>("max_images"))};
  const Tensor& color = init.Attr<Tensor>("bad_color");
  if (color.dtype() != DType::kUInt8 || color.num_elements() > 4) {
    return InvalidArgument("bad_color must be at most 4 uint8 values, got ", color.ToString());
  }
  for (int64_t i = 0; i < color.num_elements(); ++i)
    options.bad_color[static_cast<size_t>(i)] = color.data<uint8_t>()[i];
  return std::make_unique<ImageSummaryKernel>(options);
}
StatusOr<std::unique_ptr<Kernel>> MakeAudioSummaryCpu(const KernelInit& init) {
  SummaryBuilder::AudioOptions options{.max_outputs =
                                           static_cast<int>(init.Attr<int64_t>("max_outputs"))};
  if (init.node().op_name() == "AudioSummary")
    options.sample_rate = init.Attr<float>("sample_rate");
  return std::make_unique<AudioSummaryKernel>(options);
}
StatusOr<std::unique_ptr<Kernel>> MakeTensorSummaryCpu(const KernelInit& init) {
  return MakeFunctionKernel<TensorSummary>(init);
}
StatusOr<std::unique_ptr<Kernel>> MakeMergeSummaryCpu(const KernelInit& init) {
  return MakeFunctionKernel<MergeSummary>(init);
}

}  // namespace headrace
