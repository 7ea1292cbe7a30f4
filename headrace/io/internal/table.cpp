#include "headrace/io/internal/table.h"

#include <leveldb/env.h>
#include <leveldb/options.h>
#include <leveldb/table_builder.h>
#include <snappy.h>

#include <algorithm>

#include "headrace/base/strings.h"
#include "headrace/io/crc32c.h"
#include "headrace/io/varint.h"

namespace headrace {
namespace {

constexpr size_t kFooterBytes = 48;
constexpr uint64_t kMagic = 0xdb4775248b80fb57u;
constexpr size_t kTrailerBytes = 5;  // kind of compression, checksum
constexpr size_t kMaxSnappyRatio = 32;

class StringFile final : public leveldb::WritableFile {
 public:
  leveldb::Status Append(const leveldb::Slice& data) override {
    bytes.append(data.data(), data.size());
    return leveldb::Status::OK();
  }
  leveldb::Status Close() override { return leveldb::Status::OK(); }
  leveldb::Status Flush() override { return leveldb::Status::OK(); }
  leveldb::Status Sync() override { return leveldb::Status::OK(); }
  std::string bytes;
};

bool TakeHandle(std::string_view* bytes, uint64_t* offset, uint64_t* size) {
  return TakeVarint(bytes, offset) && TakeVarint(bytes, size);
}

}  // namespace

StatusOr<std::string> BuildTable(const std::map<std::string, std::string>& entries) {
  leveldb::Options options;
  options.compression = leveldb::kNoCompression;
  options.block_size = 256 << 10;
  StringFile file;
  leveldb::TableBuilder builder(options, &file);
  for (const auto& [key, value] : entries) builder.Add(key, value);
  const leveldb::Status status = builder.Finish();
  if (!status.ok()) return Internal("cannot build a table: ", status.ToString());
  return std::move(file.bytes);
}

Status TableReader::Damaged(std::string_view what) const {
  return DataLoss("table '", source_->path(), "' is damaged: ", what);
}

StatusOr<std::unique_ptr<TableReader>> TableReader::Open(std::unique_ptr<ByteSource> source) {
  std::unique_ptr<TableReader> table(new TableReader(std::move(source)));
  const int64_t size_bytes = table->source_->size_bytes();
  char footer[kFooterBytes];
  if (size_bytes < static_cast<int64_t>(kFooterBytes)) {
    return InvalidArgument("'", table->path(), "' is not a table: ", size_bytes,
                           " bytes, at least ", kFooterBytes, " expected (cut short?)");
  }
  HR_ASSIGN_OR_RETURN(
      size_t n, table->source_->ReadAt(size_bytes - static_cast<int64_t>(kFooterBytes), footer,
                                       kFooterBytes));
  if (n != kFooterBytes || LoadU64(footer + kFooterBytes - 8) != kMagic) {
    return InvalidArgument("'", table->path(),
                           "' is not a table: its last bytes are not those of one (cut short?)");
  }
  std::string_view handles(footer, kFooterBytes - 8);
  uint64_t offset = 0, size = 0;
  if (!TakeHandle(&handles, &offset, &size) || !TakeHandle(&handles, &offset, &size)) {
    return table->Damaged("no place of the index in its last bytes");
  }
  HR_ASSIGN_OR_RETURN(const std::string index, table->ReadBlock(offset, size));
  HR_RETURN_IF_ERROR(
      table->VisitBlock(index, [&](std::string_view key, std::string_view value) -> Status {
        Block block{.last_key = std::string(key)};
        if (!TakeHandle(&value, &block.offset, &block.size))
          return table->Damaged("no place of a block in the index");
        if (!table->blocks_.empty() && block.last_key <= table->blocks_.back().last_key) {
          return table->Damaged("the index is not in order");
        }
        table->blocks_.push_back(std::move(block));
        return absl::OkStatus();
      }));
  return table;
}

StatusOr<std::string> TableReader::ReadBlock(uint64_t offset, uint64_t size) const {
  const auto file_size = static_cast<uint64_t>(source_->size_bytes());
  if (size > file_size || offset > file_size - size || file_size - size - offset < kTrailerBytes) {
    return Damaged(StrCat("a block of ", size, " bytes at ", offset, " lies beyond its ", file_size,
                          " bytes"));
  }
  std::string block(size + kTrailerBytes, '\0');
  HR_ASSIGN_OR_RETURN(const size_t n,
                      source_->ReadAt(static_cast<int64_t>(offset), block.data(), block.size()));
  if (n != block.size() ||
      UnmaskCrc32c(LoadU32(block.data() + size + 1)) != Crc32c(block.data(), size + 1)) {
    return Damaged(StrCat("wrong checksum of the block at ", offset));
  }
  const char compression = block[size];
  block.resize(size);
  if (compression == 0) return block;
  size_t plain_size = 0;
  if (compression != 1 || !snappy::GetUncompressedLength(block.data(), size, &plain_size) ||
      plain_size / kMaxSnappyRatio > size) {
    return Damaged(StrCat("the block at ", offset, " is compressed in a way that cannot be read"));
  }
  std::string plain(plain_size, '\0');
  if (!snappy::RawUncompress(block.data(), size, plain.data())) {
    return Damaged(StrCat("the block at ", offset, " cannot be decompressed"));
  }
  return plain;
}

// Entries are (bytes shared with the key before, further bytes, size of the value), the bytes, the
// value; at the end come places to start from, which reading in order does not need, and their
// number.
Status TableReader::VisitBlock(std::string_view block, Visitor visit) const {
  const uint64_t restarts = block.size() < 4 ? 0 : LoadU32(block.data() + block.size() - 4);
  if (block.size() < 4 || restarts > (block.size() - 4) / 4)
    return Damaged("a block without its tail");
  block.remove_suffix(4 + restarts * 4);
  std::string key;
  while (!block.empty()) {
    uint64_t shared = 0, more = 0, value_size = 0;
    if (!TakeVarint(&block, &shared) || !TakeVarint(&block, &more) ||
        !TakeVarint(&block, &value_size) || shared > key.size() || more > block.size() ||
        value_size > block.size() - more) {
      return Damaged("an entry reaches beyond its block");
    }
    key.resize(shared);
    key.append(block.substr(0, more));
    HR_RETURN_IF_ERROR(visit(key, block.substr(more, value_size)));
    block.remove_prefix(more + value_size);
  }
  return absl::OkStatus();
}

Status TableReader::ForEach(Visitor visit) const {
  std::string last;
  bool first = true;
  for (const Block& block : blocks_) {
    HR_ASSIGN_OR_RETURN(const std::string bytes, ReadBlock(block.offset, block.size));
    HR_RETURN_IF_ERROR(
        VisitBlock(bytes, [&](std::string_view key, std::string_view value) -> Status {
          if (!first && key <= last)
            return Damaged(StrCat("key '", EscapeC(key), "' is not in order"));
          first = false;
          last = key;
          return visit(key, value);
        }));
  }
  return absl::OkStatus();
}

StatusOr<std::string> TableReader::Find(std::string_view key) const {
  const auto block = std::ranges::lower_bound(
      blocks_, key, std::less<>(), [](const Block& b) { return std::string_view(b.last_key); });
  if (block == blocks_.end())
    return NotFound("table '", path(), "' has no key '", EscapeC(key), "'");
  HR_ASSIGN_OR_RETURN(const std::string bytes, ReadBlock(block->offset, block->size));
  std::string found;
  bool exists = false;
  HR_RETURN_IF_ERROR(VisitBlock(bytes, [&](std::string_view k, std::string_view value) {
    if (k == key) {
      found = value;
      exists = true;
    }
    return absl::OkStatus();
  }));
  if (!exists) return NotFound("table '", path(), "' has no key '", EscapeC(key), "'");
  return found;
}

}  // namespace headrace
