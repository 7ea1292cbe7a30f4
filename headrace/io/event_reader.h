// Reads event files back, for tests and tools.
//
//   HR_ASSIGN_OR_RETURN(auto reader, EventReader::Open(path));
//   proto::Event event;   // headrace/io/proto/event.pb.h
//   for (;;) { HR_ASSIGN_OR_RETURN(bool more, reader->Next(&event)); if (!more) break; ... }
//
// Not thread-safe.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "headrace/base/status.h"
#include "headrace/io/record_file.h"

namespace headrace {
namespace proto {
class Event;
}  // namespace proto

// What speaks of messages stays inside the library: see headrace_package.
#pragma GCC visibility push(hidden)

class EventReader {
 public:
  static StatusOr<std::unique_ptr<EventReader>> Open(const std::string& path);
  // False at the end. Errors: DataLoss with file and place, after all events that precede it.
  StatusOr<bool> Next(proto::Event* event);

 private:
  explicit EventReader(std::unique_ptr<RecordReader> records, std::string path)
      : records_(std::move(records)), path_(std::move(path)) {}
  std::unique_ptr<RecordReader> records_;
  std::string path_;
};

// The event files of a folder, oldest first.
StatusOr<std::vector<std::string>> ListEventFiles(const std::string& folder);

#pragma GCC visibility pop

}  // namespace headrace
