// Nodes for people who look for mistakes: the time, and an end of the step.
//
//   Output now = Timestamp(g);
//   Node* stop = Abort(g, "the queue of sentences is empty");
#pragma once

#include <string>

#include "headrace/ops/options.h"

namespace headrace {

// Seconds since 1970 when the node runs, float64. Gradient: none. Source: TensorFlow Timestamp.
Output Timestamp(Graph& g, OpOptions o = {}, Location where = Location::Current());

struct AbortOptions {
  // TensorFlow's process then ends with 0; here the step still fails.
  bool exit_without_error = false;
  std::string name;
};
// Ends the step with the error Aborted and the message; TensorFlow ends the process. Source:
// TensorFlow Abort.
Node* Abort(Graph& g, std::string error_msg, AbortOptions o = {},
            Location where = Location::Current());

}  // namespace headrace
