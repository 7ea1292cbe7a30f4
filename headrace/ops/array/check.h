// Watching values in a running step.
//
//   Output safe = CheckNumerics(loss, "loss");
//   Node* ok = Assert(Less(x, 1.0f), {x}, {.summarize = 5});
//   Output y = Print(x, {x}, {.message = "x = "});
#pragma once

#include <initializer_list>
#include <span>
#include <string>

#include "headrace/ops/options.h"

namespace headrace {

// `x`, if it has no NaN and no infinity. DTypes: floating. Errors (step): InvalidArgument
// "<message> : Tensor had NaN values". Gradient: checked too. Source: TensorFlow CheckNumerics.
Output CheckNumerics(Output x, std::string message, OpOptions o = {},
                     Location where = Location::Current());

struct AssertOptions {
  int64_t summarize = 3;  // elements shown of each tensor; below 0: all
  std::string name;
};
// Errors (step): InvalidArgument "assertion failed: [...] [...]" with the data when the condition,
// a scalar, is false. Source: TensorFlow Assert.
Node* Assert(Output condition, std::span<const Output> data, AssertOptions o = {},
             Location where = Location::Current());
inline Node* Assert(Output condition, std::initializer_list<Output> data, AssertOptions o = {},
                    Location where = Location::Current()) {
  return Assert(condition, std::span(data.begin(), data.size()), std::move(o), where);
}

struct PrintOptions {
  std::string message;
  int64_t first_n = -1;  // only the first so many times; below 0: always
  int64_t summarize = 3;
  std::string name;
};
// `x`; a line with message and data goes to stderr in every step. Gradient: passes. Source:
// TensorFlow Print.
Output Print(Output x, std::span<const Output> data, PrintOptions o = {},
             Location where = Location::Current());
inline Output Print(Output x, std::initializer_list<Output> data, PrintOptions o = {},
                    Location where = Location::Current()) {
  return Print(x, std::span(data.begin(), data.size()), std::move(o), where);
}

// Prints a string. `output_stream`: "stdout", "stderr", "log(info)", "log(warning)", "log(error)"
// or "file://PATH". The logs are lines on stderr, without the time and the source file that
// TensorFlow puts before them. Source: TensorFlow PrintV2.
struct PrintV2Options {
  std::string output_stream = "stderr";
  std::string end = "\n";
  std::string name;
};
Node* PrintV2(Output text, PrintV2Options o = {}, Location where = Location::Current());

}  // namespace headrace
