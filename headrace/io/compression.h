// How a file of input is packed.
#pragma once

#include <string_view>

#include "headrace/base/status.h"

namespace headrace {

enum class Compression { kNone, kZlib, kGzip };

// "", "ZLIB", "GZIP". Errors: InvalidArgument for another name.
StatusOr<Compression> ParseCompression(std::string_view name);

}  // namespace headrace
