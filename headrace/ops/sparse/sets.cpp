#include "headrace/ops/sparse/sets.h"

#include "headrace/base/strings.h"
#include "headrace/graph/op_def.h"
#include "headrace/graph/shape_context.h"
#include "headrace/ops/sparse/sets_kernels.h"
#include "headrace/ops/sparse/sparse_shapes.h"

namespace headrace {
namespace {

// The shape is left open, as in TensorFlow: what programs build on it (metrics at k) depends on that.
Status SizeShape(ShapeContext& c) {
  HR_RETURN_IF_ERROR(CheckSparseShapes(c, 0));
  const int64_t rank = SparseRank(c, 0);
  if (rank >= 0 && rank < 2) return InvalidArgument("Invalid rank ", rank, ".");
  return c.SetOutput(0, PartialShape());
}

constexpr DTypeSet kSetTypes{DType::kInt8,  DType::kInt16,  DType::kInt32, DType::kInt64,
                             DType::kUInt8, DType::kUInt16, DType::kString};

Status SetSparseOutput(ShapeContext& c, int64_t rank) {
  if (rank >= 0 && rank < 2) return InvalidArgument("sets need rank 2 at least, got ", rank);
  HR_RETURN_IF_ERROR(c.SetOutput(0, {-1, rank}));
  HR_RETURN_IF_ERROR(c.SetOutput(1, {-1}));
  return c.SetOutput(2, {rank});
}

int64_t RankOf(const PartialShape& shape) {
  return shape.has_rank() ? shape.rank() : -1;
}

// The rank that two inputs must share; -1 = not known.
StatusOr<int64_t> MergedRank(int64_t a, int64_t b) {
  if (a >= 0 && b >= 0 && a != b)
    return InvalidArgument("both inputs must have the same rank, got ", a, " and ", b);
  return a >= 0 ? a : b;
}

Status DenseToDenseShape(ShapeContext& c) {
  const PartialShape &a = c.input(0), &b = c.input(1);
  HR_ASSIGN_OR_RETURN(const int64_t rank, MergedRank(RankOf(a), RankOf(b)));
  for (int d = 0; a.has_rank() && b.has_rank() && d + 1 < rank; ++d) {
    HR_RETURN_IF_ERROR(
        c.CheckEqualDims(a[d], b[d], StrCat("dimension ", d, " of set1"), "that of set2"));
  }
  return SetSparseOutput(c, rank);
}

Status DenseToSparseShape(ShapeContext& c) {
  HR_RETURN_IF_ERROR(CheckSparseShapes(c, 1));
  HR_ASSIGN_OR_RETURN(const int64_t rank, MergedRank(RankOf(c.input(0)), SparseRank(c, 1)));
  return SetSparseOutput(c, rank);
}

Status SparseToSparseShape(ShapeContext& c) {
  HR_RETURN_IF_ERROR(CheckSparseShapes(c, 0));
  HR_RETURN_IF_ERROR(CheckSparseShapes(c, 3));
  HR_ASSIGN_OR_RETURN(const int64_t rank, MergedRank(SparseRank(c, 0), SparseRank(c, 3)));
  return SetSparseOutput(c, rank);
}

std::string OperationName(SetOperation operation) {
  switch (operation) {
    case SetOperation::kAMinusB:
      return "a-b";
    case SetOperation::kBMinusA:
      return "b-a";
    case SetOperation::kIntersection:
      return "intersection";
    case SetOperation::kUnion:
      break;
  }
  return "union";
}

NodeBuilder& AddSparse(NodeBuilder& builder, const SparseTensor& x) {
  return builder.Input(x.indices).Input(x.values).Input(x.shape);
}

SparseTensor Build(NodeBuilder& builder, SetOperation operation) {
  Node* node = builder.Attr("set_operation", OperationName(operation)).BuildNode();
  if (node == nullptr) return {};
  return {node->output(0), node->output(1), node->output(2)};
}

// An input of sets, dense or sparse.
void AddSet(OpDef& op, const std::string& name, bool dense) {
  if (dense) {
    op.Input(name, "T");
  } else {
    op.Input(name + "_indices", "int64")
        .Input(name + "_values", "T")
        .Input(name + "_shape", "int64");
  }
}

void DefineOperation(OpRegistry& ops, const char* name, bool dense1, bool dense2, ShapeFn shape) {
  OpDef& op = ops.Define(name);
  op.Attr("set_operation", AttrKind::kString)
      .Attr("validate_indices", true)
      .TypeAttr("T", kSetTypes);
  AddSet(op, "set1", dense1);
  AddSet(op, "set2", dense2);
  op.Output("result_indices", "int64").Output("result_values", "T").Output("result_shape", "int64");
  op.Shape(shape)
      .NoGradient()
      .Cpu({.types = {{"T", kSetTypes}}, .make = MakeSetOperationCpu})
      .Doc("What two sets have in common, together, or one alone.");
}

}  // namespace

Output SetSize(const SparseTensor& x, OpOptions o, Location where) {
  NodeBuilder builder("SetSize", o.name, where);
  return AddSparse(builder, x).Build();
}

SparseTensor DenseToDenseSetOperation(Output a, Output b, SetOperation operation, OpOptions o,
                                      Location where) {
  NodeBuilder builder("DenseToDenseSetOperation", o.name, where);
  return Build(builder.Input(a).Input(b), operation);
}

SparseTensor DenseToSparseSetOperation(Output a, const SparseTensor& b, SetOperation operation,
                                       OpOptions o, Location where) {
  NodeBuilder builder("DenseToSparseSetOperation", o.name, where);
  return Build(AddSparse(builder.Input(a), b), operation);
}

SparseTensor SparseToSparseSetOperation(const SparseTensor& a, const SparseTensor& b,
                                        SetOperation operation, OpOptions o, Location where) {
  NodeBuilder builder("SparseToSparseSetOperation", o.name, where);
  return Build(AddSparse(AddSparse(builder, a), b), operation);
}

void DefineSets(OpRegistry& ops) {
  ops.Define("SetSize")
      .Attr("validate_indices", true)
      .TypeAttr("T", kSetTypes)
      .Input("set_indices", "int64")
      .Input("set_values", "T")
      .Input("set_shape", "int64")
      .Output("size", "int32")
      .Shape(SizeShape)
      .NoGradient()
      .Cpu({.types = {{"T", kSetTypes}}, .make = MakeSetSizeCpu})
      .Doc("How many distinct values each set has.");
  DefineOperation(ops, "DenseToDenseSetOperation", true, true, DenseToDenseShape);
  DefineOperation(ops, "DenseToSparseSetOperation", true, false, DenseToSparseShape);
  DefineOperation(ops, "SparseToSparseSetOperation", false, false, SparseToSparseShape);
}

}  // namespace headrace
