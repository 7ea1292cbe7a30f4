#include "headrace/ops/sparse/sparse_math.h"

#include "headrace/base/strings.h"
#include "headrace/graph/op_def.h"
#include "headrace/graph/shape_context.h"
#include "headrace/ops/array/device_types.h"
#include "headrace/ops/sparse/sparse_gradients.h"
#include "headrace/ops/sparse/sparse_math_kernels.h"
#include "headrace/ops/sparse/sparse_shapes.h"

namespace headrace {
namespace {

const DTypeSet kDeclared = kNumberTypes | DTypeSet{DType::kQInt8, DType::kQUInt8, DType::kQInt32};

// The entries of a union or an intersection.
Status TwoShape(ShapeContext& c) {
  HR_RETURN_IF_ERROR(CheckSparseShapes(c, 0));
  HR_RETURN_IF_ERROR(CheckSparseShapes(c, 3));
  HR_RETURN_IF_ERROR(c.SetOutput(0, {-1, SparseRank(c, 0)}));
  HR_RETURN_IF_ERROR(c.SetOutput(1, {-1}));
  return c.num_outputs() < 3 ? absl::OkStatus() : c.SetOutput(2, {SparseRank(c, 0)});
}

Status AddGradShape(ShapeContext& c) {
  for (int i : {1, 2}) {
    HR_ASSIGN_OR_RETURN(const PartialShape indices, c.WithRank(i, 2));
    HR_RETURN_IF_ERROR(c.SetOutput(i - 1, {indices.has_rank() ? indices[0] : -1}));
  }
  return absl::OkStatus();
}

Status DenseAddShape(ShapeContext& c) {
  return c.SetOutput(0, c.input(3));
}

Status ValuesShape(ShapeContext& c) {
  HR_RETURN_IF_ERROR(CheckSparseShapes(c, 0));
  return c.SetOutput(0, {SparseCount(c, 0)});
}

Status MatMulShape(ShapeContext& c) {
  HR_RETURN_IF_ERROR(CheckSparseShapes(c, 0));
  HR_ASSIGN_OR_RETURN(const PartialShape b, c.WithRank(3, 2));
  const bool adjoint_a = c.attrs().Get<bool>("adjoint_a"),
             adjoint_b = c.attrs().Get<bool>("adjoint_b");
  HR_ASSIGN_OR_RETURN(const PartialShape a, c.InputAsShape(2));
  if (a.has_rank() && a.rank() != 2)
    return InvalidArgument("Tensor 'a_shape' must have 2 elements, got ", a.rank());
  const int64_t m = a.has_rank() ? a[adjoint_a ? 1 : 0] : -1,
                k = a.has_rank() ? a[adjoint_a ? 0 : 1] : -1;
  if (!b.has_rank()) return c.SetOutput(0, {m, -1});
  HR_RETURN_IF_ERROR(c.CheckEqualDims(k, b[adjoint_b ? 1 : 0], "columns of a", "rows of b"));
  return c.SetOutput(0, {m, b[adjoint_b ? 0 : 1]});
}

Status ReduceShape(ShapeContext& c) {
  HR_RETURN_IF_ERROR(CheckSparseShapes(c, 0));
  const auto dims = c.InputAsInts(2), axes = c.InputAsInts(3);
  const bool keep = c.attrs().Get<bool>("keep_dims");
  if (!dims.has_value() || !axes.has_value()) {
    const int64_t rank = SparseRank(c, 0);
    return c.SetOutput(0, keep && rank >= 0 && rank <= kMaxRank
                              ? PartialShape::OfRank(static_cast<int>(rank))
                              : PartialShape());
  }
  const auto rank = static_cast<int64_t>(dims->size());
  std::vector<bool> reduced(dims->size(), false);
  for (int64_t axis : *axes) {
    if (axis < -rank || axis >= rank) {
      return InvalidArgument("Invalid reduction dimension ", axis, ", for input with ", rank,
                             " dimensions.");
    }
    reduced[axis < 0 ? axis + rank : axis] = true;
  }
  if (rank > kMaxRank)
    return InvalidArgument("a tensor may have at most ", kMaxRank, " dimensions");
  PartialShape out = PartialShape::OfRank(0);
  for (size_t d = 0; d < dims->size(); ++d) {
    if (!reduced[d] || keep) out.Append(reduced[d] ? 1 : (*dims)[d]);
  }
  return c.SetOutput(0, out);
}

Status ReduceSparseShape(ShapeContext& c) {
  HR_RETURN_IF_ERROR(CheckSparseShapes(c, 0));
  const int64_t rank = c.attrs().Get<bool>("keep_dims") ? SparseRank(c, 0) : -1;
  HR_RETURN_IF_ERROR(c.SetOutput(0, {-1, rank}));
  HR_RETURN_IF_ERROR(c.SetOutput(1, {-1}));
  return c.SetOutput(2, {rank});
}

NodeBuilder& Inputs(NodeBuilder& builder, const SparseTensor& x) {
  return builder.Input(x.indices).Input(x.values).Input(x.shape);
}

SparseTensor Extreme(std::string_view op, const SparseTensor& a, const SparseTensor& b,
                     const OpOptions& o, Location where) {
  NodeBuilder builder(op, o.name, where);
  Node* node = Inputs(Inputs(builder, a), b).BuildNode();
  if (node == nullptr) return {};
  return {node->output(0), node->output(1), a.shape};
}

Output WithDense(std::string_view op, const SparseTensor& x, Output dense, const OpOptions& o,
                 Location where) {
  NodeBuilder builder(op, o.name, where);
  return Inputs(builder, x).Input(dense).Build();
}

Node* Reduce(std::string_view op, const SparseTensor& x, Output axes, const SparseReduceOptions& o,
             Location where) {
  NodeBuilder builder(op, o.name, where);
  return Inputs(builder, x).Input(axes).Attr("keep_dims", o.keep_dims).BuildNode();
}
Output Dense(Node* node) {
  return node == nullptr ? Output() : node->output(0);
}
SparseTensor Sparse(Node* node) {
  if (node == nullptr) return {};
  return {node->output(0), node->output(1), node->output(2)};
}

}  // namespace

SparseTensor SparseAdd(const SparseTensor& a, const SparseTensor& b, Output threshold, OpOptions o,
                       Location where) {
  NodeBuilder builder("SparseAdd", o.name, where);
  return Sparse(Inputs(Inputs(builder, a), b).Input(threshold).BuildNode());
}
SparseAddGrads SparseAddGrad(Output grad, Output a_indices, Output b_indices, Output sum_indices,
                             OpOptions o, Location where) {
  Node* node = NodeBuilder("SparseAddGrad", o.name, where)
                   .Input(grad)
                   .Input(a_indices)
                   .Input(b_indices)
                   .Input(sum_indices)
                   .BuildNode();
  if (node == nullptr) return {};
  return {node->output(0), node->output(1)};
}
Output SparseTensorDenseAdd(const SparseTensor& a, Output b, OpOptions o, Location where) {
  return WithDense("SparseTensorDenseAdd", a, b, o, where);
}
SparseTensor SparseSparseMaximum(const SparseTensor& a, const SparseTensor& b, OpOptions o,
                                 Location where) {
  return Extreme("SparseSparseMaximum", a, b, o, where);
}
SparseTensor SparseSparseMinimum(const SparseTensor& a, const SparseTensor& b, OpOptions o,
                                 Location where) {
  return Extreme("SparseSparseMinimum", a, b, o, where);
}
Output SparseDenseCwiseAdd(const SparseTensor& x, Output dense, OpOptions o, Location where) {
  return WithDense("SparseDenseCwiseAdd", x, dense, o, where);
}
Output SparseDenseCwiseMul(const SparseTensor& x, Output dense, OpOptions o, Location where) {
  return WithDense("SparseDenseCwiseMul", x, dense, o, where);
}
Output SparseDenseCwiseDiv(const SparseTensor& x, Output dense, OpOptions o, Location where) {
  return WithDense("SparseDenseCwiseDiv", x, dense, o, where);
}
Output SparseTensorDenseMatMul(const SparseTensor& a, Output b, SparseTensorDenseMatMulOptions o,
                               Location where) {
  NodeBuilder builder("SparseTensorDenseMatMul", o.name, where);
  return Inputs(builder, a)
      .Input(b)
      .Attr("adjoint_a", o.adjoint_a)
      .Attr("adjoint_b", o.adjoint_b)
      .Build();
}
Output SparseSoftmax(const SparseTensor& x, OpOptions o, Location where) {
  NodeBuilder builder("SparseSoftmax", o.name, where);
  return Inputs(builder, x).Build();
}
Output SparseReduceSum(const SparseTensor& x, Output axes, SparseReduceOptions o, Location where) {
  return Dense(Reduce("SparseReduceSum", x, axes, o, where));
}
Output SparseReduceMax(const SparseTensor& x, Output axes, SparseReduceOptions o, Location where) {
  return Dense(Reduce("SparseReduceMax", x, axes, o, where));
}
SparseTensor SparseReduceSumSparse(const SparseTensor& x, Output axes, SparseReduceOptions o,
                                   Location where) {
  return Sparse(Reduce("SparseReduceSumSparse", x, axes, o, where));
}
SparseTensor SparseReduceMaxSparse(const SparseTensor& x, Output axes, SparseReduceOptions o,
                                   Location where) {
  return Sparse(Reduce("SparseReduceMaxSparse", x, axes, o, where));
}

void DefineSparseMath(OpRegistry& ops) {
  const DTypeSet added = DTypeSet{DType::kFloat32, DType::kFloat64, DType::kInt8,
                                  DType::kInt16,   DType::kInt32,   DType::kInt64} |
                         kComplexTypes;
  const DTypeSet real = kCommonNumberTypes - kComplexTypes;
  ops.Define("SparseAdd")
      .TypeAttr("T", kDeclared)
      .TypeAttr("Treal", kRealTypes)
      .Input("a_indices", "int64")
      .Input("a_values", "T")
      .Input("a_shape", "int64")
      .Input("b_indices", "int64")
      .Input("b_values", "T")
      .Input("b_shape", "int64")
      .Input("thresh", "Treal")
      .Output("sum_indices", "int64")
      .Output("sum_values", "T")
      .Output("sum_shape", "int64")
      .Shape(TwoShape)
      .Gradient(SparseAddGradient)
      .Cpu({.types = {{"T", added}}, .make = MakeSparseAddCpu})
      .Doc("The sum of two sparse tensors.");
  ops.Define("SparseAddGrad")
      .TypeAttr("T", kDeclared)
      .Input("backprop_val_grad", "T")
      .Input("a_indices", "int64")
      .Input("b_indices", "int64")
      .Input("sum_indices", "int64")
      .Output("a_val_grad", "T")
      .Output("b_val_grad", "T")
      .Shape(AddGradShape)
      .NoGradient()
      .Cpu({.types = {{"T", added}}, .make = MakeSparseAddGradCpu})
      .Doc("The gradient of SparseAdd.");
  ops.Define("SparseTensorDenseAdd")
      .TypeAttr("T", kDeclared)
      .TypeAttr("Tindices", kIndexTypes)
      .Input("a_indices", "Tindices")
      .Input("a_values", "T")
      .Input("a_shape", "Tindices")
      .Input("b", "T")
      .Output("output", "T")
      .Shape(DenseAddShape)
      .Gradient(SparseTensorDenseAddGradient)
      .InPlace(0, 3)
      .Cpu({.types = {{"T", kCommonNumberTypes}}, .make = MakeSparseTensorDenseAddCpu})
      .Doc("The sum of a sparse and a dense tensor.");
  for (const char* name : {"SparseSparseMaximum", "SparseSparseMinimum"}) {
    ops.Define(name)
        .TypeAttr("T", std::string_view(name) == "SparseSparseMaximum" ? kRealTypes : kDeclared)
        .Input("a_indices", "int64")
        .Input("a_values", "T")
        .Input("a_shape", "int64")
        .Input("b_indices", "int64")
        .Input("b_values", "T")
        .Input("b_shape", "int64")
        .Output("output_indices", "int64")
        .Output("output_values", "T")
        .Shape(TwoShape)
        .Cpu({.types = {{"T", real}}, .make = MakeSparseSparseExtremeCpu})
        .Doc("The larger or smaller of two sparse tensors, element by element.");
  }
  struct CwiseOp {
    const char* name;
    GradientFn gradient;
  };
  for (const CwiseOp& op : {CwiseOp{"SparseDenseCwiseAdd", nullptr},
                            CwiseOp{"SparseDenseCwiseMul", SparseDenseCwiseMulGradient},
                            CwiseOp{"SparseDenseCwiseDiv", SparseDenseCwiseDivGradient}}) {
    OpDef& def = ops.Define(op.name)
                     .TypeAttr("T", kDeclared)
                     .Input("sp_indices", "int64")
                     .Input("sp_values", "T")
                     .Input("sp_shape", "int64")
                     .Input("dense", "T")
                     .Output("output", "T")
                     .Shape(ValuesShape)
                     .Cpu({.types = {{"T", real}}, .make = MakeSparseDenseCwiseCpu})
                     .Doc("Values of a sparse tensor combined with a dense one.");
    if (op.gradient != nullptr) def.Gradient(op.gradient);
  }
  ops.Define("SparseTensorDenseMatMul")
      .TypeAttr("T", kAllTypes)
      .TypeAttr("Tindices", kIndexTypes, DType::kInt64)
      .Attr("adjoint_a", false)
      .Attr("adjoint_b", false)
      .Input("a_indices", "Tindices")
      .Input("a_values", "T")
      .Input("a_shape", "int64")
      .Input("b", "T")
      .Output("product", "T")
      .Shape(MatMulShape)
      .Gradient(SparseTensorDenseMatMulGradient)
      .Cpu({.types = {{"T", kComplexTypes | DTypeSet{DType::kBFloat16, DType::kFloat32,
                                                     DType::kFloat64, DType::kInt32}}},
            .make = MakeSparseTensorDenseMatMulCpu})
      .Gpu({.types = {{"T", DTypeSet{DType::kFloat32}}}, .host_args = {"a_shape"}})
      .Doc("A sparse matrix times a dense one.");
  ops.Define("SparseSoftmax")
      .TypeAttr("T", DTypeSet{DType::kFloat32, DType::kFloat64})
      .Input("sp_indices", "int64")
      .Input("sp_values", "T")
      .Input("sp_shape", "int64")
      .Output("output", "T")
      .Shape(ValuesShape)
      .Gradient(SparseSoftmaxGradient)
      .Cpu({.make = MakeSparseSoftmaxCpu})
      .Doc("Softmax over the entries of each row.");
  for (const bool sum : {true, false}) {
    const char* name = sum ? "SparseReduceSum" : "SparseReduceMax";
    for (const bool sparse : {false, true}) {
      OpDef& def = ops.Define(StrCat(name, sparse ? "Sparse" : ""))
                       .TypeAttr("T", sum ? kDeclared : kRealTypes)
                       .Attr("keep_dims", false)
                       .Input("input_indices", "int64")
                       .Input("input_values", "T")
                       .Input("input_shape", "int64")
                       .Input("reduction_axes", "int32");
      if (sparse) {
        def.Output("output_indices", "int64")
            .Output("output_values", "T")
            .Output("output_shape", "int64");
      } else {
        def.Output("output", "T");
      }
      def.Shape(sparse ? ReduceSparseShape : ReduceShape)
          .Cpu({.types = {{"T", sum ? kCommonNumberTypes : real}}, .make = MakeSparseReduceCpu})
          .Doc("Entries of a sparse tensor reduced over axes.");
      if (sum && !sparse) def.Gradient(SparseReduceSumGradient);
    }
  }
}

}  // namespace headrace
