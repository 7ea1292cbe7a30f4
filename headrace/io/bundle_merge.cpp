#include <unistd.h>

#include <algorithm>

#include "headrace/base/strings.h"
#include "headrace/io/checkpoint_bundle.h"
#include "headrace/io/internal/bundle_index.h"
#include "headrace/io/internal/file_access.h"

namespace headrace {
namespace {

struct Shard {
  std::string file;
  int number = 0;  // in the merged bundle
};

// Adds one input's entries to `merged`, its shards renumbered.
Status MergeEntries(const std::string& prefix, const BundleIndex& input,
                    const std::map<int, Shard>& shards, BundleIndex* merged) {
  for (const auto& [key, entry] : input.entries) {
    const auto [position, is_new] = merged->entries.try_emplace(key, entry);
    proto::BundleEntryProto& target = position->second;
    if (entry.slices().empty()) {
      if (!is_new)
        return InvalidArgument("'", key, "' of bundle '", prefix,
                               "' is in another of the bundles too");
      target.set_shard_id(shards.at(entry.shard_id()).number);
    } else if (!is_new) {
      if (target.slices().empty() || target.dtype() != entry.dtype() ||
          target.shape().SerializeAsString() != entry.shape().SerializeAsString()) {
        return InvalidArgument("'", key, "' of bundle '", prefix,
                               "' has another dtype or shape in another bundle");
      }
      target.mutable_slices()->MergeFrom(entry.slices());
    }
  }
  return absl::OkStatus();
}

}  // namespace

Status MergeBundles(std::span<const std::string> prefixes, const std::string& merged_prefix) {
  if (prefixes.empty()) return InvalidArgument("no bundles to merge into '", merged_prefix, "'");
  BundleIndex merged;
  merged.num_shards = 0;
  std::vector<std::pair<std::string, int>> files;  // and the number of each
  for (const std::string& prefix : prefixes) {
    HR_ASSIGN_OR_RETURN(const BundleIndex input, ReadBundleIndex(prefix));
    std::map<int, Shard> shards;
    for (const auto& [key, entry] : input.entries) {
      if (!entry.slices().empty() || shards.contains(entry.shard_id())) continue;
      shards[entry.shard_id()] = {};
    }
    for (auto& [id, shard] : shards) {
      shard = {DataFileName(prefix, id, input.num_shards), merged.num_shards++};
      files.emplace_back(shard.file, shard.number);
    }
    HR_RETURN_IF_ERROR(MergeEntries(prefix, input, shards, &merged));
  }
  merged.num_shards = std::max(merged.num_shards, 1);
  // The data of a bundle that this one replaces keeps its names until the new index is there: see
  // BundleWriter.
  const auto old = ReadBundleIndex(merged_prefix);
  if (old.ok() && old->num_shards == merged.num_shards) ++merged.num_shards;
  for (const auto& [file, number] : files) {
    HR_RETURN_IF_ERROR(RenameFile(file, DataFileName(merged_prefix, number, merged.num_shards)));
  }
  if (!files.empty()) HR_RETURN_IF_ERROR(SyncFolderOf(merged_prefix));
  HR_RETURN_IF_ERROR(WriteBundleIndex(merged_prefix, merged, true));
  for (int shard = 0; old.ok() && shard < std::min(old->num_shards, 100000); ++shard) {
    ::unlink(DataFileName(merged_prefix, shard, old->num_shards).c_str());
  }
  for (const std::string& prefix : prefixes) {
    if (prefix != merged_prefix) ::unlink(IndexFileName(prefix).c_str());
  }
  return absl::OkStatus();
}

}  // namespace headrace
