// Optimizers, moving averages, savers.
#include <nanobind/nanobind.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include <functional>
#include <map>
#include <memory>

#include "bind.h"
#include "convert.h"
#include "gil.h"
#include "headrace/base/strings.h"
#include "headrace/ops/state/variable.h"
#include "headrace/train/moving_average.h"
#include "headrace/train/meta_graph.h"
#include "headrace/train/optimizers.h"
#include "headrace/train/saver.h"
#include "headrace/train/schedules.h"
#include "session.h"

namespace headrace::python {
namespace {

// How Python gives a tensor where a number is possible, too.
struct Ref {
  Handle handle;
};

Operand ToOperand(Graph& graph, nb::handle value) {
  if (nb::isinstance<Ref>(value)) return Operand(FromHandle(graph, nb::cast<Ref&>(value).handle));
  if (PyLong_Check(value.ptr())) return Operand(nb::cast<int64_t>(value));
  return Operand(nb::cast<double>(nb::float_(value)));
}

class Options {
 public:
  Options(Graph& graph, nb::dict values) : graph_(graph), values_(std::move(values)) {}
  Operand Number(const char* name) const { return ToOperand(graph_, Find(name)); }
  double Double(const char* name) const { return nb::cast<double>(nb::float_(Find(name))); }
  bool Bool(const char* name) const { return nb::cast<bool>(nb::bool_(Find(name))); }
  std::string Text(const char* name) const { return Find(name).is_none() ? "" : nb::cast<std::string>(Find(name)); }
  Variable Var(const char* name) const { return Variable::Of(FromHandle(graph_, nb::cast<Handle>(Find(name)))); }

