#include "headrace/ops/image/encode.h"

#include "headrace/graph/op_def.h"
#include "headrace/graph/shape_context.h"
#include "headrace/ops/image/encode_kernels.h"

namespace headrace {
namespace {

Status EncodedShape(ShapeContext& c) {
  HR_RETURN_IF_ERROR(c.WithRank(0, 3).status());
  return c.SetOutput(0, PartialShape{});
}

Status VariableQualityShape(ShapeContext& c) {
  HR_RETURN_IF_ERROR(c.CheckScalar(1));
  return EncodedShape(c);
}

}  // namespace

Output EncodeJpeg(Output image, EncodeJpegOptions o, Location where) {
  return NodeBuilder("EncodeJpeg", o.name, where)
      .Input(image)
      .Attr("format", o.format)
      .Attr("quality", o.quality)
      .Attr("progressive", o.progressive)
      .Attr("optimize_size", o.optimize_size)
      .Attr("chroma_downsampling", o.chroma_downsampling)
      .Attr("density_unit", o.density_unit)
      .Attr("x_density", o.x_density)
      .Attr("y_density", o.y_density)
      .Attr("xmp_metadata", o.xmp_metadata)
      .Build();
}
Output EncodeJpegVariableQuality(Output image, Output quality, OpOptions o, Location where) {
  return NodeBuilder("EncodeJpegVariableQuality", o.name, where)
      .Input(image)
      .Input(quality)
      .Build();
}
Output EncodePng(Output image, EncodePngOptions o, Location where) {
  return NodeBuilder("EncodePng", o.name, where)
      .Input(image)
      .Attr("compression", o.compression)
      .Build();
}

void DefineEncodeImage(OpRegistry& ops) {
  ops.Define("EncodeJpeg")
      .StringAttr("format", {"", "grayscale", "rgb"})
      .Attr("quality", int64_t{95})
      .Attr("progressive", false)
      .Attr("optimize_size", false)
      .Attr("chroma_downsampling", true)
      .StringAttr("density_unit", {"in", "cm"}, "in")
      .Attr("x_density", int64_t{300})
      .Attr("y_density", int64_t{300})
      .Attr("xmp_metadata", "")
      .Input("image", "uint8")
      .Output("contents", "string")
      .Shape(EncodedShape)
      .NoGradient()
      .Cpu({.make = MakeEncodeJpegCpu})
      .Doc("An image as a JPEG file.");
  ops.Define("EncodeJpegVariableQuality")
      .Input("images", "uint8")
      .Input("quality", "int32")
      .Output("contents", "string")
      .Shape(VariableQualityShape)
      .NoGradient()
      .Cpu({.make = MakeEncodeJpegVariableQualityCpu})
      .Doc("An image as a JPEG file of a quality that the graph computes.");
  ops.Define("EncodePng")
      .Attr("compression", int64_t{-1})
      .TypeAttr("T", DTypeSet{DType::kUInt8, DType::kUInt16}, DType::kUInt8)
      .Input("image", "T")
      .Output("contents", "string")
      .Shape(EncodedShape)
      .NoGradient()
      .Cpu({.make = MakeEncodePngCpu})
      .Doc("An image as a PNG file.");
}

}  // namespace headrace
