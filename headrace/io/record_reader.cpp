#include <algorithm>
#include <cstring>
#include <optional>

#include "headrace/base/strings.h"
#include "headrace/io/crc32c.h"
#include "headrace/io/internal/file_access.h"
#include "headrace/io/internal/inflate.h"
#include "headrace/io/internal/varint.h"
#include "headrace/io/record_file.h"

namespace headrace {
namespace {

constexpr size_t kHeaderBytes = 12;
constexpr size_t kFooterBytes = 4;
constexpr size_t kReadBytes = 256 << 10;  // fits a cache: checksum and user find the bytes there
constexpr size_t kGrowBytes = 16 << 20;

}  // namespace

// A window over the (decompressed) bytes: [begin, end) of `buffer` has been read and not used.
struct RecordReader::State {
  std::unique_ptr<ByteSource> source;
  std::unique_ptr<Inflater> inflater;
  int64_t file_offset = 0;  // of the next byte to read from `source`
  std::string compressed;
  std::string_view compressed_rest;
  bool source_done = false;

  std::unique_ptr<char[]> buffer;
  size_t capacity = 0;
  size_t begin = 0, end = 0;
  int64_t offset = 0;  // of `begin` in the data
  size_t to_skip = 0;  // the record handed out last
  int64_t records = 0;
  Status status;