 private:
  nb::object Find(const char* name) const {
    if (!values_.contains(name)) throw nb::key_error(name);
    return nb::object(values_[name]);
  }
  Graph& graph_;
  nb::dict values_;
};

using Make = std::unique_ptr<Optimizer> (*)(const Options& o);

const std::map<std::string, Make, std::less<>>& Makers() {
  static const auto& makers = *new std::map<std::string, Make, std::less<>>{
      {"GradientDescent",
       [](const Options& o) -> std::unique_ptr<Optimizer> {
         return std::make_unique<GradientDescentOptimizer>(
             o.Number("learning_rate"),
             GradientDescentOptions{.use_locking = o.Bool("use_locking"), .name = o.Text("name")});
       }},
      {"Momentum",
       [](const Options& o) -> std::unique_ptr<Optimizer> {
         return std::make_unique<MomentumOptimizer>(o.Number("learning_rate"), o.Number("momentum"),
                                                    MomentumOptions{.use_nesterov = o.Bool("use_nesterov"),
                                                                    .use_locking = o.Bool("use_locking"),
                                                                    .name = o.Text("name")});
       }},
      {"Adam",
       [](const Options& o) -> std::unique_ptr<Optimizer> {
         return std::make_unique<AdamOptimizer>(o.Number("learning_rate"), AdamOptions{.beta1 = o.Number("beta1"),
                                                                                       .beta2 = o.Number("beta2"),
                                                                                       .epsilon = o.Number("epsilon"),
                                                                                       .use_locking = o.Bool("use_locking"),
                                                                                       .name = o.Text("name")});
       }},
      {"Adagrad",
       [](const Options& o) -> std::unique_ptr<Optimizer> {
         return std::make_unique<AdagradOptimizer>(
             o.Number("learning_rate"), AdagradOptions{.initial_accumulator_value = o.Double("initial_accumulator_value"),
                                                       .use_locking = o.Bool("use_locking"),
                                                       .name = o.Text("name")});
       }},
      {"AdagradDA",
       [](const Options& o) -> std::unique_ptr<Optimizer> {
         return std::make_unique<AdagradDAOptimizer>(
             o.Number("learning_rate"), o.Var("global_step"),
             AdagradDAOptions{
                 .initial_gradient_squared_accumulator_value = o.Double("initial_gradient_squared_accumulator_value"),
                 .l1_regularization_strength = o.Double("l1_regularization_strength"),
                 .l2_regularization_strength = o.Double("l2_regularization_strength"),
                 .use_locking = o.Bool("use_locking"),
                 .name = o.Text("name")});
       }},
      {"Adadelta",
       [](const Options& o) -> std::unique_ptr<Optimizer> {
         return std::make_unique<AdadeltaOptimizer>(o.Number("learning_rate"),
                                                    AdadeltaOptions{.rho = o.Number("rho"),
                                                                    .epsilon = o.Number("epsilon"),
                                                                    .use_locking = o.Bool("use_locking"),
                                                                    .name = o.Text("name")});
       }},
      {"RMSProp",
       [](const Options& o) -> std::unique_ptr<Optimizer> {
         return std::make_unique<RMSPropOptimizer>(o.Number("learning_rate"),
                                                   RMSPropOptions{.decay = o.Number("decay"),
                                                                  .momentum = o.Number("momentum"),
                                                                  .epsilon = o.Number("epsilon"),
                                                                  .use_locking = o.Bool("use_locking"),
                                                                  .centered = o.Bool("centered"),
                                                                  .name = o.Text("name")});
       }},
      {"Ftrl",
       [](const Options& o) -> std::unique_ptr<Optimizer> {
         return std::make_unique<FtrlOptimizer>(
             o.Number("learning_rate"),
             FtrlOptions{.learning_rate_power = o.Double("learning_rate_power"),
                         .initial_accumulator_value = o.Double("initial_accumulator_value"),
                         .l1_regularization_strength = o.Double("l1_regularization_strength"),
                         .l2_regularization_strength = o.Double("l2_regularization_strength"),
                         .use_locking = o.Bool("use_locking"),
                         .name = o.Text("name"),
                         .accum_name = o.Text("accum_name"),
                         .linear_name = o.Text("linear_name"),
                         .l2_shrinkage_regularization_strength = o.Double("l2_shrinkage_regularization_strength")});
       }},
      {"ProximalGradientDescent",
       [](const Options& o) -> std::unique_ptr<Optimizer> {
         return std::make_unique<ProximalGradientDescentOptimizer>(
             o.Number("learning_rate"),
             ProximalGradientDescentOptions{.l1_regularization_strength = o.Double("l1_regularization_strength"),
                                            .l2_regularization_strength = o.Double("l2_regularization_strength"),
                                            .use_locking = o.Bool("use_locking"),
                                            .name = o.Text("name")});
       }},
      {"ProximalAdagrad",
       [](const Options& o) -> std::unique_ptr<Optimizer> {
         return std::make_unique<ProximalAdagradOptimizer>(
             o.Number("learning_rate"),
             ProximalAdagradOptions{.initial_accumulator_value = o.Double("initial_accumulator_value"),
                                    .l1_regularization_strength = o.Double("l1_regularization_strength"),
                                    .l2_regularization_strength = o.Double("l2_regularization_strength"),
                                    .use_locking = o.Bool("use_locking"),
                                    .name = o.Text("name")});
       }},
  };
  return makers;
}

class PyOptimizer {
 public:
  PyOptimizer(nb::object graph, std::string_view kind, nb::dict options) : graph_(std::move(graph)) {
    const auto maker = Makers().find(kind);
    if (maker == Makers().end()) throw nb::value_error(StrCat("there is no optimizer '", kind, "'").c_str());
    optimizer_ = maker->second(Options(graph_of(), std::move(options)));
  }

  // `pairs`: (gradient, handle of the variable). The id of the op that updates.
  int64_t Apply(const nb::sequence& pairs, Handle global_step, std::string name, std::string slot_scope,
                const nb::object& after_update, std::string_view file, uint32_t line) {
    std::vector<GradientAndVariable> gradients;
    for (nb::handle pair : pairs) {
      gradients.push_back({.gradient = ToGradient(graph_of(), pair[0]),
                           .variable = Variable::Of(FromHandle(graph_of(), nb::cast<Handle>(pair[1])))});
    }
    ApplyGradientsOptions options{.name = std::move(name), .slot_scope = std::move(slot_scope)};
    if (!after_update.is_none()) {
      options.after_update = [&](const Variable& variable, Node* update, bool sparse) {
        nb::object op = after_update(ToHandle(variable.ref()), update->id(), sparse);
        return op.is_none() ? update : NodeOf(graph_of(), nb::cast<int64_t>(op));
      };
    }
    if (global_step != -1) options.global_step = Variable::Of(FromHandle(graph_of(), global_step));
    const Node* node = optimizer_->ApplyGradients(gradients, std::move(options), ToLocation(file, line));
    Check(graph_of().TakeStatus());
    return node == nullptr ? -1 : node->id();
  }

  Handle Slot(Handle variable, std::string_view slot) {
    const Variable found = optimizer_->GetSlot(Variable::Of(FromHandle(graph_of(), variable)), slot);
    return found.valid() ? ToHandle(found.ref()) : -1;
  }

