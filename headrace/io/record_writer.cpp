#include <zlib.h>

#include "headrace/base/strings.h"
#include "headrace/io/crc32c.h"
#include "headrace/io/internal/file_access.h"
#include "headrace/io/varint.h"
#include "headrace/io/record_file.h"

namespace headrace {
namespace {

constexpr size_t kHeaderBytes = 12;

class Deflater {
 public:
  Deflater(bool gzip, int level) {
    usable_ = deflateInit2(&stream_, level, Z_DEFLATED, MAX_WBITS + (gzip ? 16 : 0), 8,
                           Z_DEFAULT_STRATEGY) == Z_OK;
  }
  ~Deflater() {
    if (usable_) deflateEnd(&stream_);
  }
  Status Write(std::string_view bytes, int flush, OutputFile& file) {
    if (!usable_) return InvalidArgument("no compressor of that level (1 to 9, or -1)");
    char block[1 << 15];
    do {
      const size_t size = std::min(bytes.size(), size_t{1} << 30);
      stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
      stream_.avail_in = static_cast<uInt>(size);
      bytes.remove_prefix(size);
      do {
        stream_.next_out = reinterpret_cast<Bytef*>(block);
        stream_.avail_out = sizeof(block);
        deflate(&stream_, bytes.empty() ? flush : Z_NO_FLUSH);
        HR_RETURN_IF_ERROR(file.Append({block, sizeof(block) - stream_.avail_out}));
      } while (stream_.avail_out == 0);
    } while (!bytes.empty());
    return absl::OkStatus();
  }

 private:
  z_stream stream_{};
  bool usable_ = false;
};

}  // namespace

struct RecordWriter::State {
  std::unique_ptr<OutputFile> file;
  std::unique_ptr<Deflater> deflater;
  Status status;  // the first error
  bool closed = false;

  Status Write(std::string_view bytes, int flush) {
    return deflater != nullptr ? deflater->Write(bytes, flush, *file) : file->Append(bytes);
  }
  Status AppendRecord(std::string_view record) {
    char header[kHeaderBytes], footer[4];
    StoreU64(record.size(), header);
    StoreU32(MaskCrc32c(Crc32c(header, 8)), header + 8);
    StoreU32(MaskCrc32c(Crc32c(record)), footer);
    HR_RETURN_IF_ERROR(Write({header, sizeof(header)}, Z_NO_FLUSH));
    HR_RETURN_IF_ERROR(Write(record, Z_NO_FLUSH));
    return Write({footer, sizeof(footer)}, Z_NO_FLUSH);
  }
};

RecordWriter::RecordWriter(std::unique_ptr<State> state) : state_(std::move(state)) {}
RecordWriter::~RecordWriter() {
  Close().IgnoreError();
}

StatusOr<std::unique_ptr<RecordWriter>> RecordWriter::Create(const std::string& path) {
  return Create(path, Options());
}

StatusOr<std::unique_ptr<RecordWriter>> RecordWriter::Create(const std::string& path,
                                                             const Options& options) {
  auto state = std::make_unique<State>();
  HR_ASSIGN_OR_RETURN(state->file, OutputFile::Create(path, {.must_be_new = options.must_be_new,
                                                             .append = options.append}));
  if (options.compression != Compression::kNone) {
    state->deflater =
        std::make_unique<Deflater>(options.compression == Compression::kGzip, options.level);
  }
  return std::unique_ptr<RecordWriter>(new RecordWriter(std::move(state)));
}

Status RecordWriter::Append(std::string_view record) {
  if (state_->closed) return FailedPrecondition("record file '", path(), "' is closed");
  if (state_->status.ok()) state_->status = state_->AppendRecord(record);
  return state_->status;
}

Status RecordWriter::Flush() {
  if (state_->closed) return FailedPrecondition("record file '", path(), "' is closed");
  if (state_->status.ok() && state_->deflater != nullptr)
    state_->status = state_->Write({}, Z_SYNC_FLUSH);
  if (state_->status.ok()) state_->status = state_->file->Flush();
  return state_->status;
}

Status RecordWriter::Sync() {
  HR_RETURN_IF_ERROR(Flush());
  state_->status = state_->file->Sync();
  return state_->status;
}

Status RecordWriter::Close() {
  if (state_->closed) return state_->status;
  state_->closed = true;
  if (state_->status.ok() && state_->deflater != nullptr)
    state_->status = state_->Write({}, Z_FINISH);
  const Status closed = state_->file->Close();
  if (state_->status.ok()) state_->status = closed;
  return state_->status;
}

const std::string& RecordWriter::path() const {
  return state_->file->path();
}
int64_t RecordWriter::size_bytes() const {
  return state_->file->size_bytes();
}

}  // namespace headrace
