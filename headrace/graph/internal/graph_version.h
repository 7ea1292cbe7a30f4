// The version of the graph format that we write and read: TensorFlow 1.15's.
#pragma once

namespace headrace::internal {

inline constexpr int kGraphVersion = 134;

}  // namespace headrace::internal
