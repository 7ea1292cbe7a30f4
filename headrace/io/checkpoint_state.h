// The text file `checkpoint` of a folder: which checkpoints a saver has kept there, and which is
// the newest.
//
//   HR_ASSIGN_OR_RETURN(std::string prefix, LatestCheckpoint("logs"));
//   HR_ASSIGN_OR_RETURN(auto reader, BundleReader::Open(prefix));
//
// Stateless; replacing the file is atomic.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "headrace/base/status.h"

namespace headrace {

struct CheckpointState {
  std::string model_checkpoint_path;                    // the newest
  std::vector<std::string> all_model_checkpoint_paths;  // oldest first
  // Seconds since 1970; none, or one for each path.
  std::vector<double> all_model_checkpoint_timestamps;
  double last_preserved_timestamp = 0;
};

// Relative paths in the file count from the folder: what is returned has the folder in front.
// Errors: NotFound when there is no such file; InvalidArgument with file, line and column for one
// that cannot be read.
StatusOr<CheckpointState> ReadCheckpointState(const std::string& folder,
                                              std::string_view file_name = "checkpoint");
// Writes the paths as they are given, but that those inside `folder` become relative to it, so that
// the folder can be moved.
Status WriteCheckpointState(const std::string& folder, const CheckpointState& state,
                            std::string_view file_name = "checkpoint");

// The newest checkpoint of the folder that is complete (index readable, data files there and long
// enough). Newer ones that are not are skipped with a warning. Errors: NotFound, saying what was
// looked for.
StatusOr<std::string> LatestCheckpoint(const std::string& folder,
                                       std::string_view file_name = "checkpoint");

}  // namespace headrace
