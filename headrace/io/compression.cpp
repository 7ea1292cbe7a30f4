#include "headrace/io/compression.h"

#include "headrace/base/strings.h"

namespace headrace {

StatusOr<Compression> ParseCompression(std::string_view name) {
  if (name.empty()) return Compression::kNone;
  if (name == "ZLIB") return Compression::kZlib;
  if (name == "GZIP") return Compression::kGzip;
  return InvalidArgument("Unsupported compression_type: ", name,
                         ". It must be \"\", \"ZLIB\" or \"GZIP\".");
}

}  // namespace headrace
