// TensorFlow's protocol-buffer messages, described for other languages.
#pragma once

#include <string>

namespace headrace {

// A serialised FileDescriptorSet with every file of io/proto, each after those it imports.
std::string MessageDescriptions();

}  // namespace headrace
