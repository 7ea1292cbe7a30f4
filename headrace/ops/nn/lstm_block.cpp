#include "headrace/ops/nn/lstm_block.h"

#include <initializer_list>

#include "headrace/graph/grad_context.h"
#include "headrace/graph/op_def.h"
#include "headrace/graph/shape_context.h"
#include "headrace/ops/array/concat.h"
#include "headrace/ops/array/shape_ops.h"
#include "headrace/ops/array/slice.h"
#include "headrace/ops/array/strided_slice.h"
#include "headrace/ops/math/matmul.h"
#include "headrace/ops/nn/bias_add.h"
#include "headrace/ops/nn/lstm_block_kernels.h"

namespace headrace {
namespace {

constexpr DTypeSet kTypes{DType::kFloat16, DType::kFloat32};

constexpr std::initializer_list<const char*> kStates = {"i", "cs", "f", "o", "ci", "co", "h"};
constexpr int kNumStates = 7;

int64_t Times4(int64_t size) {
  return size < 0 ? -1 : 4 * size;
}

Status CellShape(ShapeContext& c) {
  HR_ASSIGN_OR_RETURN(const PartialShape x, c.WithRank(0, 2));
  HR_ASSIGN_OR_RETURN(const PartialShape cs, c.WithRank(1, 2));
  for (int i = 0; i < kNumStates; ++i) HR_RETURN_IF_ERROR(c.SetOutput(i, {x[0], cs[1]}));
  return absl::OkStatus();
}

Status CellGradShape(ShapeContext& c) {
  HR_ASSIGN_OR_RETURN(const PartialShape x, c.WithRank(0, 2));
  HR_ASSIGN_OR_RETURN(const PartialShape cs, c.WithRank(1, 2));
  HR_RETURN_IF_ERROR(c.SetOutput(0, {x[0], cs[1]}));
  HR_RETURN_IF_ERROR(c.SetOutput(1, {x[0], Times4(cs[1])}));
  for (int i = 2; i < 5; ++i) HR_RETURN_IF_ERROR(c.SetOutput(i, {cs[1]}));
  return absl::OkStatus();
}

Status SequenceShape(ShapeContext& c) {
  HR_RETURN_IF_ERROR(c.CheckScalar(0));
  HR_ASSIGN_OR_RETURN(const PartialShape x, c.WithRank(1, 3));
  HR_ASSIGN_OR_RETURN(const PartialShape b, c.WithRank(c.num_inputs() - 1, 1));
  const int64_t cell = b[0] < 0 ? -1 : b[0] / 4;
  for (int i = 0; i < kNumStates; ++i) HR_RETURN_IF_ERROR(c.SetOutput(i, {x[0], x[1], cell}));
  return absl::OkStatus();
}

// A gradient has the shape of what it is of: inputs 1 to 8.
Status SequenceGradShape(ShapeContext& c) {
  constexpr int kRanks[] = {3, 2, 2, 2, 1, 1, 1, 1};
  for (int i = 0; i < c.num_outputs(); ++i) {
    HR_ASSIGN_OR_RETURN(const PartialShape shape, c.WithRank(i + 1, kRanks[i]));
    HR_RETURN_IF_ERROR(c.SetOutput(i, shape));
  }
  return absl::OkStatus();
}

Status CellGradient(GradContext& c) {
  const Location where = c.where();
  NodeBuilder builder("LSTMBlockCellGrad", "", where);
  for (int i = 0; i < c.num_inputs(); ++i) builder.Input(c.input(i));
  for (int i = 0; i < kNumStates - 1; ++i) builder.Input(c.output(i));  // all but h
  builder.Input(c.grad(1)).Input(c.grad(6));
  Node* node = builder.Attr("use_peephole", c.attrs().Get<bool>("use_peephole")).BuildNode();
  if (node == nullptr) return absl::OkStatus();  // the graph holds the error

  const Output x = c.input(0), h_prev = c.input(2), dgates = node->output(1);
  const PartialShape &xs = x.shape(), &hs = h_prev.shape();
  const bool known = xs.has_rank() && xs[1] >= 0 && hs.has_rank() && hs[1] >= 0;
  const Output dxh = MatMul(dgates, c.input(3), {.transpose_b = true}, where);
  IntArg x_size{-1, xs[1]}, h_begin{0, xs[1]}, h_size{-1, hs[1]};
  if (!known) {  // what TensorFlow's gradient refuses
    const Output columns = At(ShapeOf(x, {}, where), {1}, {}, where);
    x_size = IntArg::Packed({-1, columns});
    h_begin = IntArg::Packed({0, columns});
    h_size = IntArg{-1, -1};
  }
  c.Set(0, Slice(dxh, {0, 0}, x_size, {}, where));
  c.Set(1, node->output(0));
  c.Set(2, Slice(dxh, h_begin, h_size, {}, where));
  const Output xh = Concat({x, h_prev}, 1, {}, where);
  c.Set(3, MatMul(xh, dgates, {.transpose_a = true}, where));
  for (int i = 4; i < 7; ++i) c.Set(i, node->output(i - 2));
  c.Set(7, BiasAddGrad(dgates, {}, where));
  return absl::OkStatus();
}

Status SequenceGradient(GradContext& c) {
  const bool v2 = c.node().op_name() == "BlockLSTMV2";
  NodeBuilder builder(v2 ? "BlockLSTMGradV2" : "BlockLSTMGrad", "", c.where());
  for (int i = 0; i < c.num_inputs(); ++i) builder.Input(c.input(i));
  for (int i = 0; i < kNumStates; ++i) builder.Input(c.output(i));
  builder.Input(c.grad(1)).Input(c.grad(6));
  Node* node = builder.Attr("use_peephole", c.attrs().Get<bool>("use_peephole")).BuildNode();
  if (node == nullptr) return absl::OkStatus();  // the graph holds the error
  for (int i = 0; i < 8; ++i) c.Set(i + 1, node->output(i));
  return absl::OkStatus();
}

LSTMBlockOutputs Build(NodeBuilder& builder, const LSTMBlockOptions& o) {
  Node* node = builder.Attr("forget_bias", o.forget_bias)
                   .Attr("cell_clip", o.cell_clip)
                   .Attr("use_peephole", o.use_peephole)
                   .BuildNode();
  if (node == nullptr) return {};
  return {node->output(0), node->output(1), node->output(2), node->output(3),
          node->output(4), node->output(5), node->output(6)};
}

OpDef& AddInputs(OpDef& op, std::initializer_list<const char*> names) {
  for (const char* name : names) op.Input(name, "T");
  return op;
}

OpDef& AddOutputs(OpDef& op, std::initializer_list<const char*> names) {
  for (const char* name : names) op.Output(name, "T");
  return op;
}

OpDef& AddCellInputs(OpDef& op) {
  return AddInputs(op, {"x", "cs_prev", "h_prev", "w", "wci", "wcf", "wco", "b"});
}

// V2: no forget_bias, and the gates in the order i, f, ci, o.
void DefineSequence(OpRegistry& ops, const char* name, bool v2) {
  OpDef& op = ops.Define(name);
  if (!v2) op.Attr("forget_bias", 1.0f);
  op.Attr("cell_clip", v2 ? 0.0f : 3.0f).Attr("use_peephole", false).TypeAttr("T", kTypes);
  AddOutputs(AddCellInputs(op.Input("seq_len_max", "int64")), kStates)
      .Shape(SequenceShape)
      .Gradient(SequenceGradient)
      .Cpu({.types = {{"T", kTypes}}, .make = MakeBlockLSTMCpu})
      .Gpu({.types = {{"T", kTypes}}, .host_args = {"seq_len_max"}})
      .Doc("An LSTM over a sequence.");
}

void DefineSequenceGrad(OpRegistry& ops, const char* name) {
  OpDef& op = ops.Define(name).Attr("use_peephole", AttrKind::kBool).TypeAttr("T", kTypes);
  AddInputs(AddCellInputs(op.Input("seq_len_max", "int64")), kStates);
  AddOutputs(AddInputs(op, {"cs_grad", "h_grad"}),
             {"x_grad", "cs_prev_grad", "h_prev_grad", "w_grad", "wci_grad", "wcf_grad", "wco_grad",
              "b_grad"})
      .Shape(SequenceGradShape)
      .Cpu({.types = {{"T", kTypes}}, .make = MakeBlockLSTMGradCpu})
      .Gpu({.types = {{"T", kTypes}}, .host_args = {"seq_len_max"}})
      .Doc("Gradient of an LSTM over a sequence.");
}

}  // namespace

LSTMBlockOutputs LSTMBlockCell(Output x, Output cs_prev, Output h_prev, Output w, Output wci,
                               Output wcf, Output wco, Output b, LSTMBlockOptions o,
                               Location where) {
  NodeBuilder builder("LSTMBlockCell", o.name, where);
  for (const Output& input : {x, cs_prev, h_prev, w, wci, wcf, wco, b}) builder.Input(input);
  return Build(builder, o);
}

LSTMBlockOutputs BlockLSTM(Output seq_len_max, Output x, Output cs_prev, Output h_prev, Output w,
                           Output wci, Output wcf, Output wco, Output b, LSTMBlockOptions o,
                           Location where) {
  NodeBuilder builder("BlockLSTM", o.name, where);
  for (const Output& input : {seq_len_max, x, cs_prev, h_prev, w, wci, wcf, wco, b})
    builder.Input(input);
  return Build(builder, o);
}

void DefineLSTMBlock(OpRegistry& ops) {
  OpDef& cell = ops.Define("LSTMBlockCell")
                    .Attr("forget_bias", 1.0f)
                    .Attr("cell_clip", 3.0f)
                    .Attr("use_peephole", false)
                    .TypeAttr("T", kTypes);
  AddOutputs(AddCellInputs(cell), kStates)
      .Shape(CellShape)
      .Gradient(CellGradient)
      .Cpu({.types = {{"T", kTypes}}, .make = MakeLSTMBlockCellCpu})
      .Gpu({.types = {{"T", kTypes}}})
      .Doc("One step of an LSTM.");
  OpDef& grad = ops.Define("LSTMBlockCellGrad").Attr("use_peephole", AttrKind::kBool);
  AddInputs(AddCellInputs(grad.TypeAttr("T", kTypes)), {"i", "cs", "f", "o", "ci", "co"});
  AddOutputs(AddInputs(grad, {"cs_grad", "h_grad"}),
             {"cs_prev_grad", "dicfo", "wci_grad", "wcf_grad", "wco_grad"})
      .Shape(CellGradShape)
      .Cpu({.types = {{"T", kTypes}}, .make = MakeLSTMBlockCellGradCpu})
      .Gpu({.types = {{"T", kTypes}}})
      .Doc("Gradient of one step of an LSTM, with respect to its gates.");
  DefineSequence(ops, "BlockLSTM", /*v2=*/false);
  DefineSequence(ops, "BlockLSTMV2", /*v2=*/true);
  DefineSequenceGrad(ops, "BlockLSTMGrad");
  DefineSequenceGrad(ops, "BlockLSTMGradV2");
}

}  // namespace headrace
