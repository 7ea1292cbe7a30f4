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
  return options;
}

}  // namespace

// A step of fixed feeds, fetches and targets.
class Step {
 public:
  Step(Callable callable, std::vector<DType> types) : callable_(std::move(callable)), types_(std::move(types)) {}

  // `values` one for each feed.
  nb::list Run(nb::handle values, int64_t timeout_ms, StepTrace* trace) {
    const size_t count = nb::len(values);
    if (count != types_.size()) {
      throw nb::value_error(StrCat(types_.size(), " values are to be fed, got ", count).c_str());
    }
    std::vector<Tensor> feeds(count);
    for (size_t i = 0; i < count; ++i) feeds[i] = ToTensor(values[i], types_[i]);
    std::vector<Tensor> fetches;
    RunMetadata metadata;
    Status status;
    {
      Cancellation cancellation;
      const InterruptGuard guard(cancellation);
      const nb::gil_scoped_release released;
      status = callable_(feeds, &fetches,
                         {.timeout = std::chrono::milliseconds(timeout_ms), .cancellation = &cancellation, .trace = trace != nullptr},
                         trace != nullptr ? &metadata : nullptr);
    }
    if (PyErr_CheckSignals() != 0) throw nb::python_error();
    Check(status);
    if (trace != nullptr) {
      trace->SetDevices(metadata.trace.devices());
      trace->Add(metadata.trace.events());
    }
    nb::list results;
    for (Tensor& fetch : fetches) {
      feeds.clear();  // what is fed and fetched need not be copied
      results.append(ToPython(std::move(fetch)));
    }
    return results;
  }

 private:
  Callable callable_;
  std::vector<DType> types_;
};

PySession::PySession(nb::object graph, const nb::dict& options)
    : graph_(std::move(graph)), session_(Get(Session::Create(this->graph(), ToSessionOptions(options)))) {}

std::unique_ptr<Step> PySession::MakeStep(const nb::sequence& feeds, const nb::sequence& fetches,
                                          const nb::sequence& targets) {
  const std::vector<Output> fed = FromHandles(graph(), feeds);
  std::vector<Node*> nodes;
  for (nb::handle id : targets) nodes.push_back(NodeOf(graph(), nb::cast<int64_t>(id)));
  std::vector<DType> types;
  for (const Output& feed : fed) types.push_back(feed.value_dtype());
  return std::make_unique<Step>(Get(session_->MakeCallable(fed, FromHandles(graph(), fetches), nodes)), std::move(types));
}

void PySession::Close() {
  const nb::gil_scoped_release released;
  const Status status = session_->Close();
  if (!status.ok()) {
    const nb::gil_scoped_acquire acquired;
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
  nb::class_<Step>(m, "Step").def("run", &Step::Run, "feeds"_a, "timeout_ms"_a = 0, "trace"_a.none() = nb::none());
  nb::class_<PySession>(m, "Session")
      .def(nb::init<nb::object, const nb::dict&>(), "graph"_a, "options"_a)
      .def("make_step", &PySession::MakeStep, "feeds"_a, "fetches"_a, "targets"_a, "A step resolved once; keep it for reuse.")
      .def("close", &PySession::Close)
      .def("placement", [](PySession& s, int64_t id) { return Get(s.session().Placement(*NodeOf(s.graph(), id))); })
      .def("placement_report", [](PySession& s) { return Get(s.session().Placement()).ToString(); })
      .def("placement_json", [](PySession& s) { return Get(s.session().Placement()).ToJson(); })
      .def("devices", [](PySession& s) {
             nb::list list;
             for (const DeviceInfo& info : s.session().devices().infos()) list.append(DeviceToPython(info));
             return list;
           })
      .def("peak_memory", [](PySession& s) { return s.session().PeakMemory(); });
  m.def("list_devices", [] {
    nb::list list;
    for (const DeviceListing& listing : Get(ListDevices())) {
      nb::object d = DeviceToPython(listing.info);
      d["used"] = listing.used;
      d["reason"] = listing.reason;
      list.append(d);
    }
    return list;
  }, "What this machine has, opening nothing.");
}

}  // namespace headrace::python
