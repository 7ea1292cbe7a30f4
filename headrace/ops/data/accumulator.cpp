#include "headrace/ops/data/accumulator.h"

#include "headrace/base/strings.h"
#include "headrace/graph/op_def.h"
#include "headrace/graph/shape_context.h"
#include "headrace/kernel/kernel.h"
#include "headrace/ops/data/accumulator_kernels.h"
#include "headrace/ops/data/named_resource.h"
#include "headrace/ops/math/type_sets.h"
#include "headrace/ops/state/ref_op.h"

namespace headrace {
namespace {

constexpr DTypeSet kSummedTypes{DType::kFloat16, DType::kFloat32, DType::kFloat64};

Status HandleShape(ShapeContext& c) {
  return c.SetOutput(0, {2});
}

PartialShape StatedShape(const ShapeContext& c) {
  const Node* maker = HandleMaker(c.node(), 0);
  return maker == nullptr ? PartialShape()
                          : maker->attrs().GetOr<PartialShape>("shape", PartialShape());
}

Status ApplyShape(ShapeContext& c) {
  return c.CheckScalar(1);
}

// TensorFlow knows no shape here; what the accumulator states holds of every gradient it takes.
Status TakeShape(ShapeContext& c) {
  HR_RETURN_IF_ERROR(c.CheckScalar(1));
  return c.SetOutput(0, StatedShape(c));
}

Status SparseTakeShape(ShapeContext& c) {
  HR_RETURN_IF_ERROR(c.CheckScalar(1));
  PartialShape values = StatedShape(c);
  const int rank = values.rank();
  if (rank > 0) values.set_dim(0, PartialShape::kUnknown);
  HR_RETURN_IF_ERROR(c.SetOutput(0, PartialShape{PartialShape::kUnknown}));
  HR_RETURN_IF_ERROR(c.SetOutput(1, rank > 0 ? values : PartialShape()));
  return c.SetOutput(2, rank > 0 ? PartialShape{rank} : PartialShape::OfRank(1));
}

Output Make(Graph& g, std::string_view op, std::string_view name, DType dtype,
            const AccumulatorNodeOptions& o, Location where) {
  return NodeBuilder(g, op, o.name.empty() ? name : o.name, where)
      .Attr("dtype", dtype)
      .Attr("shape", o.shape)
      .Attr("reduction_type", o.reduction_type)
      .Attr("container", o.container)
      .Attr("shared_name", o.shared_name)
      .Build();
}

// The op's name in the form that goes with the handle.
std::string OpFor(std::string_view op, Output handle) {
  return handle.valid() && IsRef(handle.dtype()) ? std::string(op) : StrCat("Resource", op);
}

// A ref is colocated with, a resource handle is not.
Output RefOnly(Output handle) {
  return handle.valid() && IsRef(handle.dtype()) ? handle : Output();
}

NodeBuilder Use(std::string_view op, Output accumulator, std::string_view name, Location where) {
  NodeBuilder builder(op, name.empty() ? op : name, where);
  builder.Input(accumulator);
  return builder;
}

}  // namespace

Output ConditionalAccumulator(Graph& g, DType dtype, AccumulatorNodeOptions o, Location where) {
  return Make(g, "ResourceConditionalAccumulator", "ConditionalAccumulator", dtype, o, where);
}
Output SparseConditionalAccumulator(Graph& g, DType dtype, AccumulatorNodeOptions o,
                                    Location where) {
  return Make(g, "SparseConditionalAccumulator", "SparseConditionalAccumulator", dtype, o, where);
}

Node* AccumulatorApplyGradient(Output accumulator, Output local_step, Output gradient, OpOptions o,
                               Location where) {
  const RefColocation with_accumulator{RefOnly(accumulator)};
  return Use(OpFor("AccumulatorApplyGradient", accumulator), accumulator, o.name, where)
      .Input(local_step)
      .Input(gradient)
      .BuildNode();
}
Node* SparseAccumulatorApplyGradient(Output accumulator, Output local_step, Output indices,
                                     Output values, Output shape, SparseApplyOptions o,
                                     Location where) {
  const RefColocation with_accumulator{RefOnly(accumulator)};
  return Use("SparseAccumulatorApplyGradient", accumulator, o.name, where)
      .Input(local_step)
      .Input(indices)
      .Input(values)
      .Input(shape)
      .Attr("has_known_shape", o.has_known_shape)
      .BuildNode();
}

Output AccumulatorTakeGradient(Output accumulator, Output num_required, DType dtype, OpOptions o,
                               Location where) {
  const RefColocation with_accumulator{RefOnly(accumulator)};
  return Use(OpFor("AccumulatorTakeGradient", accumulator), accumulator, o.name, where)
      .Input(num_required)
      .Attr("dtype", dtype)
      .Build();
}
SparseGradientOutputs SparseAccumulatorTakeGradient(Output accumulator, Output num_required,
                                                    DType dtype, OpOptions o, Location where) {
  const RefColocation with_accumulator{RefOnly(accumulator)};
  Node* node = Use("SparseAccumulatorTakeGradient", accumulator, o.name, where)
                   .Input(num_required)
                   .Attr("dtype", dtype)
                   .BuildNode();
  if (node == nullptr) return {};
  return {node->output(0), node->output(1), node->output(2)};
}

Output AccumulatorNumAccumulated(Output accumulator, OpOptions o, Location where) {
  const RefColocation with_accumulator{RefOnly(accumulator)};
  return Use(OpFor("AccumulatorNumAccumulated", accumulator), accumulator, o.name, where).Build();
}
Node* AccumulatorSetGlobalStep(Output accumulator, Output step, OpOptions o, Location where) {
  const RefColocation with_accumulator{RefOnly(accumulator)};
  return Use(OpFor("AccumulatorSetGlobalStep", accumulator), accumulator, o.name, where)
      .Input(step)
      .BuildNode();
}

void DefineAccumulator(OpRegistry& ops) {
  const auto make = [&ops](const char* name, bool resource, const char* doc) {
    OpDef& def = ops.Define(name)
                     .TypeAttr("dtype", kAttrNumberTypes)
                     .Attr("shape", AttrKind::kShape)
                     .Attr("container", "")
                     .Attr("shared_name", "")
                     .StringAttr("reduction_type", {"MEAN", "SUM"}, "MEAN");
    resource ? def.Output("handle", "resource") : def.RefOutput("handle", "string");
    def.Shape(resource ? ScalarShape : HandleShape).NoGradient().Stateful();
    def.Cpu({.types = {{"dtype", kSummedTypes}}, .make = MakeAccumulatorCpu}).Doc(doc);
  };
  make("ConditionalAccumulator", false, "Adds up gradients until enough are there.");
  make("ResourceConditionalAccumulator", true, "Adds up gradients until enough are there.");
  make("SparseConditionalAccumulator", false,
       "Adds up gradients that are slices until enough are there.");

  const auto use = [&ops](std::string_view name, bool resource, auto fill) {
    OpDef& def = ops.Define(resource ? StrCat("Resource", name) : std::string(name));
    resource ? def.Input("handle", "resource") : def.RefInput("handle", "string");
    fill(def);
    def.NoGradient();
    if (resource) def.Stateful();  // a ref input says so already
  };
  for (const bool resource : {false, true}) {
    use("AccumulatorApplyGradient", resource, [](OpDef& def) {
      def.TypeAttr("dtype", kAttrNumberTypes)
          .Input("local_step", "int64")
          .Input("gradient", "dtype")
          .Shape(ApplyShape);
      def.Cpu({.types = {{"dtype", kSummedTypes}}, .make = MakeApplyGradientCpu})
          .Doc("Adds a gradient, unless it is stale.");
    });
    use("AccumulatorTakeGradient", resource, [](OpDef& def) {
      def.TypeAttr("dtype", kAttrNumberTypes)
          .Input("num_required", "int32")
          .Output("average", "dtype")
          .Shape(TakeShape);
      def.Blocking().Cpu({.types = {{"dtype", kSummedTypes}}, .make = MakeTakeGradientCpu});
      def.Doc("What the gradients add up to, when enough are there.");
    });
    use("AccumulatorNumAccumulated", resource, [](OpDef& def) {
      def.Output("num_accumulated", "int32")
          .Shape(ScalarShape)
          .Cpu({.make = MakeNumAccumulatedCpu});
      def.Doc("Gradients since the last take.");
    });
    use("AccumulatorSetGlobalStep", resource, [](OpDef& def) {
      def.Input("new_global_step", "int64").Shape(ApplyShape).Cpu({.make = MakeSetGlobalStepCpu});
      def.Doc("Sets the step below which gradients are stale.");
    });
  }
  use("SparseAccumulatorApplyGradient", false, [](OpDef& def) {
    def.TypeAttr("dtype", kAttrNumberTypes)
        .Attr("has_known_shape", AttrKind::kBool)
        .Input("local_step", "int64");
    def.Input("gradient_indices", "int64")
        .Input("gradient_values", "dtype")
        .Input("gradient_shape", "int64")
        .Shape(ApplyShape);
    def.Cpu({.types = {{"dtype", kSummedTypes}}, .make = MakeApplyGradientCpu})
        .Doc("Adds slices, unless they are stale.");
  });
  use("SparseAccumulatorTakeGradient", false, [](OpDef& def) {
    def.TypeAttr("dtype", kAttrNumberTypes).Input("num_required", "int32").Output("indices", "int64");
    def.Output("values", "dtype").Output("shape", "int64").Shape(SparseTakeShape);
    def.Blocking().Cpu({.types = {{"dtype", kSummedTypes}}, .make = MakeTakeGradientCpu});
    def.Doc("What slices add up to, when enough are there.");
  });
}

}  // namespace headrace
