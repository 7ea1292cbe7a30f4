#include "headrace/ops/strings/text.h"

#include "headrace/base/strings.h"
#include "headrace/graph/op_def.h"
#include "headrace/graph/shape_context.h"
#include "headrace/ops/array/device_types.h"
#include "headrace/ops/strings/text_kernels.h"

namespace headrace {
namespace {

constexpr DTypeSet kPrinted{DType::kInt8,      DType::kInt16,      DType::kInt32,
                            DType::kInt64,     DType::kFloat32,    DType::kFloat64,
                            DType::kComplex64, DType::kComplex128, DType::kBool};

Status SubstrShape(ShapeContext& c) {
  const PartialShape &text = c.input(0), &position = c.input(1), &length = c.input(2);
  if (position.has_rank() && length.has_rank() && position.rank() != length.rank()) {
    return InvalidArgument("pos and len must have same rank, got shapes ", position.ToString(),
                           " and ", length.ToString());
  }
  const StatusOr<PartialShape> part = position.MergedWith(length);
  if (!part.ok()) {
    return InvalidArgument("pos and len shapes must match: ", position.ToString(), " vs. ",
                           length.ToString());
  }
  if (!text.has_rank() || !part->has_rank()) return c.SetOutput(0, PartialShape());
  HR_ASSIGN_OR_RETURN(const PartialShape out, BroadcastShapes(text, *part));
  return c.SetOutput(0, out);
}

Status StringFormatShape(ShapeContext& c) {
  HR_RETURN_IF_ERROR(CheckPlaceholders(c.node()));
  return c.SetOutput(0, PartialShape::OfRank(0));
}

}  // namespace

Status CheckPlaceholders(const Node& node) {
  const std::string& text = node.attrs().Get<std::string>("template");
  const std::string& placeholder = node.attrs().Get<std::string>("placeholder");
  int count = 0;
  for (size_t at = text.find(placeholder); !placeholder.empty() && at != std::string::npos;
       at = text.find(placeholder, at + placeholder.size()))
    ++count;
  if (count == node.num_inputs()) return absl::OkStatus();
  return InvalidArgument("num placeholders in template and num inputs must match: ", count, " vs. ",
                         node.num_inputs());
}

Output AsString(Output x, AsStringOptions o, Location where) {
  return NodeBuilder("AsString", o.name, where)
      .Input(x)
      .Attr("precision", o.precision)
      .Attr("scientific", o.scientific)
      .Attr("shortest", o.shortest)
      .Attr("width", o.width)
      .Attr("fill", o.fill)
      .Build();
}
Output StringLength(Output text, StringUnitOptions o, Location where) {
  return NodeBuilder("StringLength", o.name, where).Input(text).Attr("unit", o.unit).Build();
}
Output Substr(Output text, Output position, Output length, StringUnitOptions o, Location where) {
  return NodeBuilder("Substr", o.name, where)
      .Input(text)
      .Input(position)
      .Input(length)
      .Attr("unit", o.unit)
      .Build();
}
Output StringLower(Output text, StringCaseOptions o, Location where) {
  return NodeBuilder("StringLower", o.name, where).Input(text).Attr("encoding", o.encoding).Build();
}
Output StringUpper(Output text, StringCaseOptions o, Location where) {
  return NodeBuilder("StringUpper", o.name, where).Input(text).Attr("encoding", o.encoding).Build();
}
Output StringStrip(Output text, OpOptions o, Location where) {
  return NodeBuilder("StringStrip", o.name, where).Input(text).Build();
}
Output StringFormat(Graph& g, std::string_view text, std::span<const Output> inputs,
                    StringFormatOptions o, Location where) {
  return NodeBuilder(g, "StringFormat", o.name, where)
      .Inputs(inputs)
      .Attr("template", std::string(text))
      .Attr("placeholder", o.placeholder)
      .Attr("summarize", o.summarize)
      .Build();
}

void DefineText(OpRegistry& ops) {
  ops.Define("AsString")
      .TypeAttr("T", kPrinted)
      .Attr("precision", int64_t{-1})
      .Attr("scientific", false)
      .Attr("shortest", false)
      .Attr("width", int64_t{-1})
      .Attr("fill", "")
      .Input("input", "T")
      .Output("output", "string")
      .Shape(SameShapeAsInput)
      .NoGradient()
      .Cpu({.make = MakeAsStringCpu})
      .Doc("Numbers as text.");
  ops.Define("StringLength")
      .StringAttr("unit", {"BYTE", "UTF8_CHAR"}, "BYTE")
      .Input("input", "string")
      .Output("output", "int32")
      .Shape(SameShapeAsInput)
      .Cpu({.make = MakeStringLengthCpu})
      .Doc("How many bytes or characters each text has.");
  ops.Define("Substr")
      .TypeAttr("T", kIndexTypes)
      .StringAttr("unit", {"BYTE", "UTF8_CHAR"}, "BYTE")
      .Input("input", "string")
      .Input("pos", "T")
      .Input("len", "T")
      .Output("output", "string")
      .Shape(SubstrShape)
      .Cpu({.make = MakeSubstrCpu})
      .Doc("Part of each text.");
  struct CaseOp {
    const char* name;
    KernelFactory make;
    const char* doc;
  };
  for (const CaseOp& op : {CaseOp{"StringLower", MakeStringLowerCpu, "Text in lower case."},
                           CaseOp{"StringUpper", MakeStringUpperCpu, "Text in upper case."}}) {
    ops.Define(op.name)
        .Attr("encoding", "")
        .Input("input", "string")
        .Output("output", "string")
        .Shape(SameShapeAsInput)
        .Cpu({.make = op.make})
        .Doc(op.doc);
  }
  ops.Define("StringStrip")
      .Input("input", "string")
      .Output("output", "string")
      .Shape(SameShapeAsInput)
      .Cpu({.make = MakeStringStripCpu})
      .Doc("Text without white space at its ends.");
  ops.Define("StringFormat")
      .Attr({.name = "T", .kind = AttrKind::kTypeList, .minimum = 0})
      .Attr("template", "%s")
      .Attr("placeholder", "%s")
      .Attr("summarize", int64_t{3})
      .Input("inputs", "T")
      .Output("output", "string")
      .Shape(StringFormatShape)
      .Cpu({.make = MakeStringFormatCpu})
      .Doc("Text with tensors in it.");
}

}  // namespace headrace
