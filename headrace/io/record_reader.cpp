#include "headrace/base/strings.h"
#include "headrace/io/crc32c.h"
#include "headrace/io/internal/file_access.h"
#include "headrace/io/internal/input_window.h"
#include "headrace/io/varint.h"
#include "headrace/io/record_file.h"

namespace headrace {
namespace {

constexpr size_t kHeaderBytes = 12;
constexpr size_t kFooterBytes = 4;

}  // namespace

struct RecordReader::State {
  State(std::unique_ptr<ByteSource> source, const Options& options)
      : window(std::move(source), options.compression, options.start_offset) {}

  InputWindow window;
  size_t to_skip = 0;  // the record handed out last
  int64_t records = 0;
  Status status;

  StatusOr<bool> Next(std::string_view* record);
  Status CutShort(uint64_t promised, uint64_t follow) const {
    return DataLoss("it is cut short: ", promised, " bytes of data promised, ", follow,
                    " bytes follow");
  }
  std::string Where() const {
    return StrCat("record file '", window.path(), "', record ", records, " at byte ",
                  window.offset(), ": ");
  }
};

StatusOr<bool> RecordReader::State::Next(std::string_view* record) {
  window.Skip(to_skip);
  to_skip = 0;
  HR_RETURN_IF_ERROR(window.Fill(kHeaderBytes));
  std::string_view bytes = window.bytes();
  if (bytes.empty()) return false;
  if (bytes.size() < kHeaderBytes)
    return DataLoss("it is cut short in its header (", bytes.size(), " of 12 bytes)");
  const uint64_t length = LoadU64(bytes.data());
  if (UnmaskCrc32c(LoadU32(bytes.data() + 8)) != Crc32c(bytes.data(), 8))
    return DataLoss("wrong checksum of its length");
  constexpr uint64_t kMost = (uint64_t{1} << 62);
  const uint64_t whole = length + kHeaderBytes + kFooterBytes;
  if (length > kMost || bytes.size() < whole) {
    const auto left = window.known_left();
    if (length > kMost || (left && whole > *left))
      return CutShort(length, left ? *left - kHeaderBytes : 0);
    HR_RETURN_IF_ERROR(window.Fill(whole));
    bytes = window.bytes();
    if (bytes.size() < whole) return CutShort(length, bytes.size() - kHeaderBytes);
  }
  *record = bytes.substr(kHeaderBytes, length);
  if (UnmaskCrc32c(LoadU32(record->data() + length)) != Crc32c(*record))
    return DataLoss("wrong checksum of its ", length, " bytes of data");
  to_skip = whole;
  ++records;
  return true;
}

RecordReader::RecordReader(std::unique_ptr<State> state) : state_(std::move(state)) {}
RecordReader::~RecordReader() = default;

StatusOr<std::unique_ptr<RecordReader>> RecordReader::Open(const std::string& path) {
  return Open(path, Options());
}

StatusOr<std::unique_ptr<RecordReader>> RecordReader::Open(const std::string& path,
                                                           const Options& options) {
  HR_ASSIGN_OR_RETURN(auto file, InputFile::Open(path));
  return std::unique_ptr<RecordReader>(
      new RecordReader(std::make_unique<State>(std::move(file), options)));
}

std::unique_ptr<RecordReader> RecordReader::FromBytes(std::string bytes, std::string name,
                                                      const Options& options) {
  auto source = std::make_unique<MemorySource>(std::move(bytes), std::move(name));
  return std::unique_ptr<RecordReader>(
      new RecordReader(std::make_unique<State>(std::move(source), options)));
}

StatusOr<bool> RecordReader::Next(std::string_view* record) {
  HR_RETURN_IF_ERROR(state_->status);
  auto more = state_->Next(record);
  if (!more.ok()) [[unlikely]] {
    state_->status = Annotate(more.status(), state_->Where());
    return state_->status;
  }
  return *more;
}

StatusOr<bool> RecordReader::Next(std::string* record) {
  std::string_view view;
  HR_ASSIGN_OR_RETURN(const bool more, Next(&view));
  if (more) record->assign(view);
  return more;
}

int64_t RecordReader::offset() const {
  return state_->window.offset() + static_cast<int64_t>(state_->to_skip);
}
int64_t RecordReader::records_read() const {
  return state_->records;
}

}  // namespace headrace
