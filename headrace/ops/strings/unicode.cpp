#include "headrace/ops/strings/unicode.h"

#include "headrace/base/strings.h"
#include "headrace/graph/op_def.h"
#include "headrace/graph/shape_context.h"
#include "headrace/ops/array/device_types.h"
#include "headrace/ops/strings/unicode_kernels.h"
#include "headrace/ops/strings/unicode_text.h"

namespace headrace {
namespace {

Status DecodeShape(ShapeContext& c) {
  const PartialShape& text = c.input(0);
  const bool known = text.is_fully_known();
  HR_RETURN_IF_ERROR(
      c.SetOutput(0, {known ? text.ToShape().num_elements() + 1 : PartialShape::kUnknown}));
  for (int i = 1; i < c.num_outputs(); ++i)
    HR_RETURN_IF_ERROR(c.SetOutput(i, {PartialShape::kUnknown}));
  return absl::OkStatus();
}

Status EncodeShape(ShapeContext& c) {
  HR_RETURN_IF_ERROR(c.WithRank(0, 1).status());
  HR_ASSIGN_OR_RETURN(const PartialShape splits, c.WithRank(1, 1));
  if (splits[0] == 0)
    return InvalidArgument(
        "Negative dimension size caused by subtracting 1 from 0, the length of input_splits");
  return c.SetOutput(0, {splits[0] < 0 ? PartialShape::kUnknown : splits[0] - 1});
}

DecodedText Decode(const char* op, Output text, std::string_view encoding, const UnicodeOptions& o,
                   Location where) {
  const Output first = NodeBuilder(op, o.name, where)
                           .Input(text)
                           .Attr("input_encoding", std::string(encoding))
                           .Attr("errors", o.errors)
                           .Attr("replacement_char", o.replacement_char)
                           .Attr("replace_control_characters", o.replace_control_characters)
                           .Attr("Tsplits", o.splits_type)
                           .Build();
  if (!first.valid()) return {};
  Node* node = first.node;
  return {first, node->output(1), node->num_outputs() > 2 ? node->output(2) : Output()};
}

OpDef& WithErrors(OpDef& op) {
  return op.StringAttr("errors", {"strict", "replace", "ignore"}, "replace")
      .Attr("replacement_char", int64_t{kReplacementCharacter});
}

OpDef& DefineDecode(OpRegistry& ops, const char* name) {
  return WithErrors(ops.Define(name).Attr({.name = "input_encoding", .kind = AttrKind::kString}))
      .Attr("replace_control_characters", false)
      .TypeAttr("Tsplits", kIndexTypes, DType::kInt64)
      .Input("input", "string")
      .Output("row_splits", "Tsplits")
      .Output("char_values", "int32");
}

}  // namespace

DecodedText UnicodeDecode(Output text, std::string_view input_encoding, UnicodeOptions o,
                          Location where) {
  return Decode("UnicodeDecode", text, input_encoding, o, where);
}
DecodedText UnicodeDecodeWithOffsets(Output text, std::string_view input_encoding, UnicodeOptions o,
                                     Location where) {
  return Decode("UnicodeDecodeWithOffsets", text, input_encoding, o, where);
}
Output UnicodeEncode(Output values, Output splits, std::string_view output_encoding,
                     UnicodeOptions o, Location where) {
  return NodeBuilder("UnicodeEncode", o.name, where)
      .Input(values)
      .Input(splits)
      .Attr("errors", o.errors)
      .Attr("output_encoding", std::string(output_encoding))
      .Attr("replacement_char", o.replacement_char)
      .Build();
}
Output UnicodeTranscode(Output text, std::string_view input_encoding,
                        std::string_view output_encoding, UnicodeOptions o, Location where) {
  return NodeBuilder("UnicodeTranscode", o.name, where)
      .Input(text)
      .Attr("input_encoding", std::string(input_encoding))
      .Attr("output_encoding", std::string(output_encoding))
      .Attr("errors", o.errors)
      .Attr("replacement_char", o.replacement_char)
      .Attr("replace_control_characters", o.replace_control_characters)
      .Build();
}
Output UnicodeScript(Output codes, OpOptions o, Location where) {
  return NodeBuilder("UnicodeScript", o.name, where).Input(codes).Build();
}

void DefineUnicode(OpRegistry& ops) {
  const std::vector<std::string> output_encodings = {"UTF-8", "UTF-16-BE", "UTF-32-BE"};
  DefineDecode(ops, "UnicodeDecode")
      .Shape(DecodeShape)
      .NoGradient()
      .Cpu({.make = MakeUnicodeDecodeCpu})
      .Doc("The characters of each text.");
  DefineDecode(ops, "UnicodeDecodeWithOffsets")
      .Output("char_to_byte_starts", "int64")
      .Shape(DecodeShape)
      .NoGradient()
      .Cpu({.make = MakeUnicodeDecodeCpu})
      .Doc("The characters of each text, and where they begin.");
  WithErrors(ops.Define("UnicodeEncode"))
      .StringAttr("output_encoding", output_encodings)
      .TypeAttr("Tsplits", kIndexTypes, DType::kInt64)
      .Input("input_values", "int32")
      .Input("input_splits", "Tsplits")
      .Output("output", "string")
      .Shape(EncodeShape)
      .NoGradient()
      .Cpu({.make = MakeUnicodeEncodeCpu})
      .Doc("Texts made of characters.");
  WithErrors(ops.Define("UnicodeTranscode")
                 .Attr({.name = "input_encoding", .kind = AttrKind::kString})
                 .StringAttr("output_encoding", output_encodings))
      .Attr("replace_control_characters", false)
      .Input("input", "string")
      .Output("output", "string")
      .Shape(SameShapeAsInput)
      .NoGradient()
      .Cpu({.make = MakeUnicodeTranscodeCpu})
      .Doc("Text in another encoding.");
  ops.Define("UnicodeScript")
      .Input("input", "int32")
      .Output("output", "int32")
      .Shape(SameShapeAsInput)
      .NoGradient()
      .Cpu({.make = MakeUnicodeScriptCpu})
      .Doc("The script of each character, by ICU's numbers.");
}

}  // namespace headrace
