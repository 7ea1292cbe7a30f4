#include "headrace/io/internal/bundle_index.h"

#include <unistd.h>

#include <atomic>
#include <cstdio>

#include "headrace/base/file.h"
#include "headrace/base/strings.h"
#include "headrace/io/internal/file_access.h"
#include "headrace/io/internal/table.h"
#include "headrace/io/proto_convert.h"

namespace headrace {
namespace {

constexpr int kVersion = 1;  // of the format

Status CheckHeader(const proto::BundleHeaderProto& header, const std::string& path) {
  if (header.endianness() != proto::BundleHeaderProto::LITTLE) {
    return Unimplemented("checkpoint index '", path, "' was written on a big-endian machine");
  }
  if (header.version().min_consumer() > kVersion) {
    return Unimplemented("checkpoint index '", path, "' wants a reader of version ",
                         header.version().min_consumer(), "; this one has version ", kVersion);
  }
  if (header.num_shards() < 1) {
    return DataLoss("checkpoint index '", path, "' has ", header.num_shards(),
                    " shards; at least 1 expected");
  }
  return absl::OkStatus();
}

// What bears the name of an index and is none was one: InvalidArgument is for files that somebody chose.
Status Lost(const Status& status) {
  return absl::IsInvalidArgument(status) ? absl::DataLossError(status.message()) : status;
}

StatusOr<BundleIndex> ReadIndex(std::unique_ptr<ByteSource> source) {
  auto opened = TableReader::Open(std::move(source));
  if (!opened.ok()) return Lost(opened.status());
  const std::unique_ptr<TableReader> table = *std::move(opened);
  BundleIndex index;
  bool has_header = false;
  HR_RETURN_IF_ERROR(table->ForEach([&](std::string_view key, std::string_view value) -> Status {
    if (key.empty()) {
      proto::BundleHeaderProto header;
      HR_RETURN_IF_ERROR(ParseBinary(value, table->path(), &header));
      HR_RETURN_IF_ERROR(CheckHeader(header, table->path()));
      index.num_shards = header.num_shards();
      has_header = true;
      return absl::OkStatus();
    }
    if (!has_header)
      return DataLoss("'", table->path(), "' is a table, but not the index of a checkpoint");
    auto& entry =
        index.entries.emplace_hint(index.entries.end(), key, proto::BundleEntryProto())->second;
    return ParseBinary(value, StrCat(table->path(), ", entry '", EscapeC(key), "'"), &entry);
  }));
  if (!has_header)
    return DataLoss("'", table->path(), "' is a table, but not the index of a checkpoint");
  return index;
}

}  // namespace

std::string IndexFileName(std::string_view prefix) {
  return StrCat(prefix, ".index");
}

std::string DataFileName(std::string_view prefix, int shard, int num_shards) {
  char numbers[40];
  std::snprintf(numbers, sizeof(numbers), ".data-%05d-of-%05d", shard, num_shards);
  return StrCat(prefix, numbers);
}

std::string TemporaryName(std::string_view file_name) {
  static std::atomic<int> count{0};
  return StrCat(file_name, ".tempstate", ::getpid(), "_", count.fetch_add(1));
}

StatusOr<BundleIndex> ParseBundleIndex(std::string bytes, const std::string& path) {
  return ReadIndex(std::make_unique<MemorySource>(std::move(bytes), path));
}

StatusOr<BundleIndex> ReadBundleIndex(const std::string& prefix) {
  HR_ASSIGN_OR_RETURN(auto file, InputFile::Open(IndexFileName(prefix)));
  return ReadIndex(std::move(file));
}

Status WriteBundleIndex(const std::string& prefix, const BundleIndex& index, bool sync) {
  std::map<std::string, std::string> table;
  proto::BundleHeaderProto header;
  header.set_num_shards(index.num_shards);
  header.mutable_version()->set_producer(kVersion);
  table[""] = header.SerializeAsString();
  for (const auto& [key, entry] : index.entries)
    table.emplace_hint(table.end(), key, entry.SerializeAsString());
  HR_ASSIGN_OR_RETURN(const std::string bytes, BuildTable(table));
  const std::string path = IndexFileName(prefix), temporary = TemporaryName(path);
  const auto write = [&]() -> Status {
    HR_ASSIGN_OR_RETURN(const auto file, OutputFile::Create(temporary));
    HR_RETURN_IF_ERROR(file->Append(bytes));
    if (sync) HR_RETURN_IF_ERROR(file->Sync());
    HR_RETURN_IF_ERROR(file->Close());
    return RenameFile(temporary, path);
  };
  const Status status = write();
  if (!status.ok()) {
    ::unlink(temporary.c_str());
    return status;
  }
  // The new index is in force: an error now would make the caller remove what it refers to.
  if (sync) SyncFolderOf(path).IgnoreError();
  return absl::OkStatus();
}

}  // namespace headrace
