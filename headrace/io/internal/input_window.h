// The bytes of a file from front to back, decompressed where it is packed, through a buffer that
// grows with what is asked for and really comes.
//
//   InputWindow window(std::move(source), Compression::kGzip);
//   HR_RETURN_IF_ERROR(window.Fill(12));
//   if (window.bytes().size() < 12) return ...;   // the data ends here
//   window.Skip(12);
//
// Not thread-safe.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "headrace/io/compression.h"
#include "headrace/io/internal/file_access.h"
#include "headrace/io/internal/inflate.h"

namespace headrace {

class InputWindow {
 public:
  // `start`: the first byte; of uncompressed data only.
  InputWindow(std::unique_ptr<ByteSource> source, Compression compression, int64_t start = 0);

  // Bytes at hand; they stay where they are until Fill reads more.
  std::string_view bytes() const { return {buffer_.get() + begin_, end_ - begin_}; }
  // Reads on until `wanted` bytes are at hand; fewer are if the data ends before. Errors: DataLoss
  // for damaged compressed data, ResourceExhausted, and what the file system says.
  Status Fill(size_t wanted) {
    if (end_ - begin_ >= wanted || done_) [[likely]]
      return absl::OkStatus();
    return ReadUntil(wanted);
  }
  // REQUIRES: so many bytes are at hand.
  void Skip(size_t count) {
    begin_ += count;
    offset_ += static_cast<int64_t>(count);
  }
  // The same for any number: false if the data ends before.
  StatusOr<bool> SkipFar(int64_t count);

  // Of the next byte, in the (decompressed) data.
  int64_t offset() const { return offset_; }
  // How many bytes can still come, where that is known.
  std::optional<uint64_t> known_left() const;
  const std::string& path() const { return source_->path(); }

 private:
  Status ReadUntil(size_t wanted);
  Status Reserve(size_t wanted);
  StatusOr<size_t> ReadSome(char* out, size_t size);

  const std::unique_ptr<ByteSource> source_;
  std::unique_ptr<Inflater> inflater_;
  int64_t file_offset_ = 0;  // of the next byte to read from `source_`
  std::string compressed_;
  std::string_view compressed_rest_;

  std::unique_ptr<char[]> buffer_;
  size_t capacity_ = 0;
  size_t begin_ = 0, end_ = 0;  // of what is at hand in `buffer_`
  int64_t offset_ = 0;
  bool done_ = false;  // nothing more comes
};

}  // namespace headrace
