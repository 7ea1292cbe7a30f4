#include "headrace/ops/train/apply.h"

#include "headrace/base/strings.h"
#include "headrace/graph/op_def.h"
#include "headrace/graph/shape_context.h"
#include "headrace/ops/state/variable_input.h"
#include "headrace/ops/train/apply_kernels.h"

namespace headrace {
namespace {

constexpr ApplyOp kOps[] = {
    {"GradientDescent", "var", "alpha delta", false, true},
    {"Momentum", "var accum", "lr grad momentum", true, true},
    {"KerasMomentum", "var accum", "lr grad momentum", true, true, true},
    {"Adagrad", "var accum", "lr grad", true, true},
    {"AdagradV2", "var accum", "lr epsilon grad", true, false},
    {"AdagradDA", "var gradient_accumulator gradient_squared_accumulator",
     "grad lr l1 l2 global_step", true, false},
    {"Adadelta", "var accum accum_update", "lr rho epsilon grad", true, true},
    {"RMSProp", "var ms mom", "lr rho momentum epsilon grad", true, true},
    {"CenteredRMSProp", "var mg ms mom", "lr rho momentum epsilon grad", true, true},
    {"Adam", "var m v", "beta1_power beta2_power lr beta1 beta2 epsilon grad", false, true},
    {"AdamWithAmsgrad", "var m v vhat", "beta1_power beta2_power lr beta1 beta2 epsilon grad", false,
     true, true},
    {"AdaMax", "var m v", "beta1_power lr beta1 beta2 epsilon grad", false, true},
    {"AddSign", "var m", "lr alpha sign_decay beta grad", false, true},
    {"PowerSign", "var m", "lr logbase sign_decay beta grad", false, true},
    {"Ftrl", "var accum linear", "grad lr l1 l2 lr_power", true, false},
    {"FtrlV2", "var accum linear", "grad lr l1 l2 l2_shrinkage lr_power", true, false},
    {"ProximalGradientDescent", "var", "alpha l1 l2 delta", true, false},
    {"ProximalAdagrad", "var accum", "lr l1 l2 grad", true, false},
};

bool IsGradient(std::string_view arg) {
  return arg == "grad" || arg == "delta";
}

// Positions of the gradient and of the indices, -1 if there are none.
struct Positions {
  int refs = 0, gradient = -1, indices = -1;
};
Positions Find(const OpDef& op) {
  Positions p;
  for (size_t i = 0; i < op.inputs().size(); ++i) {
    const ArgDef& arg = op.inputs()[i];
    if (arg.is_ref || arg.dtype == DType::kResource) ++p.refs;
    if (IsGradient(arg.name)) p.gradient = static_cast<int>(i);
    if (arg.name == "indices") p.indices = static_cast<int>(i);
  }
  return p;
}

Status MustMatch(ShapeContext& c, int input, const PartialShape& shape,
                 const PartialShape& other) {
  if (shape.IsCompatibleWith(other)) return absl::OkStatus();
  return InvalidArgument("var and ", c.node().op().inputs()[input].name,
                         " do not have the same shape", shape.ToString(), " ",
                         other.ToString());
}

Status ApplyShape(ShapeContext& c) {
  const Positions p = Find(c.node().op());
  PartialShape shape = VariableShapeOf(c, 0);
  for (int i = 1; i < c.num_inputs(); ++i) {
    if (i == p.indices) {
      HR_RETURN_IF_ERROR(c.WithRank(i, 1).status());
    } else if (i < p.refs || (i == p.gradient && p.indices < 0)) {
      const PartialShape other = VariableShapeOf(c, i);
      HR_RETURN_IF_ERROR(MustMatch(c, i, shape, other));
      HR_ASSIGN_OR_RETURN(shape, shape.MergedWith(other));
    } else if (i == p.gradient) {
      PartialShape rows = shape;
      if (rows.has_rank() && rows.rank() > 0) rows.set_dim(0, PartialShape::kUnknown);
      HR_RETURN_IF_ERROR(MustMatch(c, i, rows, c.input(i)));
    } else if (c.input(i).has_rank() && c.input(i).rank() != 0) {
      return InvalidArgument(c.node().op().inputs()[i].name,
                             " is not a scalar: ", c.input(i).ToString());
    }
  }
  for (int i = 0; i < p.refs && c.num_outputs() == 0; ++i)
    HR_RETURN_IF_ERROR(CheckHandleType(c, i, c.attrs().Get<DType>("T")));
  return c.num_outputs() == 0 ? absl::OkStatus() : c.SetOutput(0, shape);
}

void DefineOne(OpRegistry& ops, const ApplyOp& op, bool sparse, bool on_handles) {
  const DTypeSet declared = kNumberTypes | DTypeSet{DType::kQInt8, DType::kQUInt8, DType::kQInt32};
  OpDef& def =
      ops.Define(StrCat(on_handles ? "Resource" : "", sparse ? "SparseApply" : "Apply", op.name))
          .TypeAttr("T", declared);
  if (sparse) def.TypeAttr("Tindices", kIndexTypes);
  def.Attr("use_locking", false);
  if (op.name.ends_with("Momentum") || op.name == "Adam") def.Attr("use_nesterov", false);
  if (op.name == "Adagrad" || op.name == "AdagradV2") def.Attr("update_slots", true);
  int refs = 0;
  std::vector<std::string> handles;
  for (std::string_view ref : StrSplit(op.refs, ' ')) {
    handles.emplace_back(ref);
    if (on_handles) {
      def.Input(ref, "resource");
    } else {
      def.RefInput(ref, "T");
    }
    def.WritesVariable(refs++);
  }
  for (std::string_view arg : StrSplit(op.args, ' ')) {
    // The sparse forms call every gradient "grad".
    def.Input(sparse && IsGradient(arg) ? "grad" : arg, arg == "global_step" ? "int64" : "T");
    if (sparse && IsGradient(arg)) def.Input("indices", "Tindices");
  }
  if (on_handles) {
    def.Stateful();
  } else {
    def.RefOutput("out", "T").NoGradient();
  }
  def.Shape(ApplyShape)
      .Cpu({.types = {{"T", kFloatTypes}}, .make = sparse ? MakeSparseApplyCpu : MakeApplyCpu})
      .Doc(StrCat("The update rule of the ", op.name, " optimizer",
                  sparse ? ", for some rows." : "."));
  if (!op.on_gpu || sparse) return;
  if (!on_handles) handles.clear();
  def.Gpu({.types = {{"T", kGpuFloatTypes}}, .host_args = std::move(handles)});
}

}  // namespace

std::span<const ApplyOp> ApplyOps() {
  return kOps;
}

void DefineApply(OpRegistry& ops) {
  for (const ApplyOp& op : kOps) {
    for (const bool on_handles : {false, true}) {
      if (!on_handles && op.on_handles_only) continue;
      DefineOne(ops, op, false, on_handles);
      if (op.sparse) DefineOne(ops, op, true, on_handles);
    }
  }
}

}  // namespace headrace
