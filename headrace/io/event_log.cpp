#include "headrace/io/event_log.h"

#include <unistd.h>

#include <condition_variable>
#include <cstdio>
#include <mutex>
#include <set>
#include <thread>

#include "headrace/base/file.h"
#include "headrace/base/log.h"
#include "headrace/base/strings.h"
#include "headrace/io/proto/event.pb.h"
#include "headrace/io/proto_convert.h"
#include "headrace/io/record_file.h"
#include "headrace/io/utf8.h"

namespace headrace {
namespace {

double WallTime() {
  return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

std::string HostName() {
  char name[256] = "";
  if (::gethostname(name, sizeof(name) - 1) != 0 || name[0] == '\0') return "localhost";
  return name;
}

proto::Event MakeEvent(int64_t step) {
  proto::Event event;
  event.set_wall_time(WallTime());
  event.set_step(step);
  return event;
}

}  // namespace

struct [[gnu::visibility("hidden")]] EventWriter::State {
  std::string folder;
  Options options;
  const pid_t process = ::getpid();

  std::mutex mutex;
  std::condition_variable changed;
  std::unique_ptr<RecordWriter> file;
  std::set<std::string, std::less<>> run_metadata_tags;
  bool dirty = false;  // there is something to flush
  bool closed = false;
  std::thread flusher;

