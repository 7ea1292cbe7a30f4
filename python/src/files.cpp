// Event files, record files, checkpoints, and descriptions of TensorFlow's messages.
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <chrono>

#include "bind.h"
#include "convert.h"
#include "headrace/base/file.h"
#include "headrace/io/checkpoint_bundle.h"
#include "headrace/io/checkpoint_state.h"
#include "headrace/io/event_log.h"
#include "headrace/io/message_descriptions.h"
#include "headrace/io/record_file.h"

namespace headrace::python {
namespace {

std::string_view View(const nb::bytes& bytes) {
  return {bytes.c_str(), bytes.size()};
}

nb::bytes ToBytes(std::string_view text) {
  return nb::bytes(text.data(), text.size());
}

Compression ToCompression(std::string_view name) {
  if (const auto compression = ParseCompression(name); compression.ok()) return *compression;
  throw nb::value_error("the compression type of a record file must be '', 'GZIP' or 'ZLIB'");
}

}  // namespace

void BindFiles(nb::module_& m) {
  using namespace nb::literals;
  nb::class_<EventWriter>(m, "EventWriter")
      .def(nb::new_([](const std::string& folder, std::string suffix, double flush_seconds) {
             const auto interval = std::chrono::milliseconds(static_cast<int64_t>(flush_seconds * 1000));
             return Get(EventWriter::Open(folder, {.suffix = std::move(suffix), .flush_interval = interval}));
           }), "folder"_a, "suffix"_a = "", "flush_seconds"_a = 120.0)
      .def("add_summary", [](EventWriter& w, nb::bytes summary, int64_t step) { Check(w.AddSummary(View(summary), step)); })
      .def("add_event", [](EventWriter& w, nb::bytes event) { Check(w.AddEvent(View(event))); })
      .def("add_graph", [](EventWriter& w, nb::bytes graph, int64_t step) { Check(w.AddGraph(View(graph), step)); })
      .def("add_meta_graph", [](EventWriter& w, nb::bytes meta, int64_t step) { Check(w.AddMetaGraph(View(meta), step)); })
      .def("add_run_metadata", [](EventWriter& w, std::string_view tag, nb::bytes metadata, int64_t step) {
             Check(w.AddRunMetadata(tag, View(metadata), step));
           })
      .def("add_session_log", [](EventWriter& w, int status, int64_t step, std::string_view path, std::string_view message) {
             Check(w.AddSessionLog(static_cast<EventWriter::SessionStatus>(status), step, path, message));
           })
      .def("flush", [](EventWriter& w) { Check(w.Flush()); })
      .def("close", [](EventWriter& w) { Check(w.Close()); })
      .def_prop_ro("path", &EventWriter::path);

  nb::class_<RecordWriter>(m, "RecordWriter")
      .def(nb::new_([](const std::string& path, std::string_view compression, int level) {
             return Get(RecordWriter::Create(path, {.compression = ToCompression(compression), .level = level}));
           }), "path"_a, "compression"_a = "", "level"_a = -1)
      .def("append", [](RecordWriter& w, nb::bytes record) { Check(w.Append(View(record))); })
      .def("flush", [](RecordWriter& w) { Check(w.Flush()); })
      .def("close", [](RecordWriter& w) { Check(w.Close()); });
  nb::class_<RecordReader>(m, "RecordReader")
      .def(nb::new_([](const std::string& path, std::string_view compression) {
             return Get(RecordReader::Open(path, {.compression = ToCompression(compression)}));
           }), "path"_a, "compression"_a = "")
      .def("next", [](RecordReader& r) -> nb::object {
             std::string_view record;
             return Get(r.Next(&record)) ? nb::object(ToBytes(record)) : nb::none();
           }, "The next record, or None at the end.")
      .def_prop_ro("offset", &RecordReader::offset);

  nb::class_<BundleReader>(m, "CheckpointReader")
      .def(nb::new_([](const std::string& prefix) { return Get(BundleReader::Open(prefix)); }), "prefix"_a)
      .def("variables", [](BundleReader& r) {
             nb::list list;
             for (const CheckpointVariable& v : r.variables())
               list.append(nb::make_tuple(v.name, static_cast<int>(v.dtype), ToPython(PartialShape(v.shape))));
             return list;
           }, "(name, dtype, shape) of all, by name.")
      .def("read", [](BundleReader& r, std::string_view name) { return ToPython(Get(r.Read(name))); });

  m.def("read_checkpoint_state", [](const std::string& folder, std::string_view file_name) {
    const CheckpointState state = Get(ReadCheckpointState(folder, file_name));
    return nb::make_tuple(state.model_checkpoint_path, state.all_model_checkpoint_paths,
                          state.all_model_checkpoint_timestamps, state.last_preserved_timestamp);
  }, "folder"_a, "file_name"_a = "checkpoint");
  m.def("write_checkpoint_state", [](const std::string& folder, std::string path, std::vector<std::string> all,
                                     std::vector<double> times, double preserved, std::string_view file_name) {
    Check(WriteCheckpointState(folder, {.model_checkpoint_path = std::move(path),
                                        .all_model_checkpoint_paths = std::move(all),
                                        .all_model_checkpoint_timestamps = std::move(times),
                                        .last_preserved_timestamp = preserved}, file_name));
  });
  m.def("write_file", [](const std::string& path, nb::bytes contents) {
    Check(WriteFileAtomically(path, View(contents)));
  }, "path"_a, "contents"_a, "Readers see the old file or the new one.");
  m.def("latest_checkpoint", [](const std::string& folder, std::string_view file_name) {
    return Get(LatestCheckpoint(folder, file_name));
  }, "folder"_a, "file_name"_a = "checkpoint");
  m.def("remove_checkpoint", [](const std::string& prefix, bool meta) { Check(RemoveCheckpoint(prefix, meta)); });
  m.def("message_descriptions", [] { return ToBytes(MessageDescriptions()); },
        "A serialised FileDescriptorSet of TensorFlow's messages, for the protobuf package to make classes of.");
}

}  // namespace headrace::python
