#include "headrace/ops/nn/gru_block.h"

#include "headrace/graph/grad_context.h"
#include "headrace/graph/op_def.h"
#include "headrace/graph/shape_context.h"
#include "headrace/ops/array/concat.h"
#include "headrace/ops/math/binary.h"
#include "headrace/ops/math/matmul.h"
#include "headrace/ops/nn/bias_add.h"
#include "headrace/ops/nn/gru_block_kernels.h"

namespace headrace {
namespace {

constexpr DTypeSet kTypes{DType::kFloat32};

Status CellShape(ShapeContext& c) {
  HR_ASSIGN_OR_RETURN(const PartialShape x, c.WithRank(0, 2));
  HR_ASSIGN_OR_RETURN(const PartialShape h_prev, c.WithRank(1, 2));
  for (int i = 0; i < 4; ++i) HR_RETURN_IF_ERROR(c.SetOutput(i, {x[0], h_prev[1]}));
  return absl::OkStatus();
}

Status CellGradShape(ShapeContext& c) {
  HR_ASSIGN_OR_RETURN(const PartialShape x, c.WithRank(0, 2));
  HR_ASSIGN_OR_RETURN(const PartialShape h_prev, c.WithRank(1, 2));
  const int64_t cell = h_prev[1];
  HR_RETURN_IF_ERROR(c.SetOutput(0, x));
  HR_RETURN_IF_ERROR(c.SetOutput(1, {x[0], cell}));
  HR_RETURN_IF_ERROR(c.SetOutput(2, {x[0], cell}));
  return c.SetOutput(3, {x[0], cell < 0 ? -1 : 2 * cell});
}

Status CellGradient(GradContext& c) {
  const Location where = c.where();
  NodeBuilder builder("GRUBlockCellGrad", "", where);
  for (int i = 0; i < c.num_inputs(); ++i) builder.Input(c.input(i));
  for (int i = 0; i < 3; ++i) builder.Input(c.output(i));
  Node* node = builder.Input(c.grad(3)).BuildNode();
  if (node == nullptr) return absl::OkStatus();  // the graph holds the error
  const Output x = c.input(0), h_prev = c.input(1), r = c.output(0);
  const Output dc = node->output(2), dru = node->output(3);
  c.Set(0, node->output(0));
  c.Set(1, node->output(1));
  c.Set(2, MatMul(Concat({x, h_prev}, 1, {}, where), dru, {.transpose_a = true}, where));
  const Output reset = Concat({x, Mul(h_prev, r, {.name = "mul"}, where)}, 1, {}, where);
  c.Set(3, MatMul(reset, dc, {.transpose_a = true}, where));
  c.Set(4, BiasAddGrad(dru, {}, where));
  c.Set(5, BiasAddGrad(dc, {}, where));
  return absl::OkStatus();
}

OpDef& AddInputs(OpDef& op) {
  for (const char* name : {"x", "h_prev", "w_ru", "w_c", "b_ru", "b_c"}) op.Input(name, "T");
  return op;
}

}  // namespace

GRUBlockOutputs GRUBlockCell(Output x, Output h_prev, Output w_ru, Output w_c, Output b_ru,
                             Output b_c, OpOptions o, Location where) {
  NodeBuilder builder("GRUBlockCell", o.name, where);
  for (const Output& input : {x, h_prev, w_ru, w_c, b_ru, b_c}) builder.Input(input);
  Node* node = builder.BuildNode();
  if (node == nullptr) return {};
  return {node->output(0), node->output(1), node->output(2), node->output(3)};
}

void DefineGRUBlock(OpRegistry& ops) {
  AddInputs(ops.Define("GRUBlockCell").TypeAttr("T", kTypes))
      .Output("r", "T")
      .Output("u", "T")
      .Output("c", "T")
      .Output("h", "T")
      .Shape(CellShape)
      .Gradient(CellGradient)
      .Cpu({.types = {{"T", kTypes}}, .make = MakeGRUBlockCellCpu})
      .Gpu({.types = {{"T", kTypes}}})
      .Doc("One step of a GRU.");
  AddInputs(ops.Define("GRUBlockCellGrad").TypeAttr("T", kTypes))
      .Input("r", "T")
      .Input("u", "T")
      .Input("c", "T")
      .Input("d_h", "T")
      .Output("d_x", "T")
      .Output("d_h_prev", "T")
      .Output("d_c_bar", "T")
      .Output("d_r_bar_u_bar", "T")
      .Shape(CellGradShape)
      .Cpu({.types = {{"T", kTypes}}, .make = MakeGRUBlockCellGradCpu})
      .Gpu({.types = {{"T", kTypes}}})
      .Doc("Gradient of one step of a GRU, with respect to its inputs and gates.");
}

}  // namespace headrace
