#include "headrace/train/schedules.h"

#include <algorithm>
#include <numbers>
#include <optional>

#include "headrace/base/strings.h"
#include "headrace/ops/array/constant.h"
#include "headrace/ops/array/int_arg.h"
#include "headrace/train/internal/nodes.h"

namespace headrace {
namespace {

using train::Add;
using train::Call;
using train::Div;
using train::Mul;
using train::Sub;

// The scope of one schedule and what all of them begin with.
class Schedule {
 public:
  Schedule(const Operand& learning_rate, Output global_step, const std::string& name,
           std::string_view default_name, Location where)
      : graph_(*global_step.graph()), where_(where), scope_(graph_, name, default_name) {
    rate = learning_rate.In(graph_, "initial_learning_rate", DType::kFloat32, where);
  }

  DType dtype() const { return rate.value_dtype(); }
  Output Cast(Output x) const {
    if (x.dtype() != DType::kResource) return train::CastTo(x, dtype(), where_);
    const Variable variable = Variable::Of(x);
    const Output cast = train::CastTo(variable, dtype(), where_);
    return cast.valid() ? cast : variable.Read(where_);
  }
  // An argument with the dtype of the learning rate: for a number the constant "Cast/x", and a Cast
  // unless it is float32.
  Output Cast(const Operand& x) const {
    if (x.is_tensor()) return Cast(x.output());
    const DType from = x.is_integer() ? DType::kInt32 : DType::kFloat32;
    return train::CastNumber(graph_, x.number(), from, dtype(), where_);
  }
  Output Const(double value, std::string_view name = "Const") const {
    return ConstScalar(graph_, value, dtype(), {.name = std::string(name)}, where_);
  }
  // The op that has the name of the schedule.
  Output Result(std::string_view op, Output x, Output y) const {
    return Call(op, {x, y}, where_, scope_.op_name());
  }
  Output Capitalised(std::string_view op, Output x, const Operand& y) const {
    if (y.is_tensor()) return Call(op, {x, y.output()}, where_);
    OpScope scope(graph_, op, op);
    return Call(op, {x, y.In(graph_, "y", dtype(), where_)}, where_, scope.op_name());
  }
  // min(step, decay_steps) / decay_steps.
  Output DonePart(Output step, Output decay_steps) const {
    return Div(Call("Minimum", {step, decay_steps}, where_), decay_steps, where_);
  }
  // (1 + cos(angle * part)) * factor, written as the Python functions write it.
  Output Cosine(Output angle) const { return Add(1.0, Call("Cos", {angle}, where_), where_); }

  Output rate;

