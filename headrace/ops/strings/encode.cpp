#include "headrace/ops/strings/encode.h"

#include "headrace/graph/op_def.h"
#include "headrace/graph/shape_context.h"
#include "headrace/ops/array/device_types.h"
#include "headrace/ops/strings/encode_kernels.h"

namespace headrace {
namespace {

Status ParseTensorShape(ShapeContext& c) {
  HR_RETURN_IF_ERROR(c.CheckScalar(0));
  return c.SetOutput(0, PartialShape());
}

}  // namespace

Output EncodeBase64(Output bytes, EncodeBase64Options o, Location where) {
  return NodeBuilder("EncodeBase64", o.name, where).Input(bytes).Attr("pad", o.pad).Build();
}
Output DecodeBase64(Output text, OpOptions o, Location where) {
  return NodeBuilder("DecodeBase64", o.name, where).Input(text).Build();
}
Output DecodeCompressed(Output bytes, std::string_view compression_type, OpOptions o,
                        Location where) {
  return NodeBuilder("DecodeCompressed", o.name, where)
      .Input(bytes)
      .Attr("compression_type", std::string(compression_type))
      .Build();
}
Output SerializeTensor(Output x, OpOptions o, Location where) {
  return NodeBuilder("SerializeTensor", o.name, where).Input(x).Build();
}
Output ParseTensor(Output serialized, DType out_type, OpOptions o, Location where) {
  return NodeBuilder("ParseTensor", o.name, where)
      .Input(serialized)
      .Attr("out_type", out_type)
      .Build();
}

void DefineEncode(OpRegistry& ops) {
  ops.Define("EncodeBase64")
      .Attr("pad", false)
      .Input("input", "string")
      .Output("output", "string")
      .Shape(SameShapeAsInput)
      .NoGradient()
      .Cpu({.make = MakeEncodeBase64Cpu})
      .Doc("Bytes as base64 text.");
  ops.Define("DecodeBase64")
      .Input("input", "string")
      .Output("output", "string")
      .Shape(SameShapeAsInput)
      .NoGradient()
      .Cpu({.make = MakeDecodeBase64Cpu})
      .Doc("Bytes that base64 text stands for.");
  ops.Define("DecodeCompressed")
      .Attr("compression_type", "")
      .Input("bytes", "string")
      .Output("output", "string")
      .Shape(SameShapeAsInput)
      .Cpu({.make = MakeDecodeCompressedCpu})
      .Doc("Bytes before they were compressed.");
  ops.Define("SerializeTensor")
      .TypeAttr("T", kAllTypes)
      .Input("tensor", "T")
      .Output("serialized", "string")
      .Shape(ScalarShape)
      .NoGradient()
      .Cpu({.types = {{"T", (kCommonNumberTypes |
                             DTypeSet{DType::kBool, DType::kString, DType::kResource})}},
            .make = MakeSerializeTensorCpu})
      .Doc("A tensor as the bytes of a message.");
  ops.Define("ParseTensor")
      .TypeAttr("out_type", kAllTypes)
      .Input("serialized", "string")
      .Output("output", "out_type")
      .Shape(ParseTensorShape)
      .NoGradient()
      .Cpu({.make = MakeParseTensorCpu})
      .Doc("A tensor from the bytes of a message.");
}

}  // namespace headrace
