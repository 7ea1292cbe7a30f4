#include "headrace/io/internal/input_window.h"

#include <algorithm>
#include <cstring>
#include <new>

#include "headrace/base/strings.h"

namespace headrace {
namespace {

constexpr size_t kReadBytes = 256 << 10;  // fits a cache: checksum and user find the bytes there
constexpr size_t kGrowBytes = 16 << 20;

}  // namespace

InputWindow::InputWindow(std::unique_ptr<ByteSource> source, Compression compression, int64_t start)
    : source_(std::move(source)) {
  if (compression == Compression::kNone) {
    file_offset_ = offset_ = start;
  } else {
    const bool gzip = compression == Compression::kGzip;
    inflater_ = std::make_unique<Inflater>(gzip ? Inflater::Kind::kGzip : Inflater::Kind::kZlib);
  }
}

std::optional<uint64_t> InputWindow::known_left() const {
  if (inflater_ != nullptr) return std::nullopt;
  return end_ - begin_ +
         static_cast<uint64_t>(std::max<int64_t>(source_->size_bytes() - file_offset_, 0));
}

// Fewer than `size` bytes only at the end.
StatusOr<size_t> InputWindow::ReadSome(char* out, size_t size) {
  if (inflater_ == nullptr) {
    HR_ASSIGN_OR_RETURN(const size_t n, source_->ReadAt(file_offset_, out, size));
    file_offset_ += static_cast<int64_t>(n);
    return n;
  }
  size_t done = 0;
  while (done < size) {
    if (compressed_rest_.empty()) {
      compressed_.resize(kReadBytes);
      HR_ASSIGN_OR_RETURN(const size_t n,
                          source_->ReadAt(file_offset_, compressed_.data(), compressed_.size()));
      file_offset_ += static_cast<int64_t>(n);
      compressed_rest_ = std::string_view(compressed_).substr(0, n);
      if (n == 0) {
        if (!inflater_->finished()) return DataLoss("the compressed data is cut short");
        break;
      }
    }
    HR_ASSIGN_OR_RETURN(const size_t n,
                        inflater_->Read(&compressed_rest_, out + done, size - done));
    done += n;
    if (n == 0 && inflater_->finished() && !compressed_rest_.empty())
      return DataLoss("data follows the compressed data");
  }
  return done;
}

Status InputWindow::Reserve(size_t wanted) {
  if (capacity_ - begin_ >= wanted) return absl::OkStatus();
  if (capacity_ < wanted) {
    // A small file takes a small buffer.
    const size_t size =
        std::max<size_t>(wanted, std::min<uint64_t>(kReadBytes, known_left().value_or(kReadBytes)));
    std::unique_ptr<char[]> larger(new (std::nothrow) char[size]);
    if (larger == nullptr)
      return absl::ResourceExhaustedError(StrCat("no memory for ", size, " bytes"));
    if (end_ > begin_) std::memcpy(larger.get(), buffer_.get() + begin_, end_ - begin_);
    buffer_ = std::move(larger);
    capacity_ = size;
  } else {
    std::memmove(buffer_.get(), buffer_.get() + begin_, end_ - begin_);
  }
  end_ -= begin_;
  begin_ = 0;
  return absl::OkStatus();
}

Status InputWindow::ReadUntil(size_t wanted) {
  while (end_ - begin_ < wanted && !done_) {
    // A length in compressed data may be wrong: memory grows only with the data that does come.
    const size_t step =
        inflater_ == nullptr ? wanted : std::min(wanted, 2 * (end_ - begin_) + kGrowBytes);
    HR_RETURN_IF_ERROR(Reserve(step));
    const size_t room = std::max(step - (end_ - begin_), std::min(capacity_ - end_, kReadBytes));
    HR_ASSIGN_OR_RETURN(const size_t n, ReadSome(buffer_.get() + end_, room));
    end_ += n;
    done_ = n < room;
  }
  return absl::OkStatus();
}

StatusOr<bool> InputWindow::SkipFar(int64_t count) {
  while (count > 0) {
    HR_RETURN_IF_ERROR(Fill(1));
    if (begin_ == end_) return false;
    const size_t step = static_cast<size_t>(std::min<uint64_t>(end_ - begin_, count));
    Skip(step);
    count -= static_cast<int64_t>(step);
  }
  return true;
}

}  // namespace headrace
