#include "examples/cpp/mnist/models.h"

namespace mnist {

using namespace headrace;  // NOLINT: an example reads better without prefixes

namespace {

Variable Weights(Graph& g, const std::string& name, Shape shape) {
  return Variable(g, TruncatedNormal(g, shape, {.stddev = 0.1}), {.name = name});
}

Variable Biases(Graph& g, const std::string& name, int64_t size, float value) {
  Tensor initial(DType::kFloat32, Shape{size});
  for (float& x : initial.flat<float>()) x = value;
  return Variable(g, initial, {.name = name});
}

class Mlp final : public Model {
 public:
  explicit Mlp(Graph& g)
      : w1_(Weights(g, "layer1/weights", {784, 500})), b1_(Biases(g, "layer1/biases", 500, 0.1f)),
        w2_(Weights(g, "layer2/weights", {500, 10})), b2_(Biases(g, "layer2/biases", 10, 0.1f)) {}

  Output Logits(Output images, bool /*training*/, const Reader& value_of) override {
    Output hidden = Relu(MatMul(images, value_of(w1_)) + value_of(b1_));
    return MatMul(hidden, value_of(w2_)) + value_of(b2_);
  }
  std::vector<Variable> Penalised() const override { return {w1_, w2_}; }
  double learning_rate() const override { return 0.8; }

 private:
  Variable w1_, b1_, w2_, b2_;
};

class LeNet5 final : public Model {
 public:
  explicit LeNet5(Graph& g)
      : c1_(Weights(g, "conv1/weights", {5, 5, 1, 32})), b1_(Biases(g, "conv1/biases", 32, 0.0f)),
        c2_(Weights(g, "conv2/weights", {5, 5, 32, 64})), b2_(Biases(g, "conv2/biases", 64, 0.0f)),
        f1_(Weights(g, "fc1/weights", {7 * 7 * 64, 512})), fb1_(Biases(g, "fc1/biases", 512, 0.1f)),
        f2_(Weights(g, "fc2/weights", {512, 10})), fb2_(Biases(g, "fc2/biases", 10, 0.1f)) {}

  Output Logits(Output images, bool training, const Reader& value_of) override {
    Output x = Reshape(images, {-1, 28, 28, 1});
    x = Relu(BiasAdd(Conv2D(x, value_of(c1_), {.strides = {1, 1, 1, 1}, .padding = "SAME"}), value_of(b1_)));
    x = MaxPool(x, {.ksize = {1, 2, 2, 1}, .strides = {1, 2, 2, 1}, .padding = "SAME"});
    x = Relu(BiasAdd(Conv2D(x, value_of(c2_), {.strides = {1, 1, 1, 1}, .padding = "SAME"}), value_of(b2_)));
    x = MaxPool(x, {.ksize = {1, 2, 2, 1}, .strides = {1, 2, 2, 1}, .padding = "SAME"});
    x = Relu(MatMul(Reshape(x, {-1, 7 * 7 * 64}), value_of(f1_)) + value_of(fb1_));
    if (training) x = Dropout(x, 0.5);
    return MatMul(x, value_of(f2_)) + value_of(fb2_);
  }
  std::vector<Variable> Penalised() const override { return {f1_, f2_}; }
  double learning_rate() const override { return 0.05; }

 private:
  Variable c1_, b1_, c2_, b2_, f1_, fb1_, f2_, fb2_;
};

}  // namespace

Output Model::Loss(Output images, Output labels) {
  Output logits = Logits(images, /*training=*/true, [](const Variable& v) { return v.value(); });
  Output loss = ReduceMean(SparseSoftmaxCrossEntropyWithLogits(logits, labels).loss);
  for (const Variable& weights : Penalised()) loss = loss + 1e-4 * L2Loss(weights);
  return loss;
}

Output Model::Classes(Output images, const Reader& value_of) {
  return ArgMax(Logits(images, /*training=*/false, value_of), 1);
}

StatusOr<std::unique_ptr<Model>> MakeModel(Graph& graph, const std::string& name) {
  if (name == "mlp") return std::make_unique<Mlp>(graph);
  if (name == "lenet") return std::make_unique<LeNet5>(graph);
  return InvalidArgument("model '", name, "' is neither mlp nor lenet");
}

}  // namespace mnist
