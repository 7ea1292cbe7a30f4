#include "headrace/ops/array/check.h"

#include <algorithm>

#include "headrace/base/strings.h"
#include "headrace/graph/grad_context.h"
#include "headrace/graph/op_def.h"
#include "headrace/graph/shape_context.h"
#include "headrace/ops/array/check_kernels.h"
#include "headrace/ops/array/device_types.h"

namespace headrace {
namespace {

Status CheckNumericsGradient(GradContext& c) {
  c.Set(0,
        CheckNumerics(c.grad(),
                      StrCat("Not a number (NaN) or infinity (Inf) values detected in gradient. ",
                             c.attrs().Get<std::string>("message")),
                      {}, c.where()));
  return absl::OkStatus();
}

// The data are only looked at.
Status PrintGradient(GradContext& c) {
  c.Set(0, c.grad());
  return absl::OkStatus();
}

Status PrintV2Accepts(const Node& node) {
  const std::string& stream = node.attrs().Get<std::string>("output_stream");
  static constexpr std::string_view kStreams[] = {"stdout", "stderr", "log(info)", "log(warning)",
                                                  "log(error)"};
  if (stream.starts_with("file://") || std::ranges::find(kStreams, stream) != std::end(kStreams)) {
    return absl::OkStatus();
  }
  return InvalidArgument("Unknown output stream: ", stream,
                         ", it should be one of stdout, stderr, log(info), log(warning), "
                         "log(error), file://PATH");
}

}  // namespace

Output CheckNumerics(Output x, std::string message, OpOptions o, Location where) {
  return NodeBuilder("CheckNumerics", o.name, where)
      .Input(x)
      .Attr("message", std::move(message))
      .Build();
}

Node* Assert(Output condition, std::span<const Output> data, AssertOptions o, Location where) {
  return NodeBuilder("Assert", o.name, where)
      .Input(condition)
      .Inputs(data)
      .Attr("summarize", o.summarize)
      .BuildNode();
}

Output Print(Output x, std::span<const Output> data, PrintOptions o, Location where) {
  return NodeBuilder("Print", o.name, where)
      .Input(x)
      .Inputs(data)
      .Attr("message", o.message)
      .Attr("first_n", o.first_n)
      .Attr("summarize", o.summarize)
      .Build();
}

Node* PrintV2(Output text, PrintV2Options o, Location where) {
  return NodeBuilder("PrintV2", o.name, where)
      .Input(text)
      .Attr("output_stream", o.output_stream)
      .Attr("end", o.end)
      .BuildNode();
}

void DefineCheck(OpRegistry& ops) {
  ops.Define("CheckNumerics")
      .TypeAttr("T", kFloatTypes)
      .Attr("message", AttrKind::kString)
      .Input("tensor", "T")
      .Output("output", "T")
      .Shape(SameShapeAsInput)
      .Gradient(CheckNumericsGradient)
      .Stateful()
      .Forwards(0, 0)
      .Cpu({.make = MakeCheckNumericsCpu})
      .Gpu({.types = {{"T", kGpuFloatTypes}}})
      .Doc("Its input, if all of it is finite.");
  ops.Define("Assert")
      .Attr(AttrDef{.name = "T", .kind = AttrKind::kTypeList, .minimum = 1})
      .Attr("summarize", int64_t{3})
      .Input("condition", "bool")
      .Input("data", "T")
      .Shape(NoShape)
      .NoGradient()
      .Stateful()
      .Cpu({.make = MakeAssertCpu})
      .Gpu({.host_args = {"condition", "data"}})
      .Doc("Fails the step when a condition is false.");
  ops.Define("Print")
      .TypeAttr("T", kAllTypes)
      .Attr(AttrDef{.name = "U", .kind = AttrKind::kTypeList, .minimum = 0})
      .Attr("message", "")
      .Attr("first_n", int64_t{-1})
      .Attr("summarize", int64_t{3})
      .Input("input", "T")
      .Input("data", "U")
      .Output("output", "T")
      .Shape(SameShapeAsInput)
      .Gradient(PrintGradient)
      .Stateful()
      .Forwards(0, 0)
      .Cpu({.make = MakePrintCpu})
      .Doc("Its input; prints data.");
  ops.Define("PrintV2")
      .Attr("output_stream", "stderr")
      .Attr("end", "\n")
      .Input("input", "string")
      .Shape(NoShape)
      .NoGradient()
      .Stateful()
      .Cpu({.make = MakePrintV2Cpu, .accepts = PrintV2Accepts})
      .Doc("Prints a string.");
}

}  // namespace headrace
