// Sessions, steps, devices.
#include <nanobind/nanobind.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <chrono>
#include <memory>

#include "bind.h"
#include "convert.h"
#include "gil.h"
#include "headrace/base/strings.h"
#include "headrace/session/session.h"
#include "interrupt.h"
#include "session.h"

namespace headrace::python {
namespace {

template <class T>
void Take(const nb::dict& options, const char* name, T& value) {
  if (options.contains(name)) value = nb::cast<T>(options[name]);
}

SessionOptions ToSessionOptions(const nb::dict& o) {
  SessionOptions options;
  Take(o, "allow_soft_placement", options.allow_soft_placement);
  Take(o, "log_device_placement", options.log_device_placement);
  Take(o, "optimize", options.optimize);
  Take(o, "deterministic", options.deterministic);
  int64_t timeout_ms = 0;
  Take(o, "timeout_ms", timeout_ms);
  options.operation_timeout = std::chrono::milliseconds(timeout_ms);
  Take(o, "cpu_count", options.devices.cpu_count);
  Take(o, "threads", options.devices.threads);
  Take(o, "gpu_count", options.devices.gpu_count);
  Take(o, "simulated_gpus", options.devices.simulated_gpus);
  Take(o, "gpu_memory_fraction", options.devices.gpu.per_process_gpu_memory_fraction);
  Take(o, "gpu_memory_limit_bytes", options.devices.gpu.memory_limit_bytes);
  Take(o, "gpu_allow_growth", options.devices.gpu.allow_growth);
  Take(o, "visible_device_list", options.devices.gpu.visible_device_list);
  options.devices.profile = Profile::kCompat;
  Take(o, "user", options.devices.user);
  Take(o, "job", options.devices.job);
  Take(o, "task", options.devices.task);
  return options;
}

SessionOptions ToSessionOptions(const nb::dict& o, const PyServer* server) {
  SessionOptions options = ToSessionOptions(o);
  if (server != nullptr) {
    options.device_set = server->devices();
    options.resources = server->resources();
  }
  return options;
}

}  // namespace

PyServer::PyServer(const nb::dict& options)
    : devices_(Get(DeviceSet::Create(ToSessionOptions(options).devices))),
      resources_(std::make_shared<ResourceStore>()) {}

// A step of fixed feeds, fetches and targets.
class Step {
 public:
  Step(Callable callable, std::vector<DType> types)
      : callable_(std::move(callable)), types_(std::move(types)) {}

  // `values` one for each feed.
  nb::list Run(nb::handle values, int64_t timeout_ms, StepTrace* trace) const {
    std::vector<Tensor> feeds;
    for (nb::handle value : values) AddFeed(value, feeds);
    RunMetadata metadata;
    std::vector<Tensor> fetches =
        Fetch(feeds, {.timeout = std::chrono::milliseconds(timeout_ms), .trace = trace != nullptr},
              trace != nullptr ? &metadata : nullptr);
    if (trace != nullptr) {
      trace->SetDevices(metadata.trace.devices());
      trace->Add(metadata.trace.events());
    }
    return ToList(fetches);
  }

  void AddFeed(nb::handle value, std::vector<Tensor>& feeds) const {
    feeds.push_back(
        ToTensor(value, feeds.size() < types_.size() ? types_[feeds.size()] : DType::kInvalid));
  }

  // What the step gives; takes the feeds, so that what is fed and fetched need not be copied.
  std::vector<Tensor> Fetch(std::vector<Tensor>& feeds, RunOptions options,
                            RunMetadata* metadata) const {
    if (feeds.size() != types_.size()) {
      throw nb::value_error(
          StrCat(types_.size(), " values are to be fed, got ", feeds.size()).c_str());
    }
    std::vector<Tensor> fetches;
    Status status;
    {
      Cancellation cancellation;
      options.cancellation = &cancellation;
      const InterruptGuard guard(cancellation);
      const ReleasedGil released;
      status = callable_(feeds, &fetches, options, metadata);
    }
    if (PyErr_CheckSignals() != 0) throw nb::python_error();
    Check(status);
    feeds.clear();
    return fetches;
  }