  Optimizer& optimizer() { return *optimizer_; }
  // Variables of the optimizer beside its slots, in order ("beta1_power").
  std::vector<Handle> Extra() {
    std::vector<Handle> handles;
    if (const auto* adam = dynamic_cast<const AdamOptimizer*>(optimizer_.get())) {
      for (const Variable& power : {adam->beta1_power(), adam->beta2_power()}) {
        if (power.valid()) handles.push_back(ToHandle(power.ref()));
      }
    }
    return handles;
  }

 private:
  Graph& graph_of() { return nb::cast<Graph&>(graph_); }
  nb::object graph_;
  std::unique_ptr<Optimizer> optimizer_;
};

class PyMovingAverage {
 public:
  PyMovingAverage(nb::object graph, nb::handle decay, Handle num_updates, bool zero_debias,
                  std::string name, std::string variable_scope, nb::object make_average)
      : graph_(std::move(graph)),
        make_average_(std::move(make_average)),
        average_(ToOperand(graph_of(), decay),
                 {.num_updates = FromHandle(graph_of(), num_updates),
                  .zero_debias = zero_debias,
                  .name = std::move(name),
                  .make_average =
                      [this](Output value) {
                        return Variable::Of(FromHandle(
                            graph_of(), nb::cast<Handle>(make_average_(ToHandle(value)))));
                      },
                  .variable_scope = std::move(variable_scope)}) {}
  PyMovingAverage(const PyMovingAverage&) = delete;

  int64_t Apply(const nb::sequence& values, std::string_view file, uint32_t line) {
    const Node* node = average_.Apply(FromHandles(graph_of(), values), ToLocation(file, line));
    Check(graph_of().TakeStatus());
    return node == nullptr ? -1 : node->id();
  }
  Handle Average(Handle value) {
    const Variable found = average_.Average(FromHandle(graph_of(), value));
    return found.valid() ? ToHandle(found.ref()) : -1;
  }
  std::string AverageName(Handle value) { return average_.AverageName(FromHandle(graph_of(), value)); }

 private:
  Graph& graph_of() { return nb::cast<Graph&>(graph_); }
  nb::object graph_, make_average_;
  ExponentialMovingAverage average_;
};

class PySaver {
 public:
  PySaver(nb::object graph, Handle filename, Handle save_tensor, int64_t restore)
      : graph_(std::move(graph)),
        saver_(SaverNodes{.filename = FromHandle(graph_of(), filename),
                          .save_tensor = FromHandle(graph_of(), save_tensor),
                          .restore = restore < 0 ? nullptr : NodeOf(graph_of(), restore)},
               SaverOptions()) {}

  void Restore(PySession& session, const std::string& path) {
    const auto run = [&] {
      const ReleasedGil released;
      return saver_.Restore(session.session(), path);
    };
    Check(run());
  }
  Saver& saver() { return saver_; }

