// Activation functions.
//
//   Output y = Relu(MatMul(x, w) + b);
//   Output z = LeakyRelu(y, {.alpha = 0.1f});
#pragma once

#include "headrace/ops/options.h"

namespace headrace {

// All: Shapes `[...] -> [...]`; result of the input's dtype. Source: the TensorFlow op of that
// name. NaN stays. Gradient: as in TensorFlow, by an op of its own, differentiable again where
// stated.

// max(x, 0). DTypes: real numbers. Gradient: ReluGrad, whose own is ReluGrad of the incoming
// gradient and zeros.
Output Relu(Output x, OpOptions o = {}, Location where = Location::Current());
// min(max(x, 0), 6). DTypes and gradient: as Relu.
Output Relu6(Output x, OpOptions o = {}, Location where = Location::Current());
struct LeakyReluOptions {
  float alpha = 0.2f;  // slope below 0
  std::string name;
};
// x above 0, alpha * x below. DTypes: floats. Gradient: as Relu.
Output LeakyRelu(Output x, LeakyReluOptions o = {}, Location where = Location::Current());

// DTypes from here on: floats.

// x above 0, exp(x) - 1 below. Gradient: twice.
Output Elu(Output x, OpOptions o = {}, Location where = Location::Current());
// Elu scaled such that activations keep mean 0 and variance 1. Gradient: twice.
Output Selu(Output x, OpOptions o = {}, Location where = Location::Current());
// log(1 + exp(x)). Gradient: any number of times.
Output Softplus(Output x, OpOptions o = {}, Location where = Location::Current());
// x / (1 + |x|). Gradient: once.
Output Softsign(Output x, OpOptions o = {}, Location where = Location::Current());
// Relu of x and of -x, joined along `axis` ("CRelu" scope). Source: tf.nn.crelu.
struct CReluOptions {
  int axis = -1;
  std::string name;
};
Output CRelu(Output x, CReluOptions o = {}, Location where = Location::Current());

// The ops of the gradients: `gradients` is what flows in; `features` the function's input
// (ReluGrad, Relu6Grad: input or result, it does not matter), `outputs` its result. Shapes: both
// equal, else InvalidArgument.
Output ReluGrad(Output gradients, Output features, OpOptions o = {},
                Location where = Location::Current());
Output Relu6Grad(Output gradients, Output features, OpOptions o = {},
                 Location where = Location::Current());
Output LeakyReluGrad(Output gradients, Output features, LeakyReluOptions o = {},
                     Location where = Location::Current());
Output EluGrad(Output gradients, Output outputs, OpOptions o = {},
               Location where = Location::Current());
Output SeluGrad(Output gradients, Output outputs, OpOptions o = {},
                Location where = Location::Current());
Output SoftplusGrad(Output gradients, Output features, OpOptions o = {},
                    Location where = Location::Current());
Output SoftsignGrad(Output gradients, Output features, OpOptions o = {},
                    Location where = Location::Current());

}  // namespace headrace
