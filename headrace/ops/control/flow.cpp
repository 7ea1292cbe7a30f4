#include "headrace/ops/control/flow.h"

#include <map>
#include <set>
#include <vector>

#include "headrace/base/strings.h"
#include "headrace/graph/grad_context.h"
#include "headrace/graph/op_def.h"
#include "headrace/graph/shape_context.h"
#include "headrace/ops/array/device_types.h"
#include "headrace/ops/array/identity_kernels.h"
#include "headrace/ops/control/flow_kernels.h"

namespace headrace {
namespace {

Status SwitchShape(ShapeContext& c) {
  HR_RETURN_IF_ERROR(c.CheckScalar(1));
  HR_RETURN_IF_ERROR(c.SetOutput(0, c.input(0)));
  return c.SetOutput(1, c.input(0));
}

// What all inputs have in common: any of them may come.
Status MergeShape(ShapeContext& c) {
  HR_RETURN_IF_ERROR(c.SetOutput(1, PartialShape::OfRank(0)));
  PartialShape common = c.input(0);
  for (int i = 1; i < c.num_inputs() && common.has_rank(); ++i) {
    const PartialShape& other = c.input(i);
    if (other.rank() != common.rank()) {
      common = PartialShape();
      break;
    }
    for (int d = 0; d < common.rank(); ++d) {
      if (common[d] != other[d]) common.set_dim(d, PartialShape::kUnknown);
    }
  }
  return c.SetOutput(0, common);
}

Status RefSelectShape(ShapeContext& c) {
  HR_RETURN_IF_ERROR(c.CheckScalar(0));
  const PartialShape& first = c.input(1);
  for (int i = 2; i < c.num_inputs(); ++i) {
    if (!(c.input(i) == first)) return c.SetOutput(0, PartialShape());
  }
  return c.SetOutput(0, first);
}

Status EnterShape(ShapeContext& c) {
  return c.SetOutput(0, c.attrs().Get<bool>("is_constant") ? c.input(0) : PartialShape());
}

Status LoopCondShape(ShapeContext& c) {
  HR_RETURN_IF_ERROR(c.CheckScalar(0));
  return c.SetOutput(0, PartialShape::OfRank(0));
}

// What a branch's result depends on: for each predicate, which outputs of its switches are on the way (bit 0: false, bit 1: true).
std::map<Output, int> BranchesBehind(Output result) {
  std::map<Output, int> branches;
  std::set<const Node*> seen;
  std::vector<const Node*> todo;
  const auto reach = [&](const Node* node, int output) {
    if (node->op_name() == "Switch" || node->op_name() == "RefSwitch") {
      branches[node->input(1)] |= output == 0 ? 1 : 2;
      // The predicate's own switch and its copy in the branch are one.
      Output pred = node->input(1);
      while (pred.node->op_name() == "Identity") branches[pred = pred.node->input(0)] |= output == 0 ? 1 : 2;
    }
    if (seen.insert(node).second) todo.push_back(node);
  };
  reach(result.node, result.index);
  while (!todo.empty()) {
    const Node* node = todo.back();
    todo.pop_back();
    for (const Output& input : node->inputs()) reach(input.node, input.index);
    for (const Node* control : node->control_inputs()) reach(control, 0);
  }
  return branches;
}

// The predicate of the branches that end in `merge`; invalid if it does not end branches.
Output PredicateOf(const Node& merge) {
  if (merge.num_inputs() != 2) return {};
  const std::map<Output, int> if_false = BranchesBehind(merge.input(0)), if_true = BranchesBehind(merge.input(1));
  Output found;
  for (const auto& [pred, sides] : if_true) {
    const auto other = if_false.find(pred);
    if (sides != 2 || (other != if_false.end() && other->second != 1)) continue;
    // Of several (a branch may use one predicate for more than one thing) the one made last is the innermost.
    if (other == if_false.end() && found.valid()) continue;
    if (!found.valid() || pred.node->id() > found.node->id()) found = pred;
  }
  return found;
}

// The gradient goes back into the branch that was taken.
Status MergeGradient(GradContext& c) {
  const Output pred = PredicateOf(c.node());
  if (!pred.valid()) {
    return Unimplemented("it does not end two branches of one predicate, so that its gradient has no way back");
  }
  const Output grad = c.grad(0);
  const ColocateWith with(c.graph(), *grad.node);
  const SwitchResult sides = Switch(grad, pred, {.name = "cond_grad"}, c.where());
  c.Set(0, sides.if_false);
  c.Set(1, sides.if_true);
  return absl::OkStatus();
}

// The gradient of the branch that was taken; zeros came from the other one.
Status SwitchGradient(GradContext& c) {
  const Output grads[] = {c.grad(0), c.grad(1)};
  c.Set(0, Merge(grads, {.name = "cond_grad"}, c.where()).output);
  return absl::OkStatus();
}

SwitchResult SwitchOf(std::string_view op, Output data, Output pred, const OpOptions& o,
                      Location where) {
  Node* node = NodeBuilder(op, o.name, where).Input(data).Input(pred).BuildNode();
  if (node == nullptr) return {};
  return {node->output(0), node->output(1)};
}

// The GPU hands on tensors of the device; what the host reads stays there.
OpDef& OnGpu(OpDef& op, std::vector<std::string> host_args, std::vector<std::string> all_args) {
  op.Gpu({.types = {{"T", kForwardedOnGpu}}, .host_args = std::move(host_args)});
  return op.Gpu({.types = {{"T", kForwardedOnHost}}, .host_args = std::move(all_args)});
}

void DefineForwarding(OpRegistry& ops, std::string_view name, ShapeFn shape, bool is_enter,
                      const char* doc) {
  for (const bool ref : {false, true}) {
    OpDef& op = ops.Define(StrCat(ref ? "Ref" : "", name)).TypeAttr("T", kAllTypes);
    if (is_enter) {
      op.Attr("frame_name", AttrKind::kString)
          .Attr("is_constant", false)
          .Attr("parallel_iterations", int64_t{10});
    }
    if (ref) {
      op.RefInput("data", "T").RefOutput("output", "T").Cpu({.make = MakeRefIdentityCpu});
      op.Gpu({.types = {{"T", kForwardedOnGpu}}});
    } else {
      op.Input("data", "T").Output("output", "T").Forwards(0, 0).Cpu({.make = MakeIdentityCpu});
      OnGpu(op, {}, {"data", "output"});
    }
    op.Shape(shape).Doc(doc);
  }
}

}  // namespace

SwitchResult Switch(Output data, Output pred, OpOptions o, Location where) {
  return SwitchOf("Switch", data, pred, o, where);
}
SwitchResult RefSwitch(Output data, Output pred, OpOptions o, Location where) {
  return SwitchOf("RefSwitch", data, pred, o, where);
}

MergeResult Merge(std::span<const Output> inputs, OpOptions o, Location where) {
  Node* node = NodeBuilder("Merge", o.name, where).Inputs(inputs).BuildNode();
  if (node == nullptr) return {};
  return {node->output(0), node->output(1)};
}

MergeResult RefMerge(std::span<const Output> inputs, OpOptions o, Location where) {
  Node* node = NodeBuilder("RefMerge", o.name, where).Inputs(inputs).BuildNode();
  if (node == nullptr) return {};
  return {node->output(0), node->output(1)};
}

Output RefSelect(Output index, std::span<const Output> inputs, OpOptions o, Location where) {
  return NodeBuilder("RefSelect", o.name, where).Input(index).Inputs(inputs).Build();
}

Output Enter(Output data, std::string frame_name, EnterOptions o, Location where) {
  return NodeBuilder("Enter", o.name, where)
      .Input(data)
      .Attr("frame_name", std::move(frame_name))
      .Attr("is_constant", o.is_constant)
      .Attr("parallel_iterations", o.parallel_iterations)
      .Build();
}
Output Exit(Output data, OpOptions o, Location where) {
  return NodeBuilder("Exit", o.name, where).Input(data).Build();
}
Output NextIteration(Output data, OpOptions o, Location where) {
  return NodeBuilder("NextIteration", o.name, where).Input(data).Build();
}
Output LoopCond(Output pred, OpOptions o, Location where) {
  return NodeBuilder("LoopCond", o.name, where).Input(pred).Build();
}

void DefineFlow(OpRegistry& ops) {
  OnGpu(ops.Define("Switch")
            .TypeAttr("T", kAllTypes)
            .Input("data", "T")
            .Input("pred", "bool")
            .Output("output_false", "T")
            .Output("output_true", "T")
            .Shape(SwitchShape)
            .Gradient(SwitchGradient)
            .Forwards(0, 0)
            .Forwards(1, 0)
            .Cpu({.make = MakeSwitch})
            .Doc("Its input at one of two outputs; the other is dead."),
        {"pred"}, {"data", "pred", "output_false", "output_true"});
  ops.Define("RefSwitch")
      .TypeAttr("T", kAllTypes)
      .RefInput("data", "T")
      .Input("pred", "bool")
      .RefOutput("output_false", "T")
      .RefOutput("output_true", "T")
      .Shape(SwitchShape)
      .AllowsUninitialized()
      .Cpu({.make = MakeRefSwitch})
      .Gpu({.types = {{"T", kForwardedOnGpu}}, .host_args = {"pred"}})
      .Doc("A variable at one of two outputs; the other is dead.");
  OnGpu(ops.Define("Merge")
            .TypeAttr("T", kAllTypes)
            .Attr(AttrDef{.name = "N", .kind = AttrKind::kInt, .minimum = 1})
            .InputList("inputs", "T", "N")
            .Output("output", "T")
            .Output("value_index", "int32")
            .Shape(MergeShape)
            .Gradient(MergeGradient)
            .Forwards(0, 0)
            .Cpu({.make = MakeMerge})
            .Doc("The first of its inputs that is there."),
        {"value_index"}, {"inputs", "output", "value_index"});
  ops.Define("RefMerge")
      .TypeAttr("T", kAllTypes)
      .Attr(AttrDef{.name = "N", .kind = AttrKind::kInt, .minimum = 1})
      .InputList("inputs", "T&", "N")
      .RefOutput("output", "T")
      .Output("value_index", "int32")
      .Shape(MergeShape)
      .Cpu({.make = MakeRefMerge})
      .Gpu({.types = {{"T", kForwardedOnGpu}}, .host_args = {"value_index"}})
      .Doc("The first of its variables that is there.");
  ops.Define("RefSelect")
      .TypeAttr("T", kAllTypes)
      .Attr(AttrDef{.name = "N", .kind = AttrKind::kInt, .minimum = 1})
      .Input("index", "int32")
      .InputList("inputs", "T&", "N")
      .RefOutput("output", "T")
      .Shape(RefSelectShape)
      .Cpu({.make = MakeRefSelect})
      .Doc("One of its variables, by number.");
  DefineForwarding(ops, "Enter", EnterShape, true, "Its input, inside the frame of a loop.");
  DefineForwarding(ops, "Exit", SameShapeAsInput, false, "Its input, outside the frame of a loop.");
  DefineForwarding(ops, "NextIteration", SameShapeAsInput, false,
                   "Its input, in the next iteration of a loop.");
  ops.Define("LoopCond")
      .Input("input", "bool")
      .Output("output", "bool")
      .Shape(LoopCondShape)
      .Forwards(0, 0)
      .Cpu({.make = MakeStatedShapeCpu})
      .Gpu({.host_args = {"input", "output"}})
      .Doc("Whether a loop goes on.");
}

}  // namespace headrace
