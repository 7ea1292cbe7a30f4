#include "headrace/ops/math/matmul.h"

#include "headrace/base/strings.h"
#include "headrace/graph/grad_context.h"
#include "headrace/graph/op_def.h"
#include "headrace/graph/shape_context.h"
#include "headrace/ops/array/reshape.h"
#include "headrace/ops/array/shape_ops.h"
#include "headrace/ops/array/strided_slice.h"
#include "headrace/ops/math/complex.h"
#include "headrace/ops/math/matmul_kernels.h"
#include "headrace/ops/math/reduce.h"
#include "headrace/ops/math/type_sets.h"

namespace headrace {
namespace {

Status CheckInner(int64_t a, int64_t b, const ShapeContext& c) {
  if (a < 0 || b < 0 || a == b) return absl::OkStatus();
  return InvalidArgument("Matrix size-incompatible: In[0]: ", c.input(0).ToString(),
                         ", In[1]: ", c.input(1).ToString());
}

Status CheckMatrix(const PartialShape& shape, int i) {
  if (!shape.has_rank() || shape.rank() == 2) return absl::OkStatus();
  return InvalidArgument("In[", i, "] is not a matrix, its shape is ", shape.ToString());
}

Status MatMulShape(ShapeContext& c) {
  for (int i = 0; i < 2; ++i) HR_RETURN_IF_ERROR(CheckMatrix(c.input(i), i));
  HR_ASSIGN_OR_RETURN(const PartialShape a, c.WithRank(0, 2));
  HR_ASSIGN_OR_RETURN(const PartialShape b, c.WithRank(1, 2));
  const bool ta = c.attrs().Get<bool>("transpose_a"), tb = c.attrs().Get<bool>("transpose_b");
  HR_RETURN_IF_ERROR(CheckInner(a[ta ? 0 : 1], b[tb ? 1 : 0], c));
  return c.SetOutput(0, {a[ta ? 1 : 0], b[tb ? 0 : 1]});
}

Status DescentShape(ShapeContext& c) {
  HR_ASSIGN_OR_RETURN(const PartialShape var, c.WithRank(0, 2));
  HR_RETURN_IF_ERROR(c.CheckScalar(1));
  if (c.num_inputs() > 4) HR_RETURN_IF_ERROR(c.CheckScalar(4));
  return c.SetOutput(0, var);
}

Status BatchMatMulShape(ShapeContext& c) {
  HR_ASSIGN_OR_RETURN(const PartialShape x, c.WithRankAtLeast(0, 2));
  HR_ASSIGN_OR_RETURN(const PartialShape y, c.WithRankAtLeast(1, 2));
  if (!x.has_rank() || !y.has_rank()) return c.SetOutput(0, PartialShape());
  const bool tx = c.attrs().Get<bool>("adj_x"), ty = c.attrs().Get<bool>("adj_y");
  HR_RETURN_IF_ERROR(CheckInner(x[x.rank() - (tx ? 2 : 1)], y[y.rank() - (ty ? 1 : 2)], c));
  const PartialShape batch_x(x.dims().first(x.rank() - 2)), batch_y(y.dims().first(y.rank() - 2));
  const bool broadcasts = c.node().op_name() == "BatchMatMulV2";
  HR_ASSIGN_OR_RETURN(PartialShape shape,
                      broadcasts ? BroadcastShapes(batch_x, batch_y) : batch_x.MergedWith(batch_y));
  if (shape.has_rank()) {
    shape.Append(x[x.rank() - (tx ? 1 : 2)]);
    shape.Append(y[y.rank() - (ty ? 2 : 1)]);
  }
  return c.SetOutput(0, shape);
}

Status MatMulGradient(GradContext& c) {
  const Location where = c.where();
  const bool ta = c.attrs().Get<bool>("transpose_a"), tb = c.attrs().Get<bool>("transpose_b");
  const Output grad = c.grad();
  const Output a = Conj(c.input(0), {}, where), b = Conj(c.input(1), {}, where);
  const auto product = [&](Output x, Output y, bool tx, bool ty) {
    return MatMul(x, y, {.transpose_a = tx, .transpose_b = ty}, where);
  };
  c.Set(0, ta ? product(b, grad, tb, true) : product(grad, b, false, !tb));
  c.Set(1, tb ? product(grad, a, true, ta) : product(a, grad, !ta, false));
  return absl::OkStatus();
}

Status BatchMatMulGradient(GradContext& c) {
  const Location where = c.where();
  const bool tx = c.attrs().Get<bool>("adj_x"), ty = c.attrs().Get<bool>("adj_y");
  const bool broadcasts = c.node().op_name() == "BatchMatMulV2";
  const Output x = c.input(0), y = c.input(1), grad = c.grad();
  const auto product = [&](Output a, Output b, bool ta, bool tb) {
    const BatchMatMulOptions options{.adj_x = ta, .adj_y = tb, .name = "MatMul"};
    return broadcasts ? BatchMatMulV2(a, b, options, where) : BatchMatMul(a, b, options, where);
  };
  Output gx = tx ? product(y, grad, ty, true) : product(grad, y, false, !ty);
  Output gy = ty ? product(grad, x, true, tx) : product(x, grad, !tx, false);
  if (broadcasts && !(x.shape().is_fully_known() && x.shape() == y.shape())) {
    const Output sx = ShapeOf(x, {}, where), sy = ShapeOf(y, {}, where);
    const Output batch_x = At(sx, {SliceIndex::To(-2)}, {}, where),
                 batch_y = At(sy, {SliceIndex::To(-2)}, {}, where);
    const BroadcastAxes axes = BroadcastGradientArgs(batch_x, batch_y, {}, where);
    gx = Reshape(ReduceSum(gx, axes.r0, {}, where), sx, {}, where);
    gy = Reshape(ReduceSum(gy, axes.r1, {}, where), sy, {}, where);
  }
  c.Set(0, gx);
  c.Set(1, gy);
  return absl::OkStatus();
}

Output MakeBatch(std::string_view op, Output x, Output y, const BatchMatMulOptions& o,
                 Location where) {
  return NodeBuilder(op, o.name, where)
      .Input(x)
      .Input(y)
      .Attr("adj_x", o.adj_x)
      .Attr("adj_y", o.adj_y)
      .Build();
}

constexpr DTypeSet kBatchTypes = kFloatsIndexComplex - kOnlyBFloat16;

void DefineBatch(OpRegistry& ops, std::string_view name, std::string_view doc) {
  ops.Define(name)
      .Input("x", "T")
      .Input("y", "T")
      .Output("output", "T")
      .TypeAttr("T", kFloatsIndexComplex)
      .Attr("adj_x", false)
      .Attr("adj_y", false)
      .Shape(BatchMatMulShape)
      .Gradient(BatchMatMulGradient)
      .Cpu({.types = {{"T", kBatchTypes}}, .make = MakeBatchMatMulCpu})
      .Gpu({.types = {{"T", kGpuFloatsAndComplex}}})
      .Doc(doc);
}

}  // namespace

Output MatMul(Output a, Output b, MatMulOptions o, Location where) {
  return NodeBuilder("MatMul", o.name, where)
      .Input(a)
      .Input(b)
      .Attr("transpose_a", o.transpose_a)
      .Attr("transpose_b", o.transpose_b)
      .Build();
}
Output BatchMatMul(Output x, Output y, BatchMatMulOptions o, Location where) {
  return MakeBatch("BatchMatMul", x, y, o, where);
}
Output BatchMatMulV2(Output x, Output y, BatchMatMulOptions o, Location where) {
  return MakeBatch("BatchMatMulV2", x, y, o, where);
}

void DefineMatMul(OpRegistry& ops) {
  ops.Define("MatMul")
      .Input("a", "T")
      .Input("b", "T")
      .Output("product", "T")
      .Attr("transpose_a", false)
      .Attr("transpose_b", false)
      .TypeAttr("T", kFloatsIndexComplex)
      .Shape(MatMulShape)
      .Gradient(MatMulGradient)
      .Cpu({.types = {{"T", kFloatsIndexComplex}}, .make = MakeMatMulCpu})
      .Gpu({.types = {{"T", kGpuFloatsAndComplex}}})
      .Doc("Product of two matrices.");
  constexpr DTypeSet kFloat(DType::kFloat32);
  ops.Define("_FusedMatMul")
      .Input("a", "T")
      .Input("b", "T")
      .InputList("args", "T", "num_args")
      .Output("product", "T")
      .Attr("transpose_a", false)
      .Attr("transpose_b", false)
      .TypeAttr("T", kFloat)
      .Attr({.name = "num_args", .kind = AttrKind::kInt, .minimum = 0})
      .Attr("fused_ops", AttrValue::Strings{})
      .Attr("epsilon", 0.0001f)
      .Shape(MatMulShape)
      .NoGradient()
      .Cpu({.types = {{"T", kFloat}}, .make = MakeFusedMatMulCpu})
      .Gpu({.types = {{"T", kFloat}}})
      .Doc("A product and what follows it, in one pass: made when a step is compiled.");
  ops.Define("_MatMulApplyGradientDescent")
      .RefInput("var", "T")
      .Input("alpha", "T")
      .Input("a", "T")
      .Input("b", "T")
      .InputList("decay", "T", "num_args")
      .RefOutput("out", "T")
      .WritesVariable(0)
      .Attr("transpose_a", false)
      .Attr("transpose_b", false)
      .TypeAttr("T", kFloat)
      .Attr({.name = "num_args", .kind = AttrKind::kInt, .minimum = 0})
      .Shape(DescentShape)
      .NoGradient()
      .Cpu({.types = {{"T", kFloat}}, .make = MakeMatMulDescentCpu})
      .Gpu({.types = {{"T", kFloat}}})
      .Doc("var -= alpha * (a * b + decay * var), in one pass: made when a step is compiled.");
  DefineBatch(ops, "BatchMatMul", "Products of the matrices of two batches.");
  DefineBatch(ops, "BatchMatMulV2", "Products of the matrices of two batches, which broadcast.");
}

}  // namespace headrace