  StatusOr<size_t> ReadSome(char* out, size_t size);
  StatusOr<size_t> Fetch(size_t wanted);
  Status Reserve(size_t wanted);
  StatusOr<bool> Next(std::string_view* record);
  std::string Where() const {
    return StrCat("record file '", source->path(), "', record ", records, " at byte ", offset,
                  ": ");
  }
  // The bytes that can still come, if that is known.
  std::optional<uint64_t> known_left() const {
    if (inflater != nullptr) return std::nullopt;
    return end - begin +
           static_cast<uint64_t>(std::max<int64_t>(source->size_bytes() - file_offset, 0));
  }
};

// Fewer than `size` bytes only at the end.
StatusOr<size_t> RecordReader::State::ReadSome(char* out, size_t size) {
  if (inflater == nullptr) {
    HR_ASSIGN_OR_RETURN(const size_t n, source->ReadAt(file_offset, out, size));
    file_offset += static_cast<int64_t>(n);
    return n;
  }
  size_t done = 0;
  while (done < size) {
    if (compressed_rest.empty()) {
      compressed.resize(kReadBytes);
      HR_ASSIGN_OR_RETURN(const size_t n,
                          source->ReadAt(file_offset, compressed.data(), compressed.size()));
      file_offset += static_cast<int64_t>(n);
      compressed_rest = std::string_view(compressed).substr(0, n);
      if (n == 0) {
        if (!inflater->finished()) return DataLoss("the compressed data is cut short");
        break;
      }
    }
    HR_ASSIGN_OR_RETURN(const size_t n, inflater->Read(&compressed_rest, out + done, size - done));
    done += n;
    if (n == 0 && inflater->finished() && !compressed_rest.empty())
      return DataLoss("data follows the compressed data");
  }
  return done;
}

Status RecordReader::State::Reserve(size_t wanted) {
  if (capacity - begin >= wanted) return absl::OkStatus();
  if (capacity < wanted) {
    // A small file takes a small buffer.
    const size_t size =
        std::max<size_t>(wanted, std::min<uint64_t>(kReadBytes, known_left().value_or(kReadBytes)));
    std::unique_ptr<char[]> larger(new (std::nothrow) char[size]);
    if (larger == nullptr)
      return absl::ResourceExhaustedError(StrCat("no memory for ", size, " bytes"));
    if (end > begin) std::memcpy(larger.get(), buffer.get() + begin, end - begin);
    buffer = std::move(larger);
    capacity = size;
  } else {
    std::memmove(buffer.get(), buffer.get() + begin, end - begin);
  }
  end -= begin;
  begin = 0;
  return absl::OkStatus();
}

// Makes `wanted` bytes available if there are so many; returns how many are.
StatusOr<size_t> RecordReader::State::Fetch(size_t wanted) {
  while (end - begin < wanted && !source_done) {
    // A length in compressed data may be wrong: memory grows only with the data that does come.
    const size_t step =
        inflater == nullptr ? wanted : std::min(wanted, 2 * (end - begin) + kGrowBytes);
    HR_RETURN_IF_ERROR(Reserve(step));
    const size_t room = std::max(step - (end - begin), std::min(capacity - end, kReadBytes));
    HR_ASSIGN_OR_RETURN(const size_t n, ReadSome(buffer.get() + end, room));
    end += n;
    source_done = n < room;
  }
  return std::min(end - begin, wanted);
}

StatusOr<bool> RecordReader::State::Next(std::string_view* record) {
  begin += to_skip;
  offset += static_cast<int64_t>(to_skip);
  to_skip = 0;
  HR_ASSIGN_OR_RETURN(size_t n, Fetch(kHeaderBytes));
  if (n == 0) return false;
  if (n < kHeaderBytes) return DataLoss("it is cut short in its header (", n, " of 12 bytes)");
  const char* header = buffer.get() + begin;
  const uint64_t length = LoadU64(header);
  if (UnmaskCrc32c(LoadU32(header + 8)) != Crc32c(header, 8))
    return DataLoss("wrong checksum of its length");
  constexpr uint64_t kMost = (uint64_t{1} << 62);
  const uint64_t whole = length + kHeaderBytes + kFooterBytes;
  const auto left = known_left();
  if (length > kMost || (left && whole > *left)) {
    return DataLoss("it is cut short: ", length, " bytes of data promised, ",
                    left ? *left - kHeaderBytes : uint64_t{0}, " bytes follow");
  }
  HR_ASSIGN_OR_RETURN(n, Fetch(whole));
  if (n < whole)
    return DataLoss("it is cut short: ", length, " bytes of data promised, ", n - kHeaderBytes,
                    " follow");
  *record = std::string_view(buffer.get() + begin + kHeaderBytes, length);
  if (UnmaskCrc32c(LoadU32(record->data() + length)) != Crc32c(*record)) {
    return DataLoss("wrong checksum of its ", length, " bytes of data");
  }
  to_skip = whole;
  ++records;
  return true;
}

RecordReader::RecordReader(std::unique_ptr<State> state) : state_(std::move(state)) {}
RecordReader::~RecordReader() = default;

StatusOr<std::unique_ptr<RecordReader>> RecordReader::Open(const std::string& path) {
  return Open(path, Options());
}

namespace {

template <class State>
std::unique_ptr<State> MakeState(std::unique_ptr<ByteSource> source,
                                 const RecordReader::Options& options) {
  auto state = std::make_unique<State>();
  state->source = std::move(source);
  if (options.compression != RecordCompression::kNone) {
    const bool gzip = options.compression == RecordCompression::kGzip;
    state->inflater =
        std::make_unique<Inflater>(gzip ? Inflater::Kind::kGzip : Inflater::Kind::kZlib);
  } else {
    state->file_offset = state->offset = options.start_offset;
  }
  return state;
}

}  // namespace

StatusOr<std::unique_ptr<RecordReader>> RecordReader::Open(const std::string& path,
                                                           const Options& options) {
  HR_ASSIGN_OR_RETURN(auto file, InputFile::Open(path));
  return std::unique_ptr<RecordReader>(
      new RecordReader(MakeState<State>(std::move(file), options)));
}

std::unique_ptr<RecordReader> RecordReader::FromBytes(std::string bytes, std::string name,
                                                      const Options& options) {
  auto source = std::make_unique<MemorySource>(std::move(bytes), std::move(name));
  return std::unique_ptr<RecordReader>(
      new RecordReader(MakeState<State>(std::move(source), options)));
}

StatusOr<bool> RecordReader::Next(std::string_view* record) {
  HR_RETURN_IF_ERROR(state_->status);
  auto more = state_->Next(record);
  if (!more.ok()) state_->status = Annotate(more.status(), state_->Where());
  HR_RETURN_IF_ERROR(state_->status);
  return *more;
}

StatusOr<bool> RecordReader::Next(std::string* record) {
  std::string_view view;
  HR_ASSIGN_OR_RETURN(const bool more, Next(&view));
  if (more) record->assign(view);
  return more;
}

int64_t RecordReader::offset() const {
  return state_->offset + static_cast<int64_t>(state_->to_skip);
}
int64_t RecordReader::records_read() const {
  return state_->records;
}

}  // namespace headrace
