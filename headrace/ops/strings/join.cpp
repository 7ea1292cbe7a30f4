#include "headrace/ops/strings/join.h"

#include <algorithm>

#include "headrace/base/strings.h"
#include "headrace/graph/op_def.h"
#include "headrace/graph/shape_context.h"
#include "headrace/ops/strings/join_kernels.h"

namespace headrace {
namespace {

Status StringJoinShape(ShapeContext& c) {
  PartialShape shape = {};
  bool scalars = true;
  for (int i = 0; i < c.num_inputs(); ++i) {
    const PartialShape& input = c.input(i);
    if (!input.has_rank()) {
      if (scalars) shape = PartialShape();
      scalars = false;
    } else if (input.rank() > 0) {
      HR_ASSIGN_OR_RETURN(shape, scalars ? input : shape.MergedWith(input));
      scalars = false;
    }
  }
  return c.SetOutput(0, scalars ? PartialShape::OfRank(0) : shape);
}

Status ReduceJoinShape(ShapeContext& c) {
  const PartialShape& text = c.input(0);
  const bool keep = c.attrs().Get<bool>("keep_dims");
  if (!text.has_rank()) return c.SetOutput(0, PartialShape());
  const auto axes = c.InputAsInts(1);
  if (!axes.has_value()) {
    return c.SetOutput(0, keep ? PartialShape::OfRank(text.rank()) : PartialShape());
  }
  std::vector<bool> joined(text.rank(), false);
  for (int64_t axis : *axes) {
    if (axis < -text.rank() || axis >= text.rank()) {
      return InvalidArgument("Invalid reduction dimension ", axis, " for input with ", text.rank(),
                             " dimensions.");
    }
    joined[axis < 0 ? axis + text.rank() : axis] = true;
  }
  PartialShape out = PartialShape::OfRank(0);
  for (int i = 0; i < text.rank(); ++i) {
    if (!joined[i]) {
      out.Append(text[i]);
    } else if (keep) {
      out.Append(1);
    }
  }
  return c.SetOutput(0, out);
}

Status UnsortedSegmentJoinShape(ShapeContext& c) {
  const PartialShape &text = c.input(0), &ids = c.input(1);
  HR_RETURN_IF_ERROR(c.CheckScalar(2));
  if (!text.has_rank() || !ids.has_rank()) return c.SetOutput(0, PartialShape());
  const PartialShape outer(text.dims().first(std::min(text.rank(), ids.rank())));
  HR_RETURN_IF_ERROR(outer.MergedWith(ids).status());
  if (const int rank = 1 + text.rank() - ids.rank(); rank > kMaxRank)
    return InvalidArgument("a tensor may have at most ", kMaxRank, " dimensions, got ", rank);
  const auto count = c.InputAsInts(2);
  PartialShape out{count.has_value() && count->front() >= 0 ? count->front()
                                                            : PartialShape::kUnknown};
  for (int i = ids.rank(); i < text.rank(); ++i) out.Append(text[i]);
  return c.SetOutput(0, out);
}

Status SplitShape(ShapeContext& c) {
  HR_RETURN_IF_ERROR(c.WithRank(0, 1).status());
  HR_RETURN_IF_ERROR(c.CheckScalar(1));
  HR_RETURN_IF_ERROR(c.SetOutput(0, {-1, 2}));
  HR_RETURN_IF_ERROR(c.SetOutput(1, {-1}));
  return c.SetOutput(2, {2});
}

StringPieces Pieces(Node* node) {
  if (node == nullptr) return {};
  return {node->output(0), node->output(1), node->output(2)};
}

}  // namespace

Output StringJoin(std::span<const Output> inputs, StringJoinOptions o, Location where) {
  return NodeBuilder("StringJoin", o.name, where)
      .Inputs(inputs)
      .Attr("separator", o.separator)
      .Build();
}
Output ReduceJoin(Output text, Output axes, ReduceJoinOptions o, Location where) {
  return NodeBuilder("ReduceJoin", o.name, where)
      .Input(text)
      .Input(axes)
      .Attr("keep_dims", o.keep_dims)
      .Attr("separator", o.separator)
      .Build();
}
Output UnsortedSegmentJoin(Output text, Output segment_ids, Output num_segments,
                           StringJoinOptions o, Location where) {
  return NodeBuilder("UnsortedSegmentJoin", o.name, where)
      .Input(text)
      .Input(segment_ids)
      .Input(num_segments)
      .Attr("separator", o.separator)
      .Build();
}
StringPieces StringSplit(Output text, Output delimiter, StringSplitOptions o, Location where) {
  return Pieces(NodeBuilder("StringSplit", o.name, where)
                    .Input(text)
                    .Input(delimiter)
                    .Attr("skip_empty", o.skip_empty)
                    .BuildNode());
}
StringPieces StringSplitV2(Output text, Output separator, StringSplitV2Options o, Location where) {
  return Pieces(NodeBuilder("StringSplitV2", o.name, where)
                    .Input(text)
                    .Input(separator)
                    .Attr("maxsplit", o.maxsplit)
                    .BuildNode());
}

void DefineStringJoin(OpRegistry& ops) {
  ops.Define("StringJoin")
      .Attr({.name = "N", .kind = AttrKind::kInt, .minimum = 1})
      .Attr("separator", "")
      .InputList("inputs", "string", "N")
      .Output("output", "string")
      .Shape(StringJoinShape)
      .NoGradient()
      .Cpu({.make = MakeStringJoinCpu})
      .Doc("Strings joined element by element.");
  ops.Define("ReduceJoin")
      .Attr("keep_dims", false)
      .Attr("separator", "")
      .Input("inputs", "string")
      .Input("reduction_indices", "int32")
      .Output("output", "string")
      .Shape(ReduceJoinShape)
      .NoGradient()
      .Cpu({.make = MakeReduceJoinCpu})
      .Doc("Strings joined along axes.");
  ops.Define("UnsortedSegmentJoin")
      .Attr("separator", "")
      .TypeAttr("Tindices", kIndexTypes)
      .TypeAttr("Tnumsegments", kIndexTypes, DType::kInt32)
      .Input("inputs", "string")
      .Input("segment_ids", "Tindices")
      .Input("num_segments", "Tnumsegments")
      .Output("output", "string")
      .Shape(UnsortedSegmentJoinShape)
      .Cpu({.make = MakeUnsortedSegmentJoinCpu})
      .Doc("Strings joined by segments.");
  ops.Define("StringSplit")
      .Attr("skip_empty", true)
      .Input("input", "string")
      .Input("delimiter", "string")
      .Output("indices", "int64")
      .Output("values", "string")
      .Output("shape", "int64")
      .Shape(SplitShape)
      .NoGradient()
      .Cpu({.make = MakeStringSplitCpu})
      .Doc("Pieces of strings between delimiters, as a sparse matrix.");
  ops.Define("StringSplitV2")
      .Attr("maxsplit", int64_t{-1})
      .Input("input", "string")
      .Input("sep", "string")
      .Output("indices", "int64")
      .Output("values", "string")
      .Output("shape", "int64")
      .Shape(SplitShape)
      .Cpu({.make = MakeStringSplitV2Cpu})
      .Doc("Pieces of strings as Python splits them, as a sparse matrix.");
}

}  // namespace headrace
