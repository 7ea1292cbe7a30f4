#include "headrace/io/internal/inflate.h"

#include <zlib.h>

#include <algorithm>

#include "headrace/base/strings.h"

namespace headrace {
namespace {

constexpr size_t kMaxPiece = size_t{1} << 30;  // zlib counts in 32 bits

}  // namespace

Inflater::Inflater(Kind kind) : stream_(new z_stream_s{}), kind_(kind) {
  usable_ = inflateInit2(stream_.get(), kind == Kind::kGzip ? MAX_WBITS + 16 : MAX_WBITS) == Z_OK;
}

Inflater::~Inflater() {
  if (usable_) inflateEnd(stream_.get());
}

StatusOr<size_t> Inflater::Read(std::string_view* input, char* out, size_t size) {
  if (!usable_) return absl::ResourceExhaustedError("no memory to decompress");
  size_t written = 0;
  while (written < size && !input->empty()) {
    if (finished_) {
      if (kind_ != Kind::kGzip || !input->starts_with('\x1f')) return written;
      inflateReset(stream_.get());
      finished_ = false;
    }
    const size_t in_size = std::min(input->size(), kMaxPiece),
                 out_size = std::min(size - written, kMaxPiece);
    stream_->next_in = reinterpret_cast<Bytef*>(const_cast<char*>(input->data()));
    stream_->avail_in = static_cast<uInt>(in_size);
    stream_->next_out = reinterpret_cast<Bytef*>(out + written);
    stream_->avail_out = static_cast<uInt>(out_size);
    const int result = inflate(stream_.get(), Z_NO_FLUSH);
    input->remove_prefix(in_size - stream_->avail_in);
    written += out_size - stream_->avail_out;
    finished_ = result == Z_STREAM_END;
    if (result != Z_OK && result != Z_STREAM_END && result != Z_BUF_ERROR) {
      return DataLoss("compressed data is damaged (",
                      stream_->msg != nullptr ? stream_->msg : "unexpected end", ")");
    }
    if (result == Z_BUF_ERROR) return written;
  }
  return written;
}

}  // namespace headrace
