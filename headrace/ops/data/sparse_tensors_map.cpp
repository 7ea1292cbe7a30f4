#include "headrace/ops/data/sparse_tensors_map.h"

#include "headrace/graph/op_def.h"
#include "headrace/graph/shape_context.h"
#include "headrace/kernel/kernel.h"
#include "headrace/ops/array/device_types.h"
#include "headrace/ops/data/sparse_tensors_map_kernels.h"
#include "headrace/ops/sparse/sparse_shapes.h"

namespace headrace {
namespace {

Status AddShape(ShapeContext& c) {
  HR_RETURN_IF_ERROR(CheckSparseShapes(c, 0));
  return ScalarShape(c);
}

Status AddManyShape(ShapeContext& c) {
  HR_RETURN_IF_ERROR(CheckSparseShapes(c, 0));
  return c.SetOutput(0, PartialShape::OfRank(1));
}

Status TakeShape(ShapeContext& c) {
  HR_RETURN_IF_ERROR(c.WithRank(0, 1).status());
  HR_RETURN_IF_ERROR(c.SetOutput(0, PartialShape::OfRank(2)));
  HR_RETURN_IF_ERROR(c.SetOutput(1, PartialShape::OfRank(1)));
  return c.SetOutput(2, PartialShape::OfRank(1));
}

Output Add(std::string_view op, const SparseTensor& x, const TensorsMapOptions& o, Location where) {
  return NodeBuilder(op, o.name, where)
      .Input(x.indices)
      .Input(x.values)
      .Input(x.shape)
      .Attr("container", o.container)
      .Attr("shared_name", o.shared_name)
      .Build();
}

}  // namespace

Output AddSparseToTensorsMap(const SparseTensor& x, TensorsMapOptions o, Location where) {
  return Add("AddSparseToTensorsMap", x, o, where);
}
Output AddManySparseToTensorsMap(const SparseTensor& x, TensorsMapOptions o, Location where) {
  return Add("AddManySparseToTensorsMap", x, o, where);
}
SparseTensor TakeManySparseFromTensorsMap(Output handles, DType dtype, TensorsMapOptions o,
                                          Location where) {
  Node* node = NodeBuilder("TakeManySparseFromTensorsMap", o.name, where)
                   .Input(handles)
                   .Attr("dtype", dtype)
                   .Attr("container", o.container)
                   .Attr("shared_name", o.shared_name)
                   .BuildNode();
  if (node == nullptr) return {};
  return {node->output(0), node->output(1), node->output(2)};
}

void DefineSparseTensorsMap(OpRegistry& ops) {
  const DTypeSet values = kMovedTypes - kQuantizedTypes;
  struct AddOp {
    const char* name;
    const char* output;
    ShapeFn shape;
    KernelFactory make;
  };
  for (const AddOp& op :
       {AddOp{"AddSparseToTensorsMap", "sparse_handle", AddShape, MakeAddSparseCpu},
        AddOp{"AddManySparseToTensorsMap", "sparse_handles", AddManyShape, MakeAddManySparseCpu}}) {
    ops.Define(op.name)
        .TypeAttr("T", kAllTypes)
        .Attr("container", "")
        .Attr("shared_name", "")
        .Input("sparse_indices", "int64")
        .Input("sparse_values", "T")
        .Input("sparse_shape", "int64")
        .Output(op.output, "int64")
        .Shape(op.shape)
        .NoGradient()
        .Stateful()
        .Cpu({.types = {{"T", values}}, .make = op.make})
        .Doc("Keeps sparse tensors for a later step and gives their numbers.");
  }
  ops.Define("TakeManySparseFromTensorsMap")
      .TypeAttr("dtype", kAllTypes)
      .Attr("container", "")
      .Attr("shared_name", "")
      .Input("sparse_handles", "int64")
      .Output("sparse_indices", "int64")
      .Output("sparse_values", "dtype")
      .Output("sparse_shape", "int64")
      .Shape(TakeShape)
      .NoGradient()
      .Stateful()
      .Cpu({.types = {{"dtype", values}}, .make = MakeTakeManySparseCpu})
      .Doc("Takes sparse tensors that were kept under these numbers, stacked.");
}

}  // namespace headrace
