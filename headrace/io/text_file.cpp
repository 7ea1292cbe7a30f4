#include "headrace/io/text_file.h"

#include <algorithm>

#include "headrace/base/strings.h"
#include "headrace/io/internal/input_window.h"

namespace headrace {
namespace {

constexpr size_t kLineBytes = 4096;  // looked through at first
constexpr int64_t kMostBytes = int64_t{1} << 40;

std::string Where(const InputWindow& window) {
  return StrCat("file '", window.path(), "' at byte ", window.offset(), ": ");
}

}  // namespace

// ---------------------------------------------------------------- lines

LineReader::LineReader(std::unique_ptr<InputWindow> window) : window_(std::move(window)) {}
LineReader::~LineReader() = default;

StatusOr<std::unique_ptr<LineReader>> LineReader::Open(const std::string& path,
                                                       const Options& options) {
  HR_ASSIGN_OR_RETURN(auto file, InputFile::Open(path));
  return std::unique_ptr<LineReader>(new LineReader(
      std::make_unique<InputWindow>(std::move(file), options.compression, options.start_offset)));
}

std::unique_ptr<LineReader> LineReader::FromBytes(std::string bytes, std::string name,
                                                  const Options& options) {
  auto source = std::make_unique<MemorySource>(std::move(bytes), std::move(name));
  return std::unique_ptr<LineReader>(new LineReader(
      std::make_unique<InputWindow>(std::move(source), options.compression, options.start_offset)));
}

StatusOr<bool> LineReader::Next(std::string_view* line) {
  HR_RETURN_IF_ERROR(status_);
  auto more = Read(line);
  if (!more.ok()) status_ = Annotate(more.status(), Where(*window_));
  HR_RETURN_IF_ERROR(status_);
  return *more;
}

StatusOr<bool> LineReader::Read(std::string_view* line) {
  window_->Skip(to_skip_);
  to_skip_ = 0;
  size_t end = std::string_view::npos;
  for (size_t searched = 0, wanted = 1; end == std::string_view::npos;) {
    HR_RETURN_IF_ERROR(window_->Fill(wanted));
    const std::string_view bytes = window_->bytes();
    end = bytes.find('\n', searched);
    searched = bytes.size();
    if (end == std::string_view::npos && bytes.size() < wanted) {
      if (bytes.find_first_not_of('\r') == std::string_view::npos) return false;
      end = bytes.size();
    }
    wanted = std::max(kLineBytes, 2 * searched);
  }
  *line = window_->bytes().substr(0, end);
  to_skip_ = std::min(end + 1, window_->bytes().size());
  if (line->find('\r') != std::string_view::npos) {
    without_returns_.clear();
    std::ranges::remove_copy(*line, std::back_inserter(without_returns_), '\r');
    *line = without_returns_;
  }
  return true;
}

int64_t LineReader::offset() const {
  return window_->offset() + static_cast<int64_t>(to_skip_);
}

// ---------------------------------------------------------------- records of one length

FixedRecordReader::FixedRecordReader(std::unique_ptr<InputWindow> window, const Options& options)
    : window_(std::move(window)), options_(options), to_skip_(options.header_bytes) {}
FixedRecordReader::~FixedRecordReader() = default;

namespace {

Status CheckOptions(const FixedRecordReader::Options& o) {
  const auto in_range = [](int64_t bytes) { return bytes >= 0 && bytes <= kMostBytes; };
  if (o.record_bytes > 0 && in_range(o.record_bytes) && in_range(o.header_bytes) &&
      in_range(o.footer_bytes) && in_range(o.hop_bytes)) {
    return absl::OkStatus();
  }
  return InvalidArgument(
      "sizes of records must be in [1, 2^40], of header, footer and hop in "
      "[0, 2^40]; got record_bytes ",
      o.record_bytes, ", header_bytes ", o.header_bytes, ", footer_bytes ", o.footer_bytes,
      ", hop_bytes ", o.hop_bytes);
}

}  // namespace

StatusOr<std::unique_ptr<FixedRecordReader>> FixedRecordReader::Open(const std::string& path,
                                                                     const Options& options) {
  HR_RETURN_IF_ERROR(CheckOptions(options));
  HR_ASSIGN_OR_RETURN(auto file, InputFile::Open(path));
  return std::unique_ptr<FixedRecordReader>(new FixedRecordReader(
      std::make_unique<InputWindow>(std::move(file), options.compression), options));
}

StatusOr<std::unique_ptr<FixedRecordReader>> FixedRecordReader::FromBytes(std::string bytes,
                                                                          std::string name,
                                                                          const Options& options) {
  HR_RETURN_IF_ERROR(CheckOptions(options));
  auto source = std::make_unique<MemorySource>(std::move(bytes), std::move(name));
  return std::unique_ptr<FixedRecordReader>(new FixedRecordReader(
      std::make_unique<InputWindow>(std::move(source), options.compression), options));
}

StatusOr<bool> FixedRecordReader::Next(std::string_view* record) {
  HR_RETURN_IF_ERROR(status_);
  auto more = Read(record);
  if (!more.ok()) status_ = Annotate(more.status(), Where(*window_));
  HR_RETURN_IF_ERROR(status_);
  return *more;
}

StatusOr<bool> FixedRecordReader::Read(std::string_view* record) {
  HR_ASSIGN_OR_RETURN(const bool reached, window_->SkipFar(std::exchange(to_skip_, 0)));
  if (!reached) return false;
  const auto whole = static_cast<size_t>(options_.record_bytes + options_.footer_bytes);
  // Of a file whose size is known no memory is asked for that it cannot fill.
  const auto left = window_->known_left();
  HR_RETURN_IF_ERROR(window_->Fill(left ? std::min<uint64_t>(whole, *left) : whole));
  if (window_->bytes().size() < whole) return false;
  *record = window_->bytes().substr(0, static_cast<size_t>(options_.record_bytes));
  to_skip_ = options_.hop_bytes > 0 ? options_.hop_bytes : options_.record_bytes;
  return true;
}

int64_t FixedRecordReader::offset() const {
  return window_->offset();
}
int64_t FixedRecordReader::left_bytes() const {
  return static_cast<int64_t>(window_->bytes().size());
}

}  // namespace headrace
