#include "headrace/base/strings.h"
#include "headrace/io/jpeg.h"
#include "headrace/io/png.h"
#include "headrace/ops/image/encode_kernels.h"

namespace headrace {
namespace {

Status SetBytes(KernelContext& ctx, std::string_view format, StatusOr<std::string> bytes) {
  if (!bytes.ok()) return InvalidArgument(format, " encoding failed: ", Message(bytes.status()));
  HR_ASSIGN_OR_RETURN(Tensor * out, ctx.Output(0, {}));
  *out->data<std::string>() = *std::move(bytes);
  return absl::OkStatus();
}

// `channels`: what the image must have, 0: any that a JPEG may have.
Status CheckJpegImage(const Tensor& image, int64_t channels) {
  if (image.rank() != 3) {
    return InvalidArgument("image must be 3-dimensional ", image.shape().ToString());
  }
  if (channels != 0 && image.shape()[2] != channels) {
    return InvalidArgument("format ", channels == 1 ? "grayscale" : "rgb", " expects ", channels,
                           " channels, got ", image.shape().ToString());
  }
  if (image.shape()[2] != 1 && image.shape()[2] != 3)
    return InvalidArgument("image must have 1 or 3 channels, got ", image.shape().ToString());
  return absl::OkStatus();
}

class EncodeJpegKernel final : public Kernel {
 public:
  EncodeJpegKernel(JpegEncodeOptions options, int64_t channels)
      : options_(std::move(options)), channels_(channels) {}

  Status Compute(KernelContext& ctx) override {
    HR_RETURN_IF_ERROR(CheckJpegImage(ctx.input(0), channels_));
    return SetBytes(ctx, "JPEG", EncodeJpeg(ctx.input(0), options_));
  }

 private:
  const JpegEncodeOptions options_;
  const int64_t channels_;
};

Status EncodeWithQuality(KernelContext& ctx) {
  HR_RETURN_IF_ERROR(CheckJpegImage(ctx.input(0), 0));
  const Tensor& quality = ctx.input(1);
  if (quality.rank() != 0)
    return InvalidArgument("quality must be scalar, got shape ", quality.shape().ToString());
  return SetBytes(ctx, "JPEG", EncodeJpeg(ctx.input(0), {.quality = quality.scalar<int32_t>()}));
}

class EncodePngKernel final : public Kernel {
 public:
  explicit EncodePngKernel(int compression) : compression_(compression) {}

  Status Compute(KernelContext& ctx) override {
    const Tensor& image = ctx.input(0);
    if (image.rank() != 3)
      return InvalidArgument("image must be 3-dimensional ", image.shape().ToString());
    if (image.shape()[2] < 1 || image.shape()[2] > 4) {
      return InvalidArgument("image must have 1, 2, 3, or 4 channels, got ", image.shape()[2]);
    }
    return SetBytes(ctx, "PNG", EncodePng(image, compression_));
  }

 private:
  const int compression_;
};

}  // namespace

StatusOr<std::unique_ptr<Kernel>> MakeEncodeJpegCpu(const KernelInit& init) {
  const std::string& format = init.Attr<std::string>("format");
  const int64_t quality = init.Attr<int64_t>("quality");
  if (quality < 0 || quality > 100)
    return InvalidArgument("quality must be in [0,100], got ", quality);
  for (const char* density : {"x_density", "y_density"}) {
    const int64_t value = init.Attr<int64_t>(density);
    if (value < 0 || value > UINT16_MAX)
      return InvalidArgument(density, " must be in [0,65535], got ", value);
  }
  return std::make_unique<EncodeJpegKernel>(
      JpegEncodeOptions{.quality = static_cast<int>(quality),
                        .progressive = init.Attr<bool>("progressive"),
                        .optimize_size = init.Attr<bool>("optimize_size"),
                        .chroma_downsampling = init.Attr<bool>("chroma_downsampling"),
                        .density_per_centimetre = init.Attr<std::string>("density_unit") == "cm",
                        .x_density = static_cast<int>(init.Attr<int64_t>("x_density")),
                        .y_density = static_cast<int>(init.Attr<int64_t>("y_density")),
                        .xmp_metadata = init.Attr<std::string>("xmp_metadata")},
      format == "grayscale" ? 1
      : format == "rgb"     ? 3
                            : 0);
}
StatusOr<std::unique_ptr<Kernel>> MakeEncodeJpegVariableQualityCpu(const KernelInit& init) {
  return MakeFunctionKernel<EncodeWithQuality>(init);
}
StatusOr<std::unique_ptr<Kernel>> MakeEncodePngCpu(const KernelInit& init) {
  const int64_t compression = init.Attr<int64_t>("compression");
  if (compression < -1 || compression > 9)
    return InvalidArgument("compression should be in [-1,9], got ", compression);
  return std::make_unique<EncodePngKernel>(static_cast<int>(compression));
}

}  // namespace headrace
