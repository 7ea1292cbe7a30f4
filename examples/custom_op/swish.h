// Swish: x * sigmoid(beta * x), as an op of its own.
#pragma once

#include <headrace/headrace.h>

namespace custom {

struct SwishOptions {
  float beta = 1.0f;
  std::string name;
};

// x * sigmoid(beta * x), element-wise.
// Shapes: any -> the same. DTypes: float32, float64. Gradient: yes, differentiable again.
// Source: Ramachandran et al., Searching for Activation Functions, 2017.
headrace::Output Swish(headrace::Output x, SwishOptions options = {},
                       headrace::Location where = headrace::Location::Current());

// Makes the op known: call it once with OpRegistry::Global(), before the first Swish.
void DefineSwish(headrace::OpRegistry& ops);

}  // namespace custom
