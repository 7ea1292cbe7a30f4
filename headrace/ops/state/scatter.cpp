#include "headrace/ops/state/scatter.h"

#include "headrace/base/strings.h"
#include "headrace/graph/op_def.h"
#include "headrace/graph/shape_context.h"
#include "headrace/ops/array/device_types.h"
#include "headrace/ops/state/ref_op.h"
#include "headrace/ops/state/resource_variable.h"
#include "headrace/ops/state/scatter_kernels.h"
#include "headrace/ops/state/variable_input.h"

namespace headrace {
namespace {

Status ScatterShape(ShapeContext& c) {
  const PartialShape ref = VariableShapeOf(c, 0);
  const PartialShape& indices = c.input(1);
  const PartialShape& updates = c.input(2);
  if (c.num_outputs() > 0) {
    HR_RETURN_IF_ERROR(c.SetOutput(0, ref));
  } else {
    HR_RETURN_IF_ERROR(CheckHandleType(c, 0, c.node().input_type(2)));
  }
  if (!ref.has_rank() || !indices.has_rank() || !updates.has_rank() || updates.rank() == 0)
    return absl::OkStatus();
  bool fits = ref.rank() >= 1 && updates.rank() == indices.rank() + ref.rank() - 1;
  for (int i = 0; fits && i < updates.rank(); ++i) {
    const int64_t wanted = i < indices.rank() ? indices[i] : ref[i - indices.rank() + 1];
    fits = wanted < 0 || updates[i] < 0 || wanted == updates[i];
  }
  if (!fits) {
    return InvalidArgument(
        "Must have updates.shape = indices.shape + params.shape[1:] or updates.shape = [], got "
        "updates.shape ",
        updates.ToString(), ", indices.shape ", indices.ToString(), ", params.shape ",
        ref.ToString());
  }
  return absl::OkStatus();
}

Output Scatter(std::string_view op, Output ref, Output indices, Output updates,
               const UpdateOptions& o, Location where) {
  const RefColocation with_variable{ref};
  return NodeBuilder(op, o.name, where)
      .Input(ref)
      .Input(indices)
      .Input(updates)
      .Attr("use_locking", o.use_locking)
      .Build();
}

Status ResourceScatterNdShape(ShapeContext& c) {
  return CheckHandleType(c, 0, c.node().input_type(2));
}

Status ResourceCountUpToShape(ShapeContext& c) {
  const DType type = c.attrs().Get<DType>("T");
  const HandleInfo handle = HandleOf(c.node().input(0));
  if (handle.dtype != DType::kInvalid && handle.dtype != type) {
    return InvalidArgument("Data types do not match: ", CppTypeName(type), " and ",
                           CppTypeName(handle.dtype));
  }
  return c.SetOutput(0, PartialShape::OfRank(0));
}

struct ScatterOp {
  const char* name;
  DTypeSet types;
  bool locking;
};

void DefineOne(OpRegistry& ops, const ScatterOp& op, DTypeSet cpu, KernelFactory make,
               const char* doc) {
  ops.Define(op.name)
      .TypeAttr("T", op.types)
      .TypeAttr("Tindices", kIndexTypes)
      .Attr("use_locking", op.locking)
      .RefInput("ref", "T")
      .Input("indices", "Tindices")
      .Input("updates", "T")
      .RefOutput("output_ref", "T")
      .Shape(make == MakeScatterCpu ? ScatterShape : SameShapeAsInput)
      .NoGradient()
      .WritesVariable(0)
      .Cpu({.types = {{"T", op.types & cpu}}, .make = make})
      .Gpu({.types = {{"T", kGpuFloatTypes}}})
      .Doc(doc);
}

void DefineResourceScatter(OpRegistry& ops, const char* name, DTypeSet declared, DTypeSet cpu,
                           DTypeSet gpu, const char* doc) {
  ops.Define(name)
      .TypeAttr("dtype", declared)
      .TypeAttr("Tindices", kIndexTypes)
      .Input("resource", "resource")
      .Input("indices", "Tindices")
      .Input("updates", "dtype")
      .Shape(ScatterShape)
      .Stateful()
      .WritesVariable(0)
      .Cpu({.types = {{"dtype", cpu}}, .make = MakeScatterCpu})
      .Gpu({.types = {{"dtype", gpu}}, .host_args = {"resource"}})
      .Doc(doc);
}

void DefineResourceScatterNd(OpRegistry& ops, const char* name, const char* doc) {
  ops.Define(name)
      .TypeAttr("T", kAllTypes)
      .TypeAttr("Tindices", kIndexTypes)
      .Attr("use_locking", true)
      .Input("ref", "resource")
      .Input("indices", "Tindices")
      .Input("updates", "T")
      .Shape(ResourceScatterNdShape)
      .Stateful()
      .WritesVariable(0)
      .Cpu({.types = {{"T", kCommonNumberTypes | kBoolOnly}}, .make = MakeScatterNdRefCpu})
      .Gpu({.types = {{"T", kGpuFloatTypes | kComplexTypes}}, .host_args = {"ref"}})
      .Doc(doc);
}

}  // namespace

#define HR_SCATTER_(NAME)                                                                    \
  Output NAME(Output ref, Output indices, Output updates, UpdateOptions o, Location where) { \
    return Scatter(#NAME, ref, indices, updates, o, where);                                  \
  }
HR_SCATTER_(ScatterAdd)
HR_SCATTER_(ScatterSub)
HR_SCATTER_(ScatterMul)
HR_SCATTER_(ScatterDiv)
HR_SCATTER_(ScatterMin)
HR_SCATTER_(ScatterMax)
HR_SCATTER_(ScatterUpdate)
HR_SCATTER_(ScatterNdAdd)
HR_SCATTER_(ScatterNdSub)
HR_SCATTER_(ScatterNdUpdate)
#undef HR_SCATTER_

#define HR_SCATTER_(NAME)                                                                   \
  Node* NAME(Output handle, Output indices, Output updates, OpOptions o, Location where) {  \
    return NodeBuilder(#NAME, o.name, where)                                                \
        .Input(handle)                                                                      \
        .Input(indices)                                                                     \
        .Input(updates)                                                                     \
        .BuildNode();                                                                       \
  }
HR_SCATTER_(ResourceScatterAdd)
HR_SCATTER_(ResourceScatterSub)
HR_SCATTER_(ResourceScatterMul)
HR_SCATTER_(ResourceScatterDiv)
HR_SCATTER_(ResourceScatterMin)
HR_SCATTER_(ResourceScatterMax)
HR_SCATTER_(ResourceScatterUpdate)
#undef HR_SCATTER_

#define HR_SCATTER_(NAME)                                                                 \
  Node* NAME(Output handle, Output indices, Output updates, ResourceScatterNdOptions o,   \
             Location where) {                                                            \
    return NodeBuilder(#NAME, o.name, where)                                              \
        .Input(handle)                                                                    \
        .Input(indices)                                                                   \
        .Input(updates)                                                                   \
        .Attr("use_locking", o.use_locking)                                               \
        .BuildNode();                                                                     \
  }
HR_SCATTER_(ResourceScatterNdAdd)
HR_SCATTER_(ResourceScatterNdSub)
HR_SCATTER_(ResourceScatterNdUpdate)
#undef HR_SCATTER_

Output ResourceCountUpTo(Output handle, int64_t limit, OpOptions o, Location where) {
  return NodeBuilder("ResourceCountUpTo", o.name, where)
      .Input(handle)
      .Attr("limit", limit)
      .Attr("T", HandleOf(handle).dtype)
      .Build();
}

Output CountUpTo(Output ref, int64_t limit, OpOptions o, Location where) {
  const RefColocation with_variable{ref};
  return NodeBuilder("CountUpTo", o.name, where).Input(ref).Attr("limit", limit).Build();
}

void DefineScatter(OpRegistry& ops) {
  const DTypeSet numbers = kNumberTypes | DTypeSet{DType::kQInt8, DType::kQUInt8, DType::kQInt32};
  const DTypeSet ordered{DType::kFloat16, DType::kBFloat16, DType::kFloat32,
                         DType::kFloat64, DType::kInt32,    DType::kInt64};
  for (const char* name : {"ScatterAdd", "ScatterSub", "ScatterMul", "ScatterDiv"}) {
    DefineOne(ops, {name, numbers, false}, kCommonNumberTypes, MakeScatterCpu,
              "Folds rows into rows of a variable.");
  }
  for (const char* name : {"ScatterMin", "ScatterMax"}) {
    DefineOne(ops, {name, ordered, false}, ordered, MakeScatterCpu,
              "Folds rows into rows of a variable.");
  }
  DefineOne(ops, {"ScatterUpdate", kAllTypes, true}, kMovedTypes - kQuantizedTypes, MakeScatterCpu,
            "Writes rows of a variable.");
  const DTypeSet nd = kCommonNumberTypes | kBoolOnly;
  DefineOne(ops, {"ScatterNdAdd", numbers, false}, nd, MakeScatterNdRefCpu,
            "Adds to slices of a variable.");
  DefineOne(ops, {"ScatterNdSub", numbers, false}, nd, MakeScatterNdRefCpu,
            "Subtracts from slices of a variable.");
  DefineOne(ops, {"ScatterNdUpdate", kAllTypes, true}, nd, MakeScatterNdRefCpu,
            "Writes slices of a variable.");
  ops.Define("CountUpTo")
      .Attr("limit", AttrKind::kInt)
      .TypeAttr("T", kIndexTypes)
      .RefInput("ref", "T")
      .Output("output", "T")
      .Shape(ScalarShape)
      .NoGradient()
      .WritesVariable(0)
      .Cpu({.make = MakeCountUpToCpu})
      .Doc("Counts a variable up to a limit.");

  for (const char* name :
       {"ResourceScatterAdd", "ResourceScatterSub", "ResourceScatterMul", "ResourceScatterDiv"}) {
    DefineResourceScatter(ops, name, numbers, kCommonNumberTypes, kGpuFloatTypes,
                          "Folds rows into rows of a variable.");
  }
  for (const char* name : {"ResourceScatterMin", "ResourceScatterMax"}) {
    DefineResourceScatter(ops, name, numbers, kCommonNumberTypes - kComplexTypes, kGpuFloatTypes,
                          "Folds rows into rows of a variable.");
  }
  DefineResourceScatter(ops, "ResourceScatterUpdate", kAllTypes,
                        kCommonNumberTypes | kBoolOnly | kStringOnly, kGpuFloatTypes | kBoolOnly,
                        "Writes rows of a variable.");
  DefineResourceScatterNd(ops, "ResourceScatterNdAdd", "Adds to slices of a variable.");
  DefineResourceScatterNd(ops, "ResourceScatterNdSub", "Subtracts from slices of a variable.");
  DefineResourceScatterNd(ops, "ResourceScatterNdUpdate", "Writes slices of a variable.");
  ops.Define("ResourceCountUpTo")
      .Attr("limit", AttrKind::kInt)
      .TypeAttr("T", kIndexTypes)
      .Input("resource", "resource")
      .Output("output", "T")
      .Shape(ResourceCountUpToShape)
      .Stateful()
      .WritesVariable(0)
      .Cpu({.make = MakeCountUpToCpu})
      .Doc("Counts a variable up to a limit.");
}

}  // namespace headrace