 private:
  Graph& graph_;
  Location where_;
  OpScope scope_;
};

}  // namespace

Output ExponentialDecay(Operand learning_rate, Output global_step, Operand decay_steps,
                        Operand decay_rate, DecayOptions o, Location where) {
  if (!global_step.valid()) return {};
  Schedule s(learning_rate, global_step, o.name, "ExponentialDecay", where);
  Output steps = s.Cast(decay_steps), rate = s.Cast(decay_rate);
  Output exponent = Div(s.Cast(global_step), steps, where);
  if (o.staircase) exponent = Call("Floor", {exponent}, where);
  return s.Result("Mul", s.rate, Call("Pow", {rate, exponent}, where));
}

Output InverseTimeDecay(Operand learning_rate, Output global_step, Operand decay_steps,
                        Operand decay_rate, DecayOptions o, Location where) {
  if (!global_step.valid()) return {};
  Schedule s(learning_rate, global_step, o.name, "InverseTimeDecay", where);
  Output steps = s.Cast(decay_steps), rate = s.Cast(decay_rate);
  Output part = Div(s.Cast(global_step), steps, where);
  if (o.staircase) part = Call("Floor", {part}, where);
  Output one = s.Cast(Const(*global_step.graph(), int32_t{1}, {}, where));
  return s.Result("RealDiv", s.rate, Call("Add", {one, Call("Mul", {rate, part}, where)}, where));
}

Output NaturalExpDecay(Operand learning_rate, Output global_step, Operand decay_steps,
                       Operand decay_rate, DecayOptions o, Location where) {
  if (!global_step.valid()) return {};
  Graph& graph = *global_step.graph();
  Output negative;
  if (decay_rate.is_tensor()) {
    negative = Call("Neg", {decay_rate.output()}, where);
  } else {
    OpScope scope(graph, "Neg", "Neg");
    negative =
        Call("Neg", {decay_rate.In(graph, "x", DType::kFloat32, where)}, where, scope.op_name());
  }
  return ExponentialDecay(learning_rate, global_step, decay_steps, Call("Exp", {negative}, where),
                          std::move(o), where);
}

Output PolynomialDecay(Operand learning_rate, Output global_step, Operand decay_steps,
                       PolynomialDecayOptions o, Location where) {
  if (!global_step.valid()) return {};
  Graph& graph = *global_step.graph();
  Schedule s(learning_rate, global_step, o.name, "PolynomialDecay", where);
  Output end = s.Cast(o.end_learning_rate), power = s.Cast(o.power);
  Output step = s.Cast(global_step), steps = s.Cast(decay_steps);
  if (o.cycle) {
    Output at_start = s.Capitalised("Equal", step, 0);
    Output periods;
    {
      NameScope scope(graph, "cond");
      Output first = s.Const(1);
      const Operand divisor = decay_steps.is_tensor() ? Operand(steps) : decay_steps;
      Output begun = Call("Ceil", {Div(step, divisor, where)}, where);
      periods = Call("Select", {at_start, first, begun}, where, "Merge");
    }
    steps = Call("Mul", {steps, periods}, where);
  } else {
    step = s.Capitalised("Minimum", step, decay_steps.is_tensor() ? Operand(steps) : decay_steps);
  }
  Output part = Div(step, steps, where);
  Output range = Sub(s.rate, end, where);
  Output left = Call("Pow", {Sub(1.0, part, where), power}, where);
  return s.Result("Add", Call("Mul", {range, left}, where), end);
}

Output CosineDecay(Operand learning_rate, Output global_step, Operand decay_steps,
                   CosineDecayOptions o, Location where) {
  if (!global_step.valid()) return {};
  Schedule s(learning_rate, global_step, o.name, "CosineDecay", where);
  Output steps = s.Cast(decay_steps);
  Output part = s.DonePart(s.Cast(global_step), steps);
  Output half = Mul(0.5, s.Cosine(Mul(s.Const(std::numbers::pi), part, where)), where);
  Output factor = Add(Mul(1 - o.alpha, half, where), o.alpha, where);
  return Call("Mul", {s.rate, factor}, where);
}

Output CosineDecayRestarts(Operand learning_rate, Output global_step, Operand first_decay_steps,
                           CosineDecayRestartsOptions o, Location where) {
  if (!global_step.valid()) return {};
  Schedule s(learning_rate, global_step, o.name, "SGDRDecay", where);
  Output steps = s.Cast(first_decay_steps);
  Output t_mul = s.Cast(Operand(o.t_mul)), m_mul = s.Cast(Operand(o.m_mul));
  Output periods = Div(s.Cast(global_step), steps, where);
  Output restarts, part;  // whole periods done, and the part done of the present one
  if (o.t_mul == 1) {
    restarts = Call("Floor", {periods}, where);
    part = Sub(periods, restarts, where);
  } else {  // a geometric series of periods
    Output grown = Sub(1.0, Mul(periods, Sub(1.0, t_mul, where), where), where);
    restarts = Call("Floor", {Div(Call("Log", {grown}, where), Call("Log", {t_mul}, where), where)},
                    where);
    Output length = Call("Pow", {t_mul, restarts}, where);
    Output begun = Div(Sub(1.0, length, where), Sub(1.0, t_mul, where), where);
    part = Div(Sub(periods, begun, where), length, where);
  }
  Output height = Call("Pow", {m_mul, restarts}, where);
  Output cosine =
      Mul(Mul(0.5, height, where), s.Cosine(Mul(s.Const(std::numbers::pi), part, where)), where);
  Output factor = Add(Mul(1 - o.alpha, cosine, where), o.alpha, where);
  return s.Result("Mul", s.rate, factor);
}

Output LinearCosineDecay(Operand learning_rate, Output global_step, Operand decay_steps,
                         LinearCosineDecayOptions o, Location where) {
  if (!global_step.valid()) return {};
  Schedule s(learning_rate, global_step, o.name, "LinearCosineDecay", where);
  Output steps = s.Cast(decay_steps), periods = s.Cast(Operand(o.num_periods));
  Output alpha = s.Cast(Operand(o.alpha)), beta = s.Cast(Operand(o.beta));
  Output step = Call("Minimum", {s.Cast(global_step), steps}, where);
  Output linear = Div(Sub(steps, step, where), steps, where);
  Output part = Div(step, steps, where);
  Output turns = Mul(Mul(2.0, periods, where), part, where);
  Output half = Mul(0.5, s.Cosine(Mul(s.Const(std::numbers::pi), turns, where)), where);
  Output factor = Add(Mul(Add(alpha, linear, where), half, where), beta, where);
  return s.Result("Mul", s.rate, factor);
}

Output PiecewiseConstant(Output global_step, std::vector<double> boundaries,
                         std::vector<double> values, PiecewiseConstantOptions o, Location where) {
  if (!global_step.valid()) return {};
  Graph& graph = *global_step.graph();
  if (values.size() != boundaries.size() + 1) {
    graph.ReportError(InvalidArgument(
        "PiecewiseConstant: the length of boundaries must be one less than that of values: ",
        boundaries.size(), " and ", values.size()));
    return {};
  }
  if (!std::ranges::is_sorted(boundaries)) {
    graph.ReportError(InvalidArgument("PiecewiseConstant: boundaries must ascend, got ",
                                      StrJoin(boundaries, ", ")));
    return {};
  }
  OpScope scope(graph, o.name, "PiecewiseConstant");
  Output result = ConstScalar(graph, values[0], o.dtype, {.name = "value"}, where);
  for (size_t i = 0; i < boundaries.size(); ++i) {
    Output boundary =
        ConstScalar(graph, boundaries[i], global_step.value_dtype(), {.name = "boundary"}, where);
    Output value = ConstScalar(graph, values[i + 1], o.dtype, {.name = "value"}, where);
    Output beyond = Call("Greater", {global_step, boundary}, where);
    const bool last = i + 1 == boundaries.size();
    result = Call("Select", {beyond, value, result}, where, last ? scope.op_name() : "Select");
  }
  return result;
}

}  // namespace headrace