  static nb::list ToList(std::vector<Tensor>& fetches) {
    nb::list results;
    for (Tensor& fetch : fetches) results.append(ToPython(std::move(fetch)));
    return results;
  }

 private:
  Callable callable_;
  std::vector<DType> types_;
};

namespace {

// A step as a Python function of the values to feed. Its call is a slot of the type: the handling of arguments that bound
// methods have costs as much as a small step.
class Call {
 public:
  // `build`: None for the first fetch as it is, or list of values -> result. `explain`: (error, values), raises.
  Call(nb::object step, nb::object build, nb::object explain)
      : step_(std::move(step)),
        build_(std::move(build)),
        explain_(std::move(explain)),
        run_(&nb::cast<const Step&>(step_)) {}

  // A new reference; null with the exception set.
  PyObject* operator()(PyObject* args, PyObject* kwargs) const {
    try {
      if (kwargs != nullptr && PyDict_Size(kwargs) > 0)
        throw nb::type_error("values to feed are given by position, in the order of feed_list");
      const nb::handle values(args);
      std::vector<Tensor> feeds;
      feeds.reserve(nb::len(values));
      for (Py_ssize_t i = 0; i < PyTuple_Size(args); ++i)
        run_->AddFeed(PyTuple_GetItem(args, i), feeds);
      std::vector<Tensor> fetches = run_->Fetch(feeds, {}, nullptr);
      if (build_.is_none()) return ToPython(std::move(fetches.front())).release().ptr();
      return build_(Step::ToList(fetches)).release().ptr();
    } catch (nb::python_error& error) {
      error.restore();
    } catch (const nb::builtin_exception& error) {
      PyErr_SetString(
          error.type() == nb::exception_type::type_error ? PyExc_TypeError : PyExc_ValueError,
          error.what());
    } catch (const std::exception& error) {
      PyErr_SetString(PyExc_RuntimeError, error.what());
    }
    Explain(args);
    return nullptr;
  }

  int Visit(visitproc visit, void* arg) const {
    Py_VISIT(step_.ptr());
    Py_VISIT(build_.ptr());
    Py_VISIT(explain_.ptr());
    return 0;
  }
  void Clear() {
    build_.reset();
    explain_.reset();
  }

 private:
  void Explain(PyObject* args) const {
    const nb::python_error raised;  // takes the exception
    try {
      explain_(raised.value(), nb::handle(args));
    } catch (nb::python_error& error) {
      error.restore();
      return;
    }
    PyErr_SetObject(reinterpret_cast<PyObject*>(Py_TYPE(raised.value().ptr())),
                    raised.value().ptr());
  }