  Status OpenFile();
  Status Write(const proto::Event& event);
  Status WriteLocked(const proto::Event& event);
  void FlushNowAndThen();
};

Status EventWriter::State::OpenFile() {
  char seconds[32];
  std::snprintf(seconds, sizeof(seconds), "%010lld", static_cast<long long>(WallTime()));
  const std::string name =
      JoinPath(folder, StrCat("events.out.tfevents.", seconds, ".", HostName(), options.suffix));
  for (int attempt = 0;; ++attempt) {
    auto opened = RecordWriter::Create(attempt == 0 ? name : StrCat(name, ".", attempt),
                                       {.must_be_new = true});
    if (opened.status().code() == absl::StatusCode::kAlreadyExists) continue;
    HR_ASSIGN_OR_RETURN(file, std::move(opened));
    break;
  }
  proto::Event event = MakeEvent(0);
  event.set_file_version("brain.Event:2");
  HR_RETURN_IF_ERROR(file->Append(event.SerializeAsString()));
  return file->Flush();
}

Status EventWriter::State::Write(const proto::Event& event) {
  std::lock_guard lock(mutex);
  return WriteLocked(event);
}

Status EventWriter::State::WriteLocked(const proto::Event& event) {
  if (closed) return FailedPrecondition("the event writer of '", folder, "' is closed");
  if (options.max_file_bytes > 0 && file->size_bytes() >= options.max_file_bytes) {
    HR_RETURN_IF_ERROR(file->Close());
    HR_RETURN_IF_ERROR(OpenFile());
  }
  HR_ASSIGN_OR_RETURN(const std::string bytes, SerializeBinary(event));
  HR_RETURN_IF_ERROR(file->Append(bytes));
  if (!dirty) changed.notify_all();
  dirty = true;
  return absl::OkStatus();
}

// Sleeps while there is nothing to flush; then gives it `flush_interval` to become more.
void EventWriter::State::FlushNowAndThen() {
  std::unique_lock lock(mutex);
  while (!closed) {
    changed.wait(lock, [&] { return dirty || closed; });
    changed.wait_for(lock, options.flush_interval, [&] { return closed || !dirty; });
    if (closed || !dirty) continue;
    dirty = false;
    const Status status = file->Flush();
    if (!status.ok())
      LogOnce(LogLevel::kWarning, file->path(), StrCat("events are lost: ", Message(status)));
  }
}

EventWriter::EventWriter(std::unique_ptr<State> state) : state_(std::move(state)) {}

EventWriter::~EventWriter() {
  const Status status = Close();
  if (!status.ok()) Log(LogLevel::kWarning, StrCat("events are lost: ", Message(status)));
}

StatusOr<std::unique_ptr<EventWriter>> EventWriter::Open(const std::string& folder) {
  return Open(folder, Options());
}

StatusOr<std::unique_ptr<EventWriter>> EventWriter::Open(const std::string& folder,
                                                         const Options& options) {
  HR_RETURN_IF_ERROR(MakeFolders(folder));
  auto state = std::make_unique<State>();
  state->folder = folder;
  state->options = options;
  HR_RETURN_IF_ERROR(state->OpenFile());
  state->flusher = std::thread([s = state.get()] { s->FlushNowAndThen(); });
  return std::unique_ptr<EventWriter>(new EventWriter(std::move(state)));
}

Status EventWriter::AddScalar(std::string_view tag, float value, int64_t step) {
  proto::Event event = MakeEvent(step);
  auto* entry = event.mutable_summary()->add_value();
  entry->set_tag(ValidUtf8(tag));
  entry->set_simple_value(value);
  return state_->Write(event);
}

Status EventWriter::AddHistogram(std::string_view tag, const Tensor& values, int64_t step) {
  SummaryBuilder summary;
  HR_RETURN_IF_ERROR(summary.AddHistogram(tag, values));
  return AddSummary(summary.Serialize(), step);
}

Status EventWriter::AddImages(std::string_view tag, const Tensor& images, int64_t step,
                              const SummaryBuilder::ImageOptions& options) {
  SummaryBuilder summary;
  HR_RETURN_IF_ERROR(summary.AddImages(tag, images, options));
  return AddSummary(summary.Serialize(), step);
}

Status EventWriter::AddSummary(std::string_view summary, int64_t step) {
  proto::Event event = MakeEvent(step);
  HR_RETURN_IF_ERROR(ParseBinary(summary, "summary", event.mutable_summary()));
  return state_->Write(event);
}

Status EventWriter::AddGraph(std::string_view graph_def, int64_t step) {
  proto::Event event = MakeEvent(step);
  event.set_graph_def(std::string(graph_def));
  return state_->Write(event);
}

Status EventWriter::AddMetaGraph(std::string_view meta_graph_def, int64_t step) {
  proto::Event event = MakeEvent(step);
  event.set_meta_graph_def(std::string(meta_graph_def));
  return state_->Write(event);
}

Status EventWriter::AddRunMetadata(std::string_view tag, std::string_view run_metadata,
                                   int64_t step) {
  proto::Event event = MakeEvent(step);
  event.mutable_tagged_run_metadata()->set_tag(ValidUtf8(tag));
  event.mutable_tagged_run_metadata()->set_run_metadata(std::string(run_metadata));
  std::lock_guard lock(state_->mutex);
  if (state_->run_metadata_tags.contains(tag)) {
    return InvalidArgument("the tag '", tag,
                           "' was used for run metadata before; each needs one of its own");
  }
  HR_RETURN_IF_ERROR(state_->WriteLocked(event));
  state_->run_metadata_tags.emplace(tag);
  return absl::OkStatus();
}

Status EventWriter::AddSessionLog(SessionStatus status, int64_t step,
                                  std::string_view checkpoint_path, std::string_view message) {
  proto::Event event = MakeEvent(step);
  auto* log = event.mutable_session_log();
  log->set_status(static_cast<proto::SessionLog::SessionStatus>(status));
  log->set_checkpoint_path(ValidUtf8(checkpoint_path));
  log->set_msg(ValidUtf8(message));
  return state_->Write(event);
}

Status EventWriter::AddEvent(std::string_view bytes) {
  proto::Event event;
  HR_RETURN_IF_ERROR(ParseBinary(bytes, "event", &event));
  return state_->Write(event);
}

Status EventWriter::Flush() {
  std::lock_guard lock(state_->mutex);
  if (state_->closed) return absl::OkStatus();
  state_->dirty = false;
  return state_->file->Flush();
}

Status EventWriter::Close() {
  if (::getpid() !=
      state_->process) {  // a fork's copy: thread and unflushed events are the parent's
    state_.release();  // with the thread's handle, which may by now name a thread of this process
    state_ = std::make_unique<State>();
    state_->closed = true;
    return absl::OkStatus();
  }
  Status status;
  {
    std::lock_guard lock(state_->mutex);
    if (!state_->closed) status = state_->file->Close();
    state_->closed = true;
    state_->changed.notify_all();
  }
  if (state_->flusher.joinable()) state_->flusher.join();
  return status;
}

std::string EventWriter::path() const {
  std::lock_guard lock(state_->mutex);
  return state_->file != nullptr ? state_->file->path() : "";
}

}  // namespace headrace
