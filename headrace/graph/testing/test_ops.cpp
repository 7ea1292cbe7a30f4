#include "headrace/graph/testing/test_ops.h"

#include "headrace/base/strings.h"
#include "headrace/graph/gradients.h"
#include "headrace/graph/shape_context.h"

namespace headrace::testing {
namespace {

Status ConstShape(ShapeContext& c) {
  return c.SetOutput(0, c.attrs().Get<Tensor>("value").shape());
}
Status AttrShape(ShapeContext& c) {
  return c.SetOutput(0, c.attrs().Get<PartialShape>("shape"));
}
Status VectorOfRank(ShapeContext& c) {
  if (!c.input(0).has_rank()) return c.SetOutput(0, PartialShape::OfRank(1));
  return c.SetOutput(0, {c.input(0).rank()});
}
Status ReshapeShape(ShapeContext& c) {
  HR_ASSIGN_OR_RETURN(PartialShape shape, c.InputAsShape(1, /*allow_unknown=*/true));
  return c.SetOutput(0, shape);
}
Status FillShape(ShapeContext& c) {
  HR_ASSIGN_OR_RETURN(PartialShape shape, c.InputAsShape(0));
  return c.SetOutput(0, shape);
}
Status PackShape(ShapeContext& c) {
  if (c.input(0).rank() != 0) return NoShape(c);
  return c.SetOutput(0, {c.num_inputs()});
}
Status MatMulShape(ShapeContext& c) {
  HR_ASSIGN_OR_RETURN(PartialShape a, c.WithRank(0, 2));
  HR_ASSIGN_OR_RETURN(PartialShape b, c.WithRank(1, 2));
  HR_RETURN_IF_ERROR(c.CheckEqualDims(a[1], b[0], "columns of a", "rows of b"));
  return c.SetOutput(0, {a[0], b[1]});
}
Status AlwaysFine(const Node&) {
  return absl::OkStatus();
}
Status NeverFine(const Node&) {
  return InvalidArgument("only NHWC");
}

Status PassGradient(GradContext& c) {
  for (int i = 0; i < c.num_inputs(); ++i) c.Set(i, c.grad());
  return absl::OkStatus();
}
Status MulGradient(GradContext& c) {
  c.Set(0, MakeOp(c.graph(), "Mul", {c.grad(), c.input(1)}));
  c.Set(1, MakeOp(c.graph(), "Mul", {c.input(0), c.grad()}));
  return absl::OkStatus();
}
// Rows of the gradient, without a look at their shape.
Status GatherGradient(GradContext& c) {
  const Output shape = MakeOp(c.graph(), "Shape", {c.input(0)});
  c.Set(0, IndexedSlices{.values = c.grad(), .indices = c.input(1), .dense_shape = shape});
  return absl::OkStatus();
}
Status SplitGradient(GradContext& c) {
  std::vector<Output> parts;
  for (int i = 0; i < c.num_outputs(); ++i) parts.push_back(c.grad(i));
  parts.push_back(c.input(0));
  c.Set(1, MakeOp(c.graph(), "ConcatV2", parts, "concat"));
  return absl::OkStatus();
}
Status FailingGradient(GradContext&) {
  return InvalidArgument("nobody knows");
}
Status GatherShape(ShapeContext& c) {
  if (c.input(0).rank() != 2 || c.input(1).rank() != 1) return NoShape(c);
  return c.SetOutput(0, {c.input(1)[0], c.input(0)[1]});
}

void DefineGradientOps(OpRegistry& ops) {
  ops.Define("AddN")
      .TypeAttr("T", kNumberTypes)
      .Attr({.name = "N", .kind = AttrKind::kInt, .minimum = 1})
      .InputList("inputs", "T", "N")
      .Output("sum", "T")
      .Shape(MergedInputShape);
  ops.Define("ZerosLike")
      .TypeAttr("T", kAllTypes)
      .Input("x", "T")
      .Output("y", "T")
      .Shape(SameShapeAsInput);
  ops.Define("StopGradient")
      .TypeAttr("T", kAllTypes)
      .Input("input", "T")
      .Output("output", "T")
      .Shape(SameShapeAsInput)
      .NoGradient();
  ops.Define("UnsortedSegmentSum")
      .TypeAttr("T", kNumberTypes)
      .TypeAttr("Tindices", kIndexTypes)
      .TypeAttr("Tnumsegments", kIndexTypes, DType::kInt32)
      .Input("data", "T")
      .Input("segment_ids", "Tindices")
      .Input("num_segments", "Tnumsegments")
      .Output("output", "T")
      .Shape(NoShape);
  ops.Define("Gather")
      .TypeAttr("Tparams", kAllTypes)
      .TypeAttr("Tindices", kIndexTypes)
      .Input("params", "Tparams")
      .Input("indices", "Tindices")
      .Output("output", "Tparams")
      .Shape(GatherShape)
      .Gradient(GatherGradient);
  ops.Define("ArgMax")
      .TypeAttr("T", kNumberTypes)
      .Input("input", "T")
      .Output("output", "int64")
      .Shape(NoShape);
  ops.Define("Fails")
      .TypeAttr("T", kNumberTypes)
      .Input("input", "T")
      .Output("output", "T")
      .Gradient(FailingGradient);
}

void DefineArrays(OpRegistry& ops) {
  ops.Define("Const")
      .TypeAttr("dtype", kAllTypes)
      .Attr("value", AttrKind::kTensor)
      .Output("output", "dtype")
      .Shape(ConstShape);
  ops.Define("Placeholder")
      .TypeAttr("dtype", kAllTypes)
      .Attr("shape", PartialShape())
      .Output("output", "dtype")
      .Shape(AttrShape);
  ops.Define("Identity")
      .TypeAttr("T", kAllTypes)
      .Input("input", "T")
      .Output("output", "T")
      .Shape(SameShapeAsInput)
      .Gradient(PassGradient);
  ops.Define("Shape")
      .TypeAttr("T", kAllTypes)
      .TypeAttr("out_type", kIndexTypes, DType::kInt32)
      .Input("input", "T")
      .Output("output", "out_type")
      .Shape(VectorOfRank);
  ops.Define("Rank")
      .TypeAttr("T", kAllTypes)
      .Input("input", "T")
      .Output("output", "int32")
      .Shape(ScalarShape);
  ops.Define("Size")
      .TypeAttr("T", kAllTypes)
      .TypeAttr("out_type", kIndexTypes, DType::kInt32)
      .Input("input", "T")
      .Output("output", "out_type")
      .Shape(ScalarShape);
  ops.Define("Pack")
      .TypeAttr("T", kAllTypes)
      .Attr({.name = "N", .kind = AttrKind::kInt, .minimum = 1})
      .Attr("axis", 0)
      .InputList("values", "T", "N")
      .Output("output", "T")
      .Shape(PackShape);
  ops.Define("ConcatV2")
      .TypeAttr("T", kAllTypes)
      .TypeAttr("Tidx", kIndexTypes, DType::kInt32)
      .Attr({.name = "N", .kind = AttrKind::kInt, .minimum = 2})
      .InputList("values", "T", "N")
      .Input("axis", "Tidx")
      .Output("output", "T")
      .Shape(NoShape);
  ops.Define("StridedSlice")
      .TypeAttr("T", kAllTypes)
      .TypeAttr("Index", kIndexTypes)
      .Attr("begin_mask", 0)
      .Attr("end_mask", 0)
      .Attr("ellipsis_mask", 0)
      .Attr("new_axis_mask", 0)
      .Attr("shrink_axis_mask", 0)
      .Input("input", "T")
      .Input("begin", "Index")
      .Input("end", "Index")
      .Input("strides", "Index")
      .Output("output", "T")
      .Shape(NoShape);
  ops.Define("Slice")
      .TypeAttr("T", kAllTypes)
      .TypeAttr("Index", kIndexTypes)
      .Input("input", "T")
      .Input("begin", "Index")
      .Input("size", "Index")
      .Output("output", "T")
      .Shape(NoShape);
  ops.Define("Reshape")
      .TypeAttr("T", kAllTypes)
      .TypeAttr("Tshape", kIndexTypes, DType::kInt32)
      .Input("tensor", "T")
      .Input("shape", "Tshape")
      .Output("output", "T")
      .Shape(ReshapeShape);
  ops.Define("Fill")
      .TypeAttr("T", kAllTypes)
      .TypeAttr("index_type", kIndexTypes, DType::kInt32)
      .Input("dims", "index_type")
      .Input("value", "T")
      .Output("output", "T")
      .Shape(FillShape);
  ops.Define("Range")
      .TypeAttr("Tidx", kIndexTypes, DType::kInt32)
      .Input("start", "Tidx")
      .Input("limit", "Tidx")
      .Input("delta", "Tidx")
      .Output("output", "Tidx")
      .Shape(NoShape);
  ops.Define("Cast")
      .TypeAttr("SrcT", kAllTypes)
      .TypeAttr("DstT", kAllTypes)
      .Input("x", "SrcT")
      .Output("y", "DstT")
      .Shape(SameShapeAsInput);
}

void DefineMath(OpRegistry& ops) {
  const std::pair<const char*, GradientFn> kBinary[] = {{"Add", PassGradient},
                                                        {"Sub", nullptr},
                                                        {"Mul", MulGradient},
                                                        {"FloorDiv", nullptr},
                                                        {"Maximum", nullptr}};
  for (const auto& [name, gradient] : kBinary) {
    ops.Define(name)
        .TypeAttr("T", kNumberTypes)
        .Input("x", "T")
        .Input("y", "T")
        .Output("z", "T")
        .Shape(BroadcastShape)
        .Gradient(gradient);
  }
  ops.Define("Relu")
      .TypeAttr("T", kFloatTypes)
      .Input("features", "T")
      .Output("activations", "T")
      .Shape(SameShapeAsInput)
      .Gradient(PassGradient);
  ops.Define("Floor")
      .TypeAttr("T", kFloatTypes)
      .Input("x", "T")
      .Output("y", "T")
      .Shape(SameShapeAsInput)
      .NoGradient();
  ops.Define("MatMul")
      .TypeAttr("T", kNumberTypes)
      .Attr("transpose_a", false)
      .Attr("transpose_b", false)
      .Input("a", "T")
      .Input("b", "T")
      .Output("product", "T")
      .Shape(MatMulShape)
      .Cpu({.types = {{"T", kFloatTypes}}})
      .Gpu({.types = {{"T", DTypeSet(DType::kFloat32, DType::kFloat64)}}, .accepts = AlwaysFine});
  ops.Define("Pool")
      .TypeAttr("T", kFloatTypes)
      .StringAttr("padding", {"SAME", "VALID"})
      .Attr("alpha", 0.5f)
      .Attr({.name = "ksize",
             .kind = AttrKind::kIntList,
             .default_value = AttrValue::Ints{1, 1},
             .minimum = 2})
      .Input("value", "T")
      .Output("output", "T")
      .Gpu({.types = {{"T", DTypeSet(DType::kFloat16)}}})
      .Gpu({.types = {{"T", DTypeSet(DType::kFloat32)}}, .accepts = NeverFine});
}

void DefineState(OpRegistry& ops) {
  ops.Define("VariableV2")
      .TypeAttr("dtype", kAllTypes)
      .Attr("shape", AttrKind::kShape)
      .RefOutput("ref", "dtype")
      .Stateful()
      .Shape(AttrShape);
  ops.Define("Assign")
      .TypeAttr("T", kAllTypes)
      .Attr("use_locking", true)
      .RefInput("ref", "T")
      .Input("value", "T")
      .RefOutput("output_ref", "T")
      .AllowsUninitialized()
      .WritesVariable(0)
      .Shape(MergedInputShape);
  ops.Define("NoOp");
  ops.Define("Split")
      .TypeAttr("T", kAllTypes)
      .Attr({.name = "num_split", .kind = AttrKind::kInt, .minimum = 1})
      .Input("split_dim", "int32")
      .Input("value", "T")
      .OutputList("output", "T", "num_split")
      .Gradient(SplitGradient);
  // Arguments before their attributes, as TensorFlow writes definitions.
  ops.Define("IdentityN")
      .Input("input", "T")
      .Output("output", "T")
      .Attr({.name = "T", .kind = AttrKind::kTypeList, .minimum = 1});
  ops.Define("TwoLists")
      .TypeAttr("T", kAllTypes)
      .Attr("N", AttrKind::kInt)
      .InputList("a", "T", "N")
      .InputList("b", "int32", "N")
      .Output("sum", "T");
  ops.Define("OpenLists")
      .TypeAttr("T", kAllTypes)
      .Attr("N", AttrKind::kInt)
      .Attr("M", AttrKind::kInt)
      .InputList("a", "T", "N")
      .InputList("b", "T", "M")
      .Output("sum", "T");
  ops.Define("Merge")
      .TypeAttr("T", kAllTypes)
      .Attr({.name = "N", .kind = AttrKind::kInt, .minimum = 1})
      .InputList("inputs", "T", "N")
      .Output("output", "T")
      .Output("value_index", "int32")
      .Shape(NoShape);
  ops.Define("NextIteration")
      .TypeAttr("T", kAllTypes)
      .Input("data", "T")
      .Output("output", "T")
      .Shape(SameShapeAsInput);
  ops.Define("Enter")
      .TypeAttr("T", kAllTypes)
      .Attr("frame_name", AttrKind::kString)
      .Attr("is_constant", false)
      .Attr("parallel_iterations", 10)
      .Input("data", "T")
      .Output("output", "T")
      .Shape(SameShapeAsInput);
}

}  // namespace

void DefineTestOps(OpRegistry& ops) {
  DefineArrays(ops);
  DefineMath(ops);
  DefineState(ops);
  DefineGradientOps(ops);
}

OpRegistry& TestOps() {
  static OpRegistry* const ops = [] {
    auto* made = new OpRegistry;
    DefineTestOps(*made);
    return made;
  }();
  return *ops;
}

Output MakeConst(Graph& graph, Tensor value, std::string_view name) {
  const DType type = value.dtype();
  return NodeBuilder(graph, "Const", name, Location::Current())
      .Attr("dtype", type)
      .Attr("value", std::move(value))
      .Build();
}

Output MakePlaceholder(Graph& graph, DType type, PartialShape shape, std::string_view name) {
  return NodeBuilder(graph, "Placeholder", name, Location::Current())
      .Attr("dtype", type)
      .Attr("shape", shape)
      .Build();
}

Output MakeOp(Graph& graph, std::string_view op, std::vector<Output> inputs, std::string_view name,
              AttrMap attrs) {
  NodeBuilder builder(graph, op, name, Location::Current());
  builder.Inputs(inputs);
  for (const auto& [attr, value] : attrs) builder.Attr(attr, value);
  return builder.Build();
}

}  // namespace headrace::testing
