// Sorted tables in LevelDB's format: the index of a checkpoint bundle, and whole V1 checkpoints.
//
//   HR_ASSIGN_OR_RETURN(auto table, TableReader::Open(std::move(file)));
//   HR_RETURN_IF_ERROR(table->ForEach([&](std::string_view key, std::string_view value) { ... }));
//
// Written through the LevelDB library. Read by code of our own, because the library believes the
// sizes that a file states and aborts where memory for them is short. Reading is thread-safe.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/functional/function_ref.h"
#include "headrace/base/status.h"
#include "headrace/io/internal/file_access.h"

namespace headrace {

// The bytes of a table with these entries, as TensorFlow writes it (no compression, blocks of 256
// KiB).
StatusOr<std::string> BuildTable(const std::map<std::string, std::string>& entries);

class TableReader {
 public:
  using Visitor = absl::FunctionRef<Status(std::string_view key, std::string_view value)>;

  // Errors: InvalidArgument for a file that is no table, DataLoss for a damaged one.
  static StatusOr<std::unique_ptr<TableReader>> Open(std::unique_ptr<ByteSource> source);
  // All entries in key order; stops at the first error of `visit`. Errors: DataLoss.
  Status ForEach(Visitor visit) const;
  // Errors: NotFound, DataLoss.
  StatusOr<std::string> Find(std::string_view key) const;
  const std::string& path() const { return source_->path(); }

 private:
  struct Block {
    std::string last_key;  // no key of the block is behind it
    uint64_t offset = 0;
    uint64_t size = 0;
  };
  explicit TableReader(std::unique_ptr<ByteSource> source) : source_(std::move(source)) {}
  StatusOr<std::string> ReadBlock(uint64_t offset, uint64_t size) const;
  Status VisitBlock(std::string_view block, Visitor visit) const;
  Status Damaged(std::string_view what) const;

  std::unique_ptr<ByteSource> source_;
  std::vector<Block> blocks_;
};

}  // namespace headrace
