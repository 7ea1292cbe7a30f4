// What every builder function takes besides its inputs.
#pragma once

#include <string>

#include "headrace/graph/graph.h"

namespace headrace {

// Ops without attributes take this; others have a struct of their own with `name` as last field:
//   Conv2D(x, w, {.strides = {1, 2, 2, 1}, .name = "conv1"})
struct OpOptions {
  std::string name;  // within the current name scope; "" = the op's name
};

}  // namespace headrace
