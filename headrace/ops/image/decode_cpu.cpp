#include <cstring>

#include "headrace/base/strings.h"
#include "headrace/io/bmp.h"
#include "headrace/io/gif.h"
#include "headrace/io/jpeg.h"
#include "headrace/io/png.h"
#include "headrace/ops/image/decode_kernels.h"

namespace headrace {
namespace {

StatusOr<const std::string*> Contents(KernelContext& ctx) {
  const Tensor& contents = ctx.input(0);
  if (contents.rank() == 0) return &contents.scalar<std::string>();
  return InvalidArgument("contents must be scalar, got shape ", contents.shape().ToString());
}

Tensor WithShape(const Tensor& image, const Shape& shape) {
  return image.Reshaped(shape);
}

// What DecodeJpeg, DecodePng and DecodeGif share: each reads the files of all three.
struct Decoding {
  JpegDecodeOptions jpeg;
  int channels = 0;
  DType dtype = DType::kUInt8;
  bool frames = false;  // one image is a sequence of one
};

class DecodeKernel final : public Kernel {
 public:
  explicit DecodeKernel(Decoding how) : how_(std::move(how)) {}

  Status Compute(KernelContext& ctx) override {
    HR_ASSIGN_OR_RETURN(const std::string* bytes, Contents(ctx));
    HR_ASSIGN_OR_RETURN(Tensor image, Decode(*bytes));
    const Shape& shape = image.shape();
    if (how_.frames && shape.rank() == 3)
      image = WithShape(image, {1, shape[0], shape[1], shape[2]});
    ctx.SetOutput(0, std::move(image));
    return absl::OkStatus();
  }

 private:
  StatusOr<Tensor> Decode(std::string_view bytes) const {
    if (bytes.starts_with("GIF8")) return Gif(bytes);
    if (bytes.starts_with("\xff\xd8\xff")) return Jpeg(bytes);
    if (bytes.starts_with("\x89PNG\r\n\x1a\n")) return Png(bytes);
    return InvalidArgument("Expected image (JPEG, PNG, or GIF), got unknown format starting with '",
                           EscapeC(bytes.substr(0, 16)), "'");
  }

  Status BytesOnly(std::string_view format) const {
    if (how_.dtype == DType::kUInt8) return absl::OkStatus();
    return InvalidArgument("a ", format, " image is uint8, dtype is ", DTypeName(how_.dtype));
  }

  StatusOr<Tensor> Jpeg(std::string_view bytes) const {
    if (how_.channels == 4)
      return InvalidArgument("channels must be 0, 1, or 3 for JPEG, got ", how_.channels);
    HR_RETURN_IF_ERROR(BytesOnly("JPEG"));
    return DecodeJpeg(bytes, how_.jpeg);
  }

  StatusOr<Tensor> Png(std::string_view bytes) const {
    StatusOr<Tensor> image = DecodePng(bytes, how_.channels, how_.dtype);
    if (image.ok() || !absl::IsInvalidArgument(image.status())) return image;
    return InvalidArgument("Invalid PNG data, size ", bytes.size(), ": ", Message(image.status()));
  }

  StatusOr<Tensor> Gif(std::string_view bytes) const {
    if (how_.channels != 0 && how_.channels != 3)
      return InvalidArgument("channels must be 0 or 3 for GIF, got ", how_.channels);
    HR_RETURN_IF_ERROR(BytesOnly("GIF"));
    HR_ASSIGN_OR_RETURN(Tensor frames, DecodeGif(bytes));
    const Shape& shape = frames.shape();
    if (how_.frames) return frames;
    if (shape[0] == 1) return WithShape(frames, {shape[1], shape[2], shape[3]});
    return InvalidArgument("Got ", shape[0],
                           " frames, but animated gifs can only be decoded by tf.image.decode_gif "
                           "or tf.image.decode_image");
  }

  const Decoding how_;
};

class CropKernel final : public Kernel {
 public:
  explicit CropKernel(JpegDecodeOptions options) : options_(std::move(options)) {}

  Status Compute(KernelContext& ctx) override {
    HR_ASSIGN_OR_RETURN(const std::string* bytes, Contents(ctx));
    const Tensor& window = ctx.input(1);
    if (window.rank() != 1)
      return InvalidArgument("crop_window must be 1-D, got shape ", window.shape().ToString());
    if (window.num_elements() != 4)
      return InvalidArgument("crop_size must have four elements ", window.shape().ToString());
    const int32_t* w = window.data<int32_t>();
    options_.crop = ImageWindow{.y = w[0], .x = w[1], .height = w[2], .width = w[3]};
    HR_ASSIGN_OR_RETURN(const Tensor image, DecodeJpeg(*bytes, options_));
    HR_ASSIGN_OR_RETURN(Tensor * out, ctx.Output(0, image.shape()));
    std::memcpy(out->raw_data(), image.raw_data(), image.size_bytes());
    return absl::OkStatus();
  }

