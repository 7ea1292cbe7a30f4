// The index of a checkpoint bundle and the names of its files.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "headrace/base/status.h"
#include "headrace/io/proto/checkpoint.pb.h"

namespace headrace {

struct BundleIndex {
  int num_shards = 1;
  std::map<std::string, proto::BundleEntryProto> entries;  // without that of the header
};

std::string IndexFileName(std::string_view prefix);
// "prefix.data-00000-of-00001"
std::string DataFileName(std::string_view prefix, int shard, int num_shards);
// A name beside `file_name` that no other writer has.
std::string TemporaryName(std::string_view file_name);

// Errors: those of TableReader; Unimplemented for another byte order or a later version.
StatusOr<BundleIndex> ReadBundleIndex(const std::string& prefix);
// From the bytes of an index; `path` is for messages.
StatusOr<BundleIndex> ParseBundleIndex(std::string bytes, const std::string& path);
// Replaces the index by one rename, after its bytes are written (and on the disk, if `sync`).
Status WriteBundleIndex(const std::string& prefix, const BundleIndex& index, bool sync);

}  // namespace headrace
