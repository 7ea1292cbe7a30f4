#include "headrace/ops/image/decode.h"

#include "headrace/base/strings.h"
#include "headrace/graph/op_def.h"
#include "headrace/graph/shape_context.h"
#include "headrace/ops/image/decode_kernels.h"

namespace headrace {
namespace {

constexpr int64_t kUnknown = PartialShape::kUnknown;

StatusOr<int64_t> Channels(ShapeContext& c) {
  const int64_t channels = c.attrs().Get<int64_t>("channels");
  if (channels < 0) return InvalidArgument("channels must be non-negative, got ", channels);
  return channels == 0 ? kUnknown : channels;
}

Status ImageShape(ShapeContext& c) {
  HR_RETURN_IF_ERROR(c.CheckScalar(0));
  HR_ASSIGN_OR_RETURN(const int64_t channels, Channels(c));
  return c.SetOutput(0, {kUnknown, kUnknown, channels});
}

Status CroppedShape(ShapeContext& c) {
  HR_RETURN_IF_ERROR(c.CheckScalar(0));
  HR_ASSIGN_OR_RETURN(const int64_t channels, Channels(c));
  HR_ASSIGN_OR_RETURN(const PartialShape window, c.WithRank(1, 1));
  HR_RETURN_IF_ERROR(c.CheckEqualDims(window[0], 4, "the length of crop_window", "4"));
  const std::optional<std::vector<int64_t>> values = c.InputAsInts(1);
  if (!values || (*values)[2] < 0 || (*values)[3] < 0)
    return c.SetOutput(0, {kUnknown, kUnknown, channels});
  return c.SetOutput(0, {(*values)[2], (*values)[3], channels});
}

Status JpegShapeShape(ShapeContext& c) {
  HR_RETURN_IF_ERROR(c.CheckScalar(0));
  return c.SetOutput(0, {3});
}

Status FramesShape(ShapeContext& c) {
  HR_RETURN_IF_ERROR(c.CheckScalar(0));
  return c.SetOutput(0, {kUnknown, kUnknown, kUnknown, 3});
}

OpDef& JpegAttrs(OpDef& op) {
  return op.Attr("channels", int64_t{0})
      .Attr("ratio", int64_t{1})
      .Attr("fancy_upscaling", true)
      .Attr("try_recover_truncated", false)
      .Attr("acceptable_fraction", 1.0f)
      .Attr("dct_method", "")
      .Input("contents", "string");
}

NodeBuilder& WithJpegAttrs(NodeBuilder& node, const DecodeJpegOptions& o) {
  return node.Attr("channels", o.channels)
      .Attr("ratio", o.ratio)
      .Attr("fancy_upscaling", o.fancy_upscaling)
      .Attr("try_recover_truncated", o.try_recover_truncated)
      .Attr("acceptable_fraction", o.acceptable_fraction)
      .Attr("dct_method", o.dct_method);
}

}  // namespace

Output DecodeJpeg(Output contents, DecodeJpegOptions o, Location where) {
  NodeBuilder node("DecodeJpeg", o.name, where);
  return WithJpegAttrs(node.Input(contents), o).Build();
}
Output DecodeAndCropJpeg(Output contents, Output crop_window, DecodeJpegOptions o, Location where) {
  NodeBuilder node("DecodeAndCropJpeg", o.name, where);
  return WithJpegAttrs(node.Input(contents).Input(crop_window), o).Build();
}
Output ExtractJpegShape(Output contents, ExtractJpegShapeOptions o, Location where) {
  return NodeBuilder("ExtractJpegShape", o.name, where)
      .Input(contents)
      .Attr("output_type", o.output_type)
      .Build();
}
Output DecodePng(Output contents, DecodePngOptions o, Location where) {
  return NodeBuilder("DecodePng", o.name, where)
      .Input(contents)
      .Attr("channels", o.channels)
      .Attr("dtype", o.dtype)
      .Build();
}
Output DecodeGif(Output contents, OpOptions o, Location where) {
  return NodeBuilder("DecodeGif", o.name, where).Input(contents).Build();
}
Output DecodeBmp(Output contents, DecodeBmpOptions o, Location where) {
  return NodeBuilder("DecodeBmp", o.name, where)
      .Input(contents)
      .Attr("channels", o.channels)
      .Build();
}

void DefineDecodeImage(OpRegistry& ops) {
  JpegAttrs(ops.Define("DecodeJpeg"))
      .Output("image", "uint8")
      .Shape(ImageShape)
      .NoGradient()
      .Cpu({.make = MakeDecodeJpegCpu})
      .Doc("Pixels of a JPEG file.");
  JpegAttrs(ops.Define("DecodeAndCropJpeg"))
      .Input("crop_window", "int32")
      .Output("image", "uint8")
      .Shape(CroppedShape)
      .NoGradient()
      .Cpu({.make = MakeDecodeAndCropJpegCpu})
      .Doc("Pixels of a part of a JPEG file.");
  ops.Define("ExtractJpegShape")
      .TypeAttr("output_type", DTypeSet{DType::kInt32, DType::kInt64}, DType::kInt32)
      .Input("contents", "string")
      .Output("image_shape", "output_type")
      .Shape(JpegShapeShape)
      .NoGradient()
      .Cpu({.make = MakeExtractJpegShapeCpu})
      .Doc("Height, width and channels that a JPEG file states.");
  ops.Define("DecodePng")
      .Attr("channels", int64_t{0})
      .TypeAttr("dtype", DTypeSet{DType::kUInt8, DType::kUInt16}, DType::kUInt8)
      .Input("contents", "string")
      .Output("image", "dtype")
      .Shape(ImageShape)
      .NoGradient()
      .Cpu({.make = MakeDecodePngCpu})
      .Doc("Pixels of a PNG file.");
  ops.Define("DecodeGif")
      .Input("contents", "string")
      .Output("image", "uint8")
      .Shape(FramesShape)
      .NoGradient()
      .Cpu({.make = MakeDecodeGifCpu})
      .Doc("Frames of a GIF file.");
  ops.Define("DecodeBmp")
      .Attr("channels", int64_t{0})
      .Input("contents", "string")
      .Output("image", "uint8")
      .Shape(ImageShape)
      .NoGradient()
      .Cpu({.make = MakeDecodeBmpCpu})
      .Doc("Pixels of a BMP file.");
}

}  // namespace headrace
