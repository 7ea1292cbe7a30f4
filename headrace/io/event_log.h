// Event files: what TensorBoard shows.
//
//   HR_ASSIGN_OR_RETURN(auto events, EventWriter::Open("logs"));
//   HR_RETURN_IF_ERROR(events->AddScalar("loss", loss, step));
//   HR_RETURN_IF_ERROR(events->AddGraph(serialized_graph_def));
//   HR_RETURN_IF_ERROR(events->Close());
//
// Thread-safe. What was added is in the file after Flush, Close or the destructor, and at the
// latest after flush_interval. Tags are UTF-8; what is none in them becomes U+FFFD.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "headrace/base/status.h"
#include "headrace/io/summary_builder.h"
#include "headrace/tensor/tensor.h"

namespace headrace {

class EventWriter {
 public:
  struct Options {
    std::string suffix;  // of the file's name
    std::chrono::milliseconds flush_interval = std::chrono::seconds(120);
    int64_t max_file_bytes = 0;  // from this size on, a new file is begun; 0: never
  };
  enum class SessionStatus { kStart = 1, kStop = 2, kCheckpoint = 3 };

  // Makes the folder if there is none, and in it "events.out.tfevents.SECONDS.HOST" + suffix; never
  // a name that exists (".1" and so on is added). Errors: those of the file system.
  static StatusOr<std::unique_ptr<EventWriter>> Open(const std::string& folder,
                                                     const Options& options);
  static StatusOr<std::unique_ptr<EventWriter>> Open(const std::string& folder);
  ~EventWriter();

  Status AddScalar(std::string_view tag, float value, int64_t step);
  // Errors of the next two: those of SummaryBuilder.
  Status AddHistogram(std::string_view tag, const Tensor& values, int64_t step);
  Status AddImages(std::string_view tag, const Tensor& images, int64_t step,
                   const SummaryBuilder::ImageOptions& options = SummaryBuilder::ImageOptions());
  // A serialised Summary (what a summary op returned). Errors: DataLoss when it is none.
  Status AddSummary(std::string_view summary, int64_t step);
  // A serialised GraphDef.
  Status AddGraph(std::string_view graph_def, int64_t step = 0);
  // A serialised MetaGraphDef.
  Status AddMetaGraph(std::string_view meta_graph_def, int64_t step = 0);
  // A serialised RunMetadata. Errors: InvalidArgument for a tag used before: TensorBoard would show
  // only one.
  Status AddRunMetadata(std::string_view tag, std::string_view run_metadata, int64_t step);
  Status AddSessionLog(SessionStatus status, int64_t step, std::string_view checkpoint_path = {},
                       std::string_view message = {});
  // A serialised Event, its time as it is. Errors: DataLoss when it is none.
  Status AddEvent(std::string_view event);

  Status Flush();
  // Later calls of Add are FailedPrecondition.
  Status Close();
  // The file that is being written.
  std::string path() const;

 private:
  struct State;
  explicit EventWriter(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace headrace
