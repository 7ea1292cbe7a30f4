#include "headrace/ops/sparse/serialize.h"

#include "headrace/base/strings.h"
#include "headrace/graph/op_def.h"
#include "headrace/graph/shape_context.h"
#include "headrace/ops/array/device_types.h"
#include "headrace/ops/sparse/serialize_kernels.h"
#include "headrace/ops/sparse/sparse_shapes.h"

namespace headrace {
namespace {

constexpr DTypeSet kStrings{DType::kString, DType::kVariant};

Status SerializeShape(ShapeContext& c) {
  HR_RETURN_IF_ERROR(CheckSparseShapes(c, 0));
  return c.SetOutput(0, {3});
}

Status SerializeManyShape(ShapeContext& c) {
  HR_RETURN_IF_ERROR(CheckSparseShapes(c, 0));
  return c.SetOutput(0, {-1, 3});
}

Status DeserializeShape(ShapeContext& c) {
  const PartialShape& in = c.input(0);
  if (in.has_rank()) {
    if (in.rank() == 0) return InvalidArgument("Serialized sparse should have non-zero rank []");
    HR_RETURN_IF_ERROR(
        c.CheckEqualDims(in[in.rank() - 1], 3, "the last dimension", "parts of a sparse tensor"));
  }
  HR_RETURN_IF_ERROR(c.SetOutput(0, PartialShape::OfRank(2)));
  HR_RETURN_IF_ERROR(c.SetOutput(1, PartialShape::OfRank(1)));
  return c.SetOutput(2, PartialShape::OfRank(1));
}

Status DeserializeManyShape(ShapeContext& c) {
  HR_RETURN_IF_ERROR(c.WithRank(0, 2).status());
  return DeserializeShape(c);
}

Output Serialize(std::string_view op, const SparseTensor& x, const OpOptions& o, Location where) {
  return NodeBuilder(op, o.name, where)
      .Input(x.indices)
      .Input(x.values)
      .Input(x.shape)
      .Attr("out_type", DType::kString)
      .Build();
}

SparseTensor Deserialize(std::string_view op, Output serialized, DType dtype, const OpOptions& o,
                         Location where) {
  Node* node = NodeBuilder(op, o.name, where).Input(serialized).Attr("dtype", dtype).BuildNode();
  if (node == nullptr) return {};
  return {node->output(0), node->output(1), node->output(2)};
}

}  // namespace

Output SerializeSparse(const SparseTensor& x, OpOptions o, Location where) {
  return Serialize("SerializeSparse", x, o, where);
}
Output SerializeManySparse(const SparseTensor& x, OpOptions o, Location where) {
  return Serialize("SerializeManySparse", x, o, where);
}
SparseTensor DeserializeSparse(Output serialized, DType dtype, OpOptions o, Location where) {
  return Deserialize("DeserializeSparse", serialized, dtype, o, where);
}
SparseTensor DeserializeManySparse(Output serialized, DType dtype, OpOptions o, Location where) {
  return Deserialize("DeserializeManySparse", serialized, dtype, o, where);
}

void DefineSerializeSparse(OpRegistry& ops) {
  const DTypeSet values = kMovedTypes - kQuantizedTypes;
  struct Op {
    const char* name;
    ShapeFn shape;
    KernelFactory make;
  };
  for (const Op& op : {Op{"SerializeSparse", SerializeShape, MakeSerializeSparseCpu},
                       Op{"SerializeManySparse", SerializeManyShape, MakeSerializeManySparseCpu}}) {
    ops.Define(op.name)
        .TypeAttr("T", kAllTypes)
        .TypeAttr("out_type", kStrings, DType::kString)
        .Input("sparse_indices", "int64")
        .Input("sparse_values", "T")
        .Input("sparse_shape", "int64")
        .Output("serialized_sparse", "out_type")
        .Shape(op.shape)
        .Cpu({.types = {{"T", values}, {"out_type", kStringOnly}}, .make = op.make})
        .Doc("Sparse tensors as strings.");
  }
  ops.Define("DeserializeSparse")
      .TypeAttr("dtype", kAllTypes)
      .TypeAttr("Tserialized", kStrings, DType::kString)
      .Input("serialized_sparse", "Tserialized")
      .Output("sparse_indices", "int64")
      .Output("sparse_values", "dtype")
      .Output("sparse_shape", "int64")
      .Shape(DeserializeShape)
      .Cpu({.types = {{"dtype", values}, {"Tserialized", kStringOnly}},
            .make = MakeDeserializeSparseCpu})
      .Doc("Sparse tensors from strings, stacked.");
  ops.Define("DeserializeManySparse")
      .TypeAttr("dtype", kAllTypes)
      .Input("serialized_sparse", "string")
      .Output("sparse_indices", "int64")
      .Output("sparse_values", "dtype")
      .Output("sparse_shape", "int64")
      .Shape(DeserializeManyShape)
      .Cpu({.types = {{"dtype", values}}, .make = MakeDeserializeSparseCpu})
      .Doc("Sparse tensors from strings, stacked.");
}

}  // namespace headrace
