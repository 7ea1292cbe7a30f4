#include "headrace/io/event_reader.h"

#include "headrace/base/file.h"
#include "headrace/base/strings.h"
#include "headrace/io/proto/event.pb.h"
#include "headrace/io/proto_convert.h"

namespace headrace {

StatusOr<std::unique_ptr<EventReader>> EventReader::Open(const std::string& path) {
  HR_ASSIGN_OR_RETURN(auto records, RecordReader::Open(path));
  return std::unique_ptr<EventReader>(new EventReader(std::move(records), path));
}

StatusOr<bool> EventReader::Next(proto::Event* event) {
  const int64_t offset = records_->offset();
  std::string_view record;
  HR_ASSIGN_OR_RETURN(const bool more, records_->Next(&record));
  if (!more) return false;
  HR_RETURN_IF_ERROR(ParseBinary(record, StrCat("event file '", path_, "', byte ", offset), event));
  return true;
}

StatusOr<std::vector<std::string>> ListEventFiles(const std::string& folder) {
  HR_ASSIGN_OR_RETURN(const auto names, ListFolder(folder));
  std::vector<std::string> paths;
  for (const std::string& name : names) {
    if (name.find("tfevents") != std::string::npos) paths.push_back(JoinPath(folder, name));
  }
  return paths;
}

}  // namespace headrace