 private:
  JpegDecodeOptions options_;
};

template <class T>
Status JpegShape(KernelContext& ctx) {
  HR_ASSIGN_OR_RETURN(const std::string* bytes, Contents(ctx));
  HR_ASSIGN_OR_RETURN(const Shape shape, ReadJpegShape(*bytes));
  HR_ASSIGN_OR_RETURN(Tensor * out, ctx.Output(0, {3}));
  for (int i = 0; i < 3; ++i) out->data<T>()[i] = static_cast<T>(shape[i]);
  return absl::OkStatus();
}

class BmpKernel final : public Kernel {
 public:
  explicit BmpKernel(int64_t channels) : channels_(static_cast<int>(channels)) {}

  Status Compute(KernelContext& ctx) override {
    HR_ASSIGN_OR_RETURN(const std::string* bytes, Contents(ctx));
    HR_ASSIGN_OR_RETURN(Tensor image, DecodeBmp(*bytes, channels_));
    ctx.SetOutput(0, std::move(image));
    return absl::OkStatus();
  }

 private:
  const int channels_;
};

StatusOr<int> Channels(const KernelInit& init) {
  const int64_t channels = init.Attr<int64_t>("channels");
  if (channels == 0 || channels == 1 || channels == 3 || channels == 4)
    return static_cast<int>(channels);
  return InvalidArgument("channels must be 0, 1, 3, or 4, got ", channels);
}

StatusOr<JpegDecodeOptions> JpegOptions(const KernelInit& init) {
  HR_ASSIGN_OR_RETURN(const int channels, Channels(init));
  const int64_t ratio = init.Attr<int64_t>("ratio");
  if (ratio != 1 && ratio != 2 && ratio != 4 && ratio != 8)
    return InvalidArgument("ratio must be 1, 2, 4, or 8, got ", ratio);
  const std::string& method = init.Attr<std::string>("dct_method");
  if (!method.empty() && method != "INTEGER_FAST" && method != "INTEGER_ACCURATE") {
    return InvalidArgument(
        "dct_method must be one of {'', 'INTEGER_FAST', 'INTEGER_ACCURATE'}, got '", method, "'");
  }
  return JpegDecodeOptions{.channels = channels,
                           .ratio = static_cast<int>(ratio),
                           .fancy_upscaling = init.Attr<bool>("fancy_upscaling"),
                           .try_recover_truncated = init.Attr<bool>("try_recover_truncated"),
                           .acceptable_fraction = init.Attr<float>("acceptable_fraction"),
                           .transform = method == "INTEGER_ACCURATE"
                                            ? JpegTransform::kIntegerAccurate
                                            : JpegTransform::kIntegerFast};
}

}  // namespace

StatusOr<std::unique_ptr<Kernel>> MakeDecodeJpegCpu(const KernelInit& init) {
  HR_ASSIGN_OR_RETURN(JpegDecodeOptions options, JpegOptions(init));
  const int channels = options.channels;
  return std::make_unique<DecodeKernel>(Decoding{.jpeg = std::move(options), .channels = channels});
}
StatusOr<std::unique_ptr<Kernel>> MakeDecodeAndCropJpegCpu(const KernelInit& init) {
  HR_ASSIGN_OR_RETURN(JpegDecodeOptions options, JpegOptions(init));
  return std::make_unique<CropKernel>(std::move(options));
}
StatusOr<std::unique_ptr<Kernel>> MakeExtractJpegShapeCpu(const KernelInit& init) {
  return init.output_type(0) == DType::kInt32 ? MakeFunctionKernel<JpegShape<int32_t>>(init)
                                              : MakeFunctionKernel<JpegShape<int64_t>>(init);
}
StatusOr<std::unique_ptr<Kernel>> MakeDecodePngCpu(const KernelInit& init) {
  HR_ASSIGN_OR_RETURN(const int channels, Channels(init));
  return std::make_unique<DecodeKernel>(
      Decoding{.jpeg = {.channels = channels}, .channels = channels, .dtype = init.output_type(0)});
}
StatusOr<std::unique_ptr<Kernel>> MakeDecodeGifCpu(const KernelInit&) {
  return std::make_unique<DecodeKernel>(
      Decoding{.jpeg = {.channels = 3}, .channels = 3, .frames = true});
}
StatusOr<std::unique_ptr<Kernel>> MakeDecodeBmpCpu(const KernelInit& init) {
  return std::make_unique<BmpKernel>(init.Attr<int64_t>("channels"));
}

}  // namespace headrace
