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
#include "headrace/base/strings.h"
#include "headrace/ops/state/variable.h"
#include "headrace/train/moving_average.h"
#include "headrace/train/meta_graph.h"
#include "headrace/train/optimizers.h"
#include "headrace/train/saver.h"
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

Gradient GradientOf(Graph& graph, nb::handle value) {
  Gradient gradient;
  if (value.is_none()) return gradient;
  if (nb::isinstance<nb::tuple>(value)) {
    gradient.slices = IndexedSlices{.values = FromHandle(graph, nb::cast<Handle>(value[0])),
                                    .indices = FromHandle(graph, nb::cast<Handle>(value[1])),
                                    .dense_shape = FromHandle(graph, nb::cast<Handle>(value[2]))};
  } else {
    gradient.dense = FromHandle(graph, nb::cast<Handle>(value));
  }
  return gradient;
}

class PyOptimizer {
 public:
  PyOptimizer(nb::object graph, std::string_view kind, nb::dict options) : graph_(std::move(graph)) {
    const auto maker = Makers().find(kind);
    if (maker == Makers().end()) throw nb::value_error(StrCat("there is no optimizer '", kind, "'").c_str());
    optimizer_ = maker->second(Options(graph_of(), std::move(options)));
  }

  // `pairs`: (gradient, handle of the variable). The id of the op that updates.
  int64_t Apply(const nb::sequence& pairs, Handle global_step, std::string name, std::string_view file, uint32_t line) {
    std::vector<GradientAndVariable> gradients;
    for (nb::handle pair : pairs) {
      gradients.push_back({.gradient = GradientOf(graph_of(), pair[0]),
                           .variable = Variable::Of(FromHandle(graph_of(), nb::cast<Handle>(pair[1])))});
    }
    ApplyGradientsOptions options{.name = std::move(name)};
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
  PyMovingAverage(nb::object graph, nb::handle decay, Handle num_updates, bool zero_debias, std::string name)
      : graph_(std::move(graph)),
        average_(ToOperand(graph_of(), decay), {.num_updates = FromHandle(graph_of(), num_updates),
                                                .zero_debias = zero_debias,
                                                .name = std::move(name)}) {}

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
  nb::object graph_;
  ExponentialMovingAverage average_;
};

class PySaver {
 public:
  PySaver(nb::object graph, const std::map<std::string, Handle>& names, int max_to_keep, double keep_every_n_hours, bool pad,
          bool allow_empty, std::string name, std::string_view file, uint32_t line)
      : graph_(std::move(graph)) {
    SaverOptions options{.max_to_keep = max_to_keep,
                         .keep_checkpoint_every_n_hours = keep_every_n_hours,
                         .pad_step_number = pad,
                         .allow_empty = allow_empty,
                         .name = std::move(name)};
    for (const auto& [key, handle] : names) options.names[key] = Variable::Of(FromHandle(graph_of(), handle));
    saver_ = std::make_unique<Saver>(graph_of(), std::move(options), ToLocation(file, line));
    Check(graph_of().TakeStatus());
  }

  std::string Save(PySession& session, const std::string& path, std::optional<int64_t> step, std::string latest_filename,
                   bool write_state, bool write_meta_graph) {
    return Get(saver_->Save(session.session(), path, step,
                            {.latest_filename = std::move(latest_filename),
                             .write_state = write_state,
                             .write_meta_graph = write_meta_graph}));
  }
  void Restore(PySession& session, const std::string& path) { Check(saver_->Restore(session.session(), path)); }
  Saver& saver() { return *saver_; }
  // (filename, save tensor, id of the restore op).
  nb::object Nodes() {
    const Node* restore = saver_->restore_op();
    return nb::make_tuple(ToHandle(saver_->filename()), ToHandle(saver_->save_tensor()), restore == nullptr ? -1 : restore->id());
  }

 private:
  Graph& graph_of() { return nb::cast<Graph&>(graph_); }
  nb::object graph_;
  std::unique_ptr<Saver> saver_;
};

}  // namespace

void BindTrain(nb::module_& m) {
  using namespace nb::literals;
  nb::class_<Ref>(m, "Ref", "A tensor where a number is possible, too.").def(nb::init<Handle>(), "handle"_a);
  nb::class_<PyOptimizer>(m, "Optimizer")
      .def(nb::init<nb::object, std::string_view, nb::dict>(), "graph"_a, "kind"_a, "options"_a)
      .def("apply_gradients", &PyOptimizer::Apply, "pairs"_a, "global_step"_a, "name"_a, "file"_a, "line"_a)
      .def("slot", &PyOptimizer::Slot, "variable"_a, "slot"_a, "Handle of the slot's variable, or -1.")
      .def("slot_names", [](PyOptimizer& o) { return o.optimizer().slot_names(); })
      .def("extra_variables", &PyOptimizer::Extra);
  nb::class_<PyMovingAverage>(m, "MovingAverage")
      .def(nb::init<nb::object, nb::handle, Handle, bool, std::string>(), "graph"_a, "decay"_a, "num_updates"_a,
           "zero_debias"_a, "name"_a)
      .def("apply", &PyMovingAverage::Apply, "values"_a, "file"_a, "line"_a)
      .def("average", &PyMovingAverage::Average)
      .def("average_name", &PyMovingAverage::AverageName);
  nb::class_<PySaver>(m, "Saver")
      .def(nb::init<nb::object, const std::map<std::string, Handle>&, int, double, bool, bool, std::string, std::string_view,
                    uint32_t>(),
           "graph"_a, "names"_a, "max_to_keep"_a, "keep_every_n_hours"_a, "pad_step_number"_a, "allow_empty"_a, "name"_a,
           "file"_a, "line"_a)
      .def("save", &PySaver::Save, "session"_a, "path"_a, "step"_a.none(), "latest_filename"_a, "write_state"_a,
           "write_meta_graph"_a)
      .def("restore", &PySaver::Restore, "session"_a, "path"_a)
      .def("last_checkpoints", [](PySaver& s) { return s.saver().last_checkpoints(); })
      .def("recover_last_checkpoints", [](PySaver& s, const std::vector<std::string>& paths) {
        s.saver().RecoverLastCheckpoints(paths);
      })
      .def("nodes", &PySaver::Nodes);
  m.def("export_meta_graph", [](nb::object graph, bool with_devices) {
    const std::string bytes = Get(ExportMetaGraph(nb::cast<Graph&>(graph), {.with_devices = with_devices}));
    return nb::bytes(bytes.data(), bytes.size());
  }, "graph"_a, "with_devices"_a = true);
  m.def("import_meta_graph", [](nb::object graph, const std::string& path, std::string prefix) {
    Check(ImportMetaGraph(nb::cast<Graph&>(graph), path, {.prefix = std::move(prefix)}));
  }, "graph"_a, "path"_a, "prefix"_a = "");
  // The parts of a variable of which the ref output is given: (read, initializer node, initial value), -1 where there is none.
  m.def("variable_parts", [](nb::object graph, Handle ref) {
    Graph& g = nb::cast<Graph&>(graph);
    const Variable v = Variable::Of(FromHandle(g, ref));
    if (!v.valid()) return nb::make_tuple(-1, -1, -1);
    return nb::make_tuple(ToHandle(v.value()), v.initializer() == nullptr ? -1 : v.initializer()->id(),
                          ToHandle(v.initial_value()));
  });
}

}  // namespace headrace::python
