// Streaming decompression (zlib or gzip, several gzip members in a row) from bytes that are at
// hand.
//
//   Inflater inflater(Inflater::Kind::kGzip);
//   HR_ASSIGN_OR_RETURN(size_t n, inflater.Read(&compressed, out, size));
//
// Not thread-safe.
#pragma once

#include <cstddef>
#include <memory>
#include <string_view>

#include "headrace/base/status.h"

struct z_stream_s;

namespace headrace {

class Inflater {
 public:
  enum class Kind { kZlib, kGzip };
  explicit Inflater(Kind kind);
  ~Inflater();

  // Fills `out` as far as `*input` goes, taking off `*input` what was used. Fewer than `size` bytes
  // mean that the stream has ended or that it wants more input (then `*input` is empty). Errors:
  // DataLoss.
  StatusOr<size_t> Read(std::string_view* input, char* out, size_t size);
  // A whole stream (for gzip: member) is done, with its checksum.
  bool finished() const { return finished_; }

 private:
  std::unique_ptr<z_stream_s> stream_;
  Kind kind_;
  bool usable_ = false;
  bool finished_ = false;
};

}  // namespace headrace
