// Two classic networks for 28 x 28 images in 10 classes: a perceptron 784-500-10 and LeNet-5.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "headrace/headrace.h"

namespace mnist {

class Model {
 public:
  virtual ~Model() = default;
  // [n, 784] -> [n, 10]. `value_of` chooses what is read of a variable: its value, or its moving average.
  using Reader = std::function<headrace::Output(const headrace::Variable&)>;
  virtual headrace::Output Logits(headrace::Output images, bool training, const Reader& value_of) = 0;
  // The weights that the L2 penalty is on.
  virtual std::vector<headrace::Variable> Penalised() const = 0;
  virtual double learning_rate() const = 0;

  // Mean softmax cross entropy plus 1e-4 * L2 of the penalised weights: a scalar.
  headrace::Output Loss(headrace::Output images, headrace::Output labels);
  // [n, 784] -> the class with the largest logit, int64 [n].
  headrace::Output Classes(headrace::Output images, const Reader& value_of);
};

// Makes the model's variables in the current scopes. `name`: "mlp" or "lenet", else InvalidArgument.
headrace::StatusOr<std::unique_ptr<Model>> MakeModel(headrace::Graph& graph, const std::string& name);

}  // namespace mnist
