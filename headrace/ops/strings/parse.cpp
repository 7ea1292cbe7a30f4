#include "headrace/ops/strings/parse.h"

#include "headrace/base/strings.h"
#include "headrace/graph/op_def.h"
#include "headrace/graph/shape_context.h"
#include "headrace/ops/strings/parse_kernels.h"

namespace headrace {
namespace {

constexpr DTypeSet kRawTypes{DType::kFloat16, DType::kFloat32,   DType::kFloat64,    DType::kInt32,
                             DType::kUInt16,  DType::kUInt8,     DType::kInt16,      DType::kInt8,
                             DType::kInt64,   DType::kComplex64, DType::kComplex128, DType::kBool};
constexpr DTypeSet kTextNumbers{DType::kFloat32, DType::kFloat64, DType::kInt32, DType::kInt64};

Status DecodeRawShape(ShapeContext& c) {
  PartialShape shape = c.input(0);
  if (!shape.has_rank()) return c.SetOutput(0, shape);
  if (shape.rank() == kMaxRank)
    return InvalidArgument("a tensor may have at most ", kMaxRank, " dimensions");
  shape.Append(PartialShape::kUnknown);
  return c.SetOutput(0, shape);
}

Status DecodePaddedRawShape(ShapeContext& c) {
  HR_RETURN_IF_ERROR(c.CheckScalar(1));
  PartialShape shape = c.input(0);
  if (!shape.has_rank()) return c.SetOutput(0, shape);
  if (shape.rank() == kMaxRank)
    return InvalidArgument("a tensor may have at most ", kMaxRank, " dimensions");
  const Tensor* length = c.input_value(1);
  const int64_t bytes = length != nullptr && length->num_elements() == 1 ? *length->data<int32_t>()
                                                                         : PartialShape::kUnknown;
  shape.Append(bytes > 0 ? bytes / static_cast<int64_t>(SizeOf(c.attrs().Get<DType>("out_type")))
                         : PartialShape::kUnknown);
  return c.SetOutput(0, shape);
}

Status DecodeCSVShape(ShapeContext& c) {
  for (int i = 1; i < c.num_inputs(); ++i) {
    const PartialShape& value = c.input(i);
    if (value.has_rank() && (value.rank() > 1 || (value.rank() == 1 && value[0] > 1))) {
      return InvalidArgument(
          "Shape of a default must be a length-0 or length-1 vector, or a scalar.");
    }
  }
  for (int i = 0; i < c.num_outputs(); ++i) HR_RETURN_IF_ERROR(c.SetOutput(i, c.input(0)));
  return absl::OkStatus();
}

}  // namespace

Output StringToNumber(Output text, DType out_type, OpOptions o, Location where) {
  return NodeBuilder("StringToNumber", o.name, where)
      .Input(text)
      .Attr("out_type", out_type)
      .Build();
}
Output DecodeRaw(Output bytes, DType out_type, DecodeRawOptions o, Location where) {
  return NodeBuilder("DecodeRaw", o.name, where)
      .Input(bytes)
      .Attr("out_type", out_type)
      .Attr("little_endian", o.little_endian)
      .Build();
}
Output DecodePaddedRaw(Output bytes, Output fixed_length, DType out_type, DecodeRawOptions o,
                       Location where) {
  return NodeBuilder("DecodePaddedRaw", o.name, where)
      .Input(bytes)
      .Input(fixed_length)
      .Attr("out_type", out_type)
      .Attr("little_endian", o.little_endian)
      .Build();
}
std::vector<Output> DecodeCSV(Output records, std::span<const Output> defaults, DecodeCSVOptions o,
                              Location where) {
  Node* node = NodeBuilder("DecodeCSV", o.name, where)
                   .Input(records)
                   .Inputs(defaults)
                   .Attr("field_delim", o.field_delim)
                   .Attr("use_quote_delim", o.use_quote_delim)
                   .Attr("na_value", o.na_value)
                   .Attr("select_cols", o.select_cols)
                   .BuildNode();
  std::vector<Output> outputs(defaults.size());
  for (size_t i = 0; node != nullptr && i < outputs.size(); ++i)
    outputs[i] = node->output(static_cast<int>(i));
  return outputs;
}

void DefineParse(OpRegistry& ops) {
  ops.Define("StringToNumber")
      .TypeAttr("out_type", kTextNumbers, DType::kFloat32)
      .Input("string_tensor", "string")
      .Output("output", "out_type")
      .Shape(SameShapeAsInput)
      .NoGradient()
      .Cpu({.make = MakeStringToNumberCpu})
      .Doc("Numbers that strings are.");
  ops.Define("DecodeRaw")
      .TypeAttr("out_type", kRawTypes)
      .Attr("little_endian", true)
      .Input("bytes", "string")
      .Output("output", "out_type")
      .Shape(DecodeRawShape)
      .NoGradient()
      .Cpu({.make = MakeDecodeRawCpu})
      .Doc("Bytes of strings as numbers.");
  ops.Define("DecodePaddedRaw")
      .TypeAttr("out_type", kRawTypes - kComplexTypes - DTypeSet(DType::kBool))
      .Attr("little_endian", true)
      .Input("input_bytes", "string")
      .Input("fixed_length", "int32")
      .Output("output", "out_type")
      .Shape(DecodePaddedRawShape)
      .NoGradient()
      .Cpu({.make = MakeDecodePaddedRawCpu})
      .Doc("Bytes of strings, cut or padded to one length, as numbers.");
  ops.Define("DecodeCSV")
      .Attr({.name = "OUT_TYPE",
             .kind = AttrKind::kTypeList,
             .types = kTextNumbers | DTypeSet(DType::kString),
             .minimum = 1})
      .Attr("field_delim", ",")
      .Attr("use_quote_delim", true)
      .Attr("na_value", "")
      .Attr("select_cols", AttrValue::Ints{})
      .Input("records", "string")
      .Input("record_defaults", "OUT_TYPE")
      .Output("output", "OUT_TYPE")
      .Shape(DecodeCSVShape)
      .Cpu({.make = MakeDecodeCSVCpu})
      .Doc("Columns of lines of comma-separated values.");
}

}  // namespace headrace
