#include "headrace/io/checkpoint_state.h"

#include <algorithm>
#include <filesystem>

#include "headrace/base/file.h"
#include "headrace/base/log.h"
#include "headrace/base/strings.h"
#include "headrace/io/checkpoint_bundle.h"
#include "headrace/io/proto/checkpoint.pb.h"
#include "headrace/io/proto_convert.h"

namespace headrace {
namespace {

std::string Absolute(const std::string& path) {
  std::error_code error;
  auto absolute = std::filesystem::absolute(path, error).lexically_normal();
  if (!absolute.has_filename()) absolute = absolute.parent_path();  // "logs/"
  return error ? path : absolute.string();
}

// `path` as it reads from inside `folder`, or unchanged when it lies elsewhere.
std::string RelativeTo(const std::string& folder, const std::string& path) {
  const std::string inside = StrCat(Absolute(folder), "/");
  const std::string absolute = Absolute(path);
  return absolute.starts_with(inside) ? absolute.substr(inside.size()) : path;
}

Status CheckComplete(const std::string& prefix) {
  HR_ASSIGN_OR_RETURN(const auto reader, BundleReader::Open(prefix));
  return reader->CheckFiles();
}

}  // namespace

StatusOr<CheckpointState> ReadCheckpointState(const std::string& folder,
                                              std::string_view file_name) {
  const std::string path = JoinPath(folder, file_name);
  HR_ASSIGN_OR_RETURN(const std::string text, ReadFile(path));
  proto::CheckpointState message;
  HR_RETURN_IF_ERROR(ParseText(text, path, &message));
  CheckpointState state;
  if (!message.model_checkpoint_path().empty()) {
    state.model_checkpoint_path = JoinPath(folder, message.model_checkpoint_path());
  }
  for (const std::string& p : message.all_model_checkpoint_paths()) {
    state.all_model_checkpoint_paths.push_back(JoinPath(folder, p));
  }
  state.all_model_checkpoint_timestamps.assign(message.all_model_checkpoint_timestamps().begin(),
                                               message.all_model_checkpoint_timestamps().end());
  state.last_preserved_timestamp = message.last_preserved_timestamp();
  return state;
}

Status WriteCheckpointState(const std::string& folder, const CheckpointState& state,
                            std::string_view file_name) {
  const auto& times = state.all_model_checkpoint_timestamps;
  if (!times.empty() && times.size() != state.all_model_checkpoint_paths.size()) {
    return InvalidArgument("state of the checkpoints in '", folder, "': ", times.size(),
                           " times for ", state.all_model_checkpoint_paths.size(), " paths");
  }
  proto::CheckpointState message;
  message.set_model_checkpoint_path(RelativeTo(folder, state.model_checkpoint_path));
  for (const std::string& p : state.all_model_checkpoint_paths) {
    message.add_all_model_checkpoint_paths(RelativeTo(folder, p));
  }
  for (const double time : times) message.add_all_model_checkpoint_timestamps(time);
  message.set_last_preserved_timestamp(state.last_preserved_timestamp);
  return WriteFileAtomically(JoinPath(folder, file_name), PrintText(message));
}

StatusOr<std::string> LatestCheckpoint(const std::string& folder, std::string_view file_name) {
  auto state = ReadCheckpointState(folder, file_name);
  if (!state.ok())
    return Annotate(state.status(), StrCat("no latest checkpoint of '", folder, "': "));
  std::vector<std::string> candidates{state->model_checkpoint_path};
  for (auto p = state->all_model_checkpoint_paths.rbegin();
       p != state->all_model_checkpoint_paths.rend(); ++p) {
    if (*p != state->model_checkpoint_path) candidates.push_back(*p);
  }
  std::string skipped;
  for (const std::string& prefix : candidates) {
    if (prefix.empty()) continue;
    const Status status = CheckComplete(prefix);
    if (status.ok()) return prefix;
    Log(LogLevel::kWarning, StrCat("checkpoint '", prefix, "' is skipped: ", Message(status)));
    StrAppend(&skipped, "; ", Message(status));
  }
  return NotFound("no complete checkpoint in '", folder, "', though '", JoinPath(folder, file_name),
                  "' names ", candidates.size(), skipped);
}

}  // namespace headrace
