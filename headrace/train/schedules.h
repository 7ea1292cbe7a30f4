// Learning rates that change with the step: graph functions of a step counter.
//
//   Output rate = ExponentialDecay(0.8, global_step, 600, 0.99);
//   Node* train = GradientDescentOptimizer(rate).Minimize(loss, {.global_step = global_step});
//
// All: `global_step` is an integer (or float) scalar; the result is a scalar of the dtype of the
// learning rate (float32 for a number), and the other arguments are cast to it. Formulas are
// TensorFlow 1's; where TensorFlow branches (cycle, restarts, pieces) these select, so that a step
// stays a static plan. Negative or zero decay_steps are not checked.
#pragma once

#include <string>
#include <vector>

#include "headrace/graph/graph.h"
#include "headrace/ops/math/operand.h"

namespace headrace {

struct DecayOptions {
  bool staircase = false;  // whole numbers of decay_steps only
  std::string name;
};
// learning_rate * decay_rate ^ (step / decay_steps). Source: tf.train.exponential_decay.
Output ExponentialDecay(Operand learning_rate, Output global_step, Operand decay_steps,
                        Operand decay_rate, DecayOptions o = {},
                        Location where = Location::Current());
// learning_rate / (1 + decay_rate * step / decay_steps). Source: tf.train.inverse_time_decay.
Output InverseTimeDecay(Operand learning_rate, Output global_step, Operand decay_steps,
                        Operand decay_rate, DecayOptions o = {},
                        Location where = Location::Current());
// learning_rate * exp(-decay_rate) ^ (step / decay_steps). Source: tf.train.natural_exp_decay.
Output NaturalExpDecay(Operand learning_rate, Output global_step, Operand decay_steps,
                       Operand decay_rate, DecayOptions o = {},
                       Location where = Location::Current());

struct PolynomialDecayOptions {
  Operand end_learning_rate = 0.0001;
  Operand power = 1.0;
  bool cycle = false;  // after decay_steps goes on with the first multiple of decay_steps not yet
                       // reached, instead of staying
  std::string name;
};
// (learning_rate - end) * (1 - min(step, decay_steps) / decay_steps) ^ power + end. Source:
// tf.train.polynomial_decay.
Output PolynomialDecay(Operand learning_rate, Output global_step, Operand decay_steps,
                       PolynomialDecayOptions o = {}, Location where = Location::Current());

struct CosineDecayOptions {
  double alpha = 0;  // least part of the learning rate
  std::string name;
};
// learning_rate * ((1 - alpha) * (1 + cos(pi * min(step, decay_steps) / decay_steps)) / 2 + alpha).
// Source: tf.train.cosine_decay; Loshchilov and Hutter, 2016.
Output CosineDecay(Operand learning_rate, Output global_step, Operand decay_steps,
                   CosineDecayOptions o = {}, Location where = Location::Current());

struct CosineDecayRestartsOptions {
  double t_mul = 2;  // length of a period over that of the one before; >= 1
  double m_mul = 1;  // first rate of a period over that of the one before
  double alpha = 0;
  std::string name;
};
// Cosine decay that starts anew. Source: tf.train.cosine_decay_restarts.
Output CosineDecayRestarts(Operand learning_rate, Output global_step, Operand first_decay_steps,
                           CosineDecayRestartsOptions o = {}, Location where = Location::Current());

struct LinearCosineDecayOptions {
  double num_periods = 0.5;
  double alpha = 0;
  double beta = 0.001;
  std::string name;
};
// learning_rate * ((alpha + 1 - f) * (1 + cos(2 pi num_periods f)) / 2 + beta), f = min(step,
// decay_steps) / decay_steps. Source: tf.train.linear_cosine_decay; Bello et al., 2017.
Output LinearCosineDecay(Operand learning_rate, Output global_step, Operand decay_steps,
                         LinearCosineDecayOptions o = {}, Location where = Location::Current());

struct PiecewiseConstantOptions {
  DType dtype = DType::kFloat32;
  std::string name;
};
// values[0] up to and including step boundaries[0], values[i] for boundaries[i-1] < step <=
// boundaries[i], then the last one. Errors: InvalidArgument unless there is one value more than
// boundaries and these ascend. Source: tf.train.piecewise_constant.
Output PiecewiseConstant(Output global_step, std::vector<double> boundaries,
                         std::vector<double> values, PiecewiseConstantOptions o = {},
                         Location where = Location::Current());

}  // namespace headrace