 private:
  Graph& graph_of() { return nb::cast<Graph&>(graph_); }
  nb::object graph_;
  Saver saver_;
};

// A number as the schedules take it, or a default.
Operand NumberIn(Graph& graph, const nb::dict& options, const char* name) {
  if (!options.contains(name)) throw nb::key_error(name);
  return ToOperand(graph, nb::object(options[name]));
}

Handle Schedule(nb::object python_graph, std::string_view kind, Handle global_step, const nb::dict& o, std::string_view file,
                uint32_t line) {
  Graph& graph = nb::cast<Graph&>(python_graph);
  const Output step = FromHandle(graph, global_step);
  const Location where = ToLocation(file, line);
  const auto number = [&](const char* name) { return NumberIn(graph, o, name); };
  const auto value = [&](const char* name) { return nb::cast<double>(nb::float_(nb::object(o[name]))); };
  std::string name = o["name"].is_none() ? "" : nb::cast<std::string>(o["name"]);
  const auto decay = [&] {
    return DecayOptions{.staircase = nb::cast<bool>(nb::bool_(nb::object(o["staircase"]))), .name = name};
  };
  Output rate;
  if (kind == "exponential") {
    rate = ExponentialDecay(number("learning_rate"), step, number("decay_steps"), number("decay_rate"), decay(), where);
  } else if (kind == "inverse_time") {
    rate = InverseTimeDecay(number("learning_rate"), step, number("decay_steps"), number("decay_rate"), decay(), where);
  } else if (kind == "natural_exp") {
    rate = NaturalExpDecay(number("learning_rate"), step, number("decay_steps"), number("decay_rate"), decay(), where);
  } else if (kind == "polynomial") {
    rate = PolynomialDecay(number("learning_rate"), step, number("decay_steps"),
                           {.end_learning_rate = number("end_learning_rate"),
                            .power = number("power"),
                            .cycle = nb::cast<bool>(nb::bool_(nb::object(o["cycle"]))),
                            .name = name},
                           where);
  } else if (kind == "cosine") {
    rate = CosineDecay(number("learning_rate"), step, number("decay_steps"), {.alpha = value("alpha"), .name = name}, where);
  } else if (kind == "cosine_restarts") {
    rate = CosineDecayRestarts(number("learning_rate"), step, number("first_decay_steps"),
                               {.t_mul = value("t_mul"), .m_mul = value("m_mul"), .alpha = value("alpha"), .name = name}, where);
  } else if (kind == "linear_cosine") {
    rate = LinearCosineDecay(
        number("learning_rate"), step, number("decay_steps"),
        {.num_periods = value("num_periods"), .alpha = value("alpha"), .beta = value("beta"), .name = name}, where);
  } else {
    throw nb::value_error(StrCat("there is no schedule '", kind, "'").c_str());
  }
  Check(graph.TakeStatus());
  return ToHandle(rate);
}

}  // namespace

void BindTrain(nb::module_& m) {
  using namespace nb::literals;
  nb::class_<Ref>(m, "Ref", "A tensor where a number is possible, too.").def(nb::init<Handle>(), "handle"_a);
  nb::class_<PyOptimizer>(m, "Optimizer")
      .def(nb::init<nb::object, std::string_view, nb::dict>(), "graph"_a, "kind"_a, "options"_a)
      .def("apply_gradients", &PyOptimizer::Apply, "pairs"_a, "global_step"_a, "name"_a, "slot_scope"_a,
           "after_update"_a.none(), "file"_a, "line"_a,
           "`after_update`: None, or (variable, id of the update, is it sparse) -> None or the id of the op to wait for.")
      .def("slot", &PyOptimizer::Slot, "variable"_a, "slot"_a, "Handle of the slot's variable, or -1.")
      .def("slot_names", [](PyOptimizer& o) { return o.optimizer().slot_names(); })
      .def("extra_variables", &PyOptimizer::Extra);
  nb::class_<PyMovingAverage>(m, "MovingAverage")
      .def(nb::init<nb::object, nb::handle, Handle, bool, std::string, std::string, nb::object>(),
           "graph"_a, "decay"_a, "num_updates"_a, "zero_debias"_a, "name"_a, "variable_scope"_a,
           "make_average"_a,
           "`make_average`: handle of a variable or tensor -> handle of a new variable for its "
           "average.")
      .def("apply", &PyMovingAverage::Apply, "values"_a, "file"_a, "line"_a)
      .def("average", &PyMovingAverage::Average)
      .def("average_name", &PyMovingAverage::AverageName);
  nb::class_<PySaver>(m, "Saver")
      .def(nb::init<nb::object, Handle, Handle, int64_t>(), "graph"_a, "filename"_a, "save_tensor"_a, "restore"_a,
           "Over the nodes of a saver that are in the graph.")
      .def("restore", &PySaver::Restore, "session"_a, "path"_a,
           "Checks that all of it fits before anything is changed.")
      .def("variables", [](PySaver& s) {
             std::map<std::string, Handle> found;
             for (const auto& [name, variable] : s.saver().variables()) found[name] = ToHandle(variable.ref());
             return found;
           }, "Name in the checkpoint -> handle, of what is restored in one piece.");
  m.def("schedule", &Schedule, "graph"_a, "kind"_a, "global_step"_a, "options"_a, "file"_a, "line"_a,
        "A learning rate that changes with the step.");
  m.def("export_meta_graph", [](nb::object graph, bool with_devices) {
    const std::string bytes = Get(ExportMetaGraph(nb::cast<Graph&>(graph), {.with_devices = with_devices}));
    return nb::bytes(bytes.data(), bytes.size());
  }, "graph"_a, "with_devices"_a = true);
  // The parts of a variable of which the ref output or handle is given: (read, initializer node,
  // initial value), -1 where there is none.
  m.def("variable_parts", [](nb::object graph, Handle ref) {
    Graph& g = nb::cast<Graph&>(graph);
    const Variable v = Variable::Of(FromHandle(g, ref));
    if (!v.valid()) return nb::make_tuple(-1, -1, -1);
    return nb::make_tuple(ToHandle(v.value()), v.initializer() == nullptr ? -1 : v.initializer()->id(),
                          ToHandle(v.initial_value()));
  });
}

}  // namespace headrace::python