  nb::object step_, build_, explain_;
  const Step* run_;
};

PyObject* CallStep(PyObject* self, PyObject* args, PyObject* kwargs) {
  return (*nb::inst_ptr<Call>(nb::handle(self)))(args, kwargs);
}
int VisitCall(PyObject* self, visitproc visit, void* arg) {
#if PY_VERSION_HEX >= 0x03090000
  Py_VISIT(Py_TYPE(self));
#endif
  return nb::inst_ready(self) ? nb::inst_ptr<Call>(nb::handle(self))->Visit(visit, arg) : 0;
}
int ClearCall(PyObject* self) {
  nb::inst_ptr<Call>(nb::handle(self))->Clear();
  return 0;
}
PyType_Slot call_slots[] = {{Py_tp_call, reinterpret_cast<void*>(&CallStep)},
                            {Py_tp_traverse, reinterpret_cast<void*>(&VisitCall)},
                            {Py_tp_clear, reinterpret_cast<void*>(&ClearCall)},
                            {0, nullptr}};

}  // namespace

PySession::PySession(nb::object graph, const nb::dict& options, const PyServer* server)
    : graph_(std::move(graph)),
      session_(Get(Session::Create(this->graph(), ToSessionOptions(options, server)))) {}

std::unique_ptr<Step> PySession::MakeStep(const nb::sequence& feeds, const nb::sequence& fetches,
                                          const nb::sequence& targets) {
  const std::vector<Output> fed = FromHandles(graph(), feeds);
  std::vector<Node*> nodes;
  for (nb::handle id : targets) nodes.push_back(NodeOf(graph(), nb::cast<int64_t>(id)));
  std::vector<DType> types;
  for (const Output& feed : fed) types.push_back(feed.value_dtype());
  return std::make_unique<Step>(
      Get(session_->MakeCallable(fed, FromHandles(graph(), fetches), nodes)), std::move(types));
}

void PySession::Close() {
  const ReleasedGil released;
  const Status status = session_->Close();
  if (!status.ok()) {
    const AcquiredGil acquired;
    Throw(status);
  }
}

namespace {

nb::object DeviceToPython(const DeviceInfo& info) {
  nb::dict d;
  d["name"] = info.name.ToString();
  d["device_type"] = info.type;
  d["memory_limit_bytes"] = info.memory_bytes;
  d["description"] = info.description;
  return d;
}

}  // namespace

void BindSession(nb::module_& m) {
  using namespace nb::literals;
  nb::class_<StepTrace>(m, "StepTrace")
      .def(nb::init<>())
      .def("chrome_trace", &StepTrace::ToChromeTrace)
      .def("run_metadata", [](const StepTrace& trace) {
        const std::string bytes = trace.ToRunMetadata();
        return nb::bytes(bytes.data(), bytes.size());
      });
  nb::class_<Step>(m, "Step").def("run", &Step::Run, "feeds"_a, "timeout_ms"_a = 0,
                                  "trace"_a.none() = nb::none());
  nb::class_<Call>(m, "Call", nb::type_slots(call_slots),
                   "A step as a function of the values to feed.")
      .def(nb::init<nb::object, nb::object, nb::object>(), "step"_a, "build"_a.none(), "explain"_a,
           "`build`: list of the fetched values -> result, or None for the first one. `explain`: "
           "(error, values), raises.");
  nb::class_<PyServer>(m, "Server", "Devices, variables and queues that sessions share.")
      .def(nb::init<const nb::dict&>(), "options"_a)
      .def(
          "reset",
          [](PyServer& server, const std::string& container) {
            server.resources()->RemoveContainer(container);
          },
          "container"_a, "Frees what a container holds; '' is the one of nodes that name none.");
  nb::class_<PySession>(m, "Session")
      .def(nb::init<nb::object, const nb::dict&, const PyServer*>(), "graph"_a, "options"_a,
           "server"_a.none() = nb::none())
      .def("make_step", &PySession::MakeStep, "feeds"_a, "fetches"_a, "targets"_a,
           "A step resolved once; keep it for reuse.")
      .def("close", &PySession::Close)
      .def("placement",
           [](PySession& s, int64_t id) {
             return Get(s.session().Placement(*NodeOf(s.graph(), id)));
           })
      .def("placement_report", [](PySession& s) { return Get(s.session().Placement()).ToString(); })
      .def("placement_json", [](PySession& s) { return Get(s.session().Placement()).ToJson(); })
      .def("devices",
           [](PySession& s) {
             nb::list list;
             for (const DeviceInfo& info : s.session().devices().infos())
               list.append(DeviceToPython(info));
             return list;
           })
      .def("peak_memory", [](PySession& s) { return s.session().PeakMemory(); });
  m.def(
      "list_devices",
      [] {
        nb::list list;
        for (const DeviceListing& listing : Get(ListDevices())) {
          nb::object d = DeviceToPython(listing.info);
          d["used"] = listing.used;
          d["reason"] = listing.reason;
          list.append(d);
        }
        return list;
      },
      "What this machine has, opening nothing.");
}

}  // namespace headrace::python
