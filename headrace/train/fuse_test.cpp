// Products that take over what follows them give the bits of separate ops, and whoever looks
// between sees the values.
#include <gtest/gtest.h>

#include <cstring>
#include <random>
#include <set>
#include <string>

#include "headrace/graph/gradients.h"
#include "headrace/ops/ops.h"
#include "headrace/session/session.h"
#include "headrace/train/train.h"

namespace headrace {
namespace {

Tensor Random(const Shape& shape, int seed) {
  std::mt19937 generator(seed);
  std::uniform_real_distribution<float> values(-1, 1);
  Tensor made(DType::kFloat32, shape);
  for (float& x : made.flat<float>()) x = values(generator);
  return made;
}

// A layer, Relu, a layer, a loss with decay of the weights, and its descent.
struct Net {
  Net(int64_t in, int64_t hidden, int64_t out, bool bias_add, double decay) {
    x = Placeholder(g, DType::kFloat32, {-1, in}, {.name = "x"});
    w1 = Variable(g, Random({in, hidden}, 1), {.name = "w1"});
    b1 = Variable(g, Random({hidden}, 2), {.name = "b1"});
    w2 = Variable(g, Random({hidden, out}, 3), {.name = "w2"});
    product = MatMul(x, w1, {.name = "product"});
    sum = bias_add ? BiasAdd(product, b1, {.name = "sum"}) : Add(product, b1, {.name = "sum"});
    activation = Relu(sum, {.name = "activation"});
    loss = ReduceMean(Square(MatMul(activation, w2)));
    if (decay > 0) loss = loss + decay * (L2Loss(w1) + L2Loss(w2));
    train = GradientDescentOptimizer(0.3).Minimize(loss);
    init = GlobalVariablesInitializer(g);
  }

  // Three steps and then all weights, and the fetches of the last step before them.
  std::vector<Tensor> Run(const Tensor& batch, SessionOptions options,
                          const std::vector<Output>& fetches, std::set<std::string>* ran = nullptr,
                          const Session::Feeds& feeds = {}) {
    auto session = Session::Create(g, options);
    EXPECT_TRUE(session.ok()) << session.status();
    EXPECT_TRUE((*session)->Run({}, {}, {init}).ok());
    Session::Feeds all = feeds;
    all.emplace_back(x, batch);
    std::vector<Tensor> results;
    for (int step = 0; step < 3; ++step) {
      RunMetadata metadata;
      auto out = (*session)->Run(all, fetches, {train}, {.trace = true}, &metadata);
      EXPECT_TRUE(out.ok()) << out.status();
      if (!out.ok()) return {};
      results.clear();
      for (const Tensor& tensor : *out) results.push_back(tensor.Clone());
      for (const TraceEvent& event : metadata.trace.events()) {
        if (ran != nullptr && event.node != nullptr) ran->insert(event.node->name());
      }
    }
    auto weights = (*session)->Run({}, {w1, b1, w2});
    EXPECT_TRUE(weights.ok()) << weights.status();
    for (const Tensor& tensor : *weights) results.push_back(tensor.Clone());
    return results;
  }

  Graph g;
  Output x, product, sum, activation, loss;
  Variable w1, b1, w2;
  Node *train, *init;
};

void ExpectSameBits(const std::vector<Tensor>& a, const std::vector<Tensor>& b,
                    const std::string& what) {
  ASSERT_EQ(a.size(), b.size()) << what;
  for (size_t i = 0; i < a.size(); ++i) {
    ASSERT_EQ(a[i].shape(), b[i].shape()) << what;
    EXPECT_EQ(std::memcmp(a[i].raw_data(), b[i].raw_data(), a[i].size_bytes()), 0)
        << what << ", result " << i;
  }
}

SessionOptions Options(bool optimize, int threads = 1, int gpus = 0) {
  SessionOptions options;
  options.optimize = optimize;
  options.devices.threads = threads;
  options.devices.simulated_gpus = gpus;
  return options;
}

TEST(FuseProducts, GivesTheBitsOfSeparateOps) {
  std::mt19937 random(7);
  const auto size = [&](int64_t most) { return 1 + static_cast<int64_t>(random() % most); };
  for (int i = 0; i < 24; ++i) {
    const int64_t rows = i % 4 == 0 ? 1 : size(130), in = size(300), hidden = size(200),
                  out = size(40);
    Net net(in, hidden, out, i % 2 == 0, i % 3 == 0 ? 0.0 : 1e-2);
    ASSERT_TRUE(net.g.status().ok()) << net.g.status();
    const Tensor batch = Random({rows, in}, i);
    const std::string what = StrCat("batch ", rows, ", net ", in, "-", hidden, "-", out);
    const auto plain = net.Run(batch, Options(false), {net.loss});
    ExpectSameBits(net.Run(batch, Options(true), {net.loss}), plain, what);
    ExpectSameBits(net.Run(batch, Options(true, 3), {net.loss}), plain, what + ", 3 threads");
    ExpectSameBits(net.Run(batch, Options(true, 1, 1), {net.loss}), plain,
                   what + ", simulated GPU");
    SessionOptions executor = Options(true);
    executor.use_plans = false;
    ExpectSameBits(net.Run(batch, executor, {net.loss}), plain, what + ", general executor");
  }
}

TEST(FuseProducts, RunsOneKernelForAProductAndWhatFollows) {
  Net net(20, 30, 10, false, 1e-2);
  std::set<std::string> ran, all;
  net.Run(Random({40, 20}, 1), Options(true), {net.loss}, &ran);
  net.Run(Random({40, 20}, 1), Options(false), {net.loss}, &all);
  for (const char* name : {"product", "sum", "gradients/product_grad/MatMul_1"}) {
    EXPECT_TRUE(all.contains(name)) << name;
    EXPECT_FALSE(ran.contains(name)) << name;
  }
  EXPECT_TRUE(ran.contains("activation"));
  EXPECT_TRUE(ran.contains("GradientDescent/update_w1/ApplyGradientDescent"));
}

TEST(FuseProducts, ValuesBetweenMayBeFetchedAndFed) {
  Net net(20, 30, 10, true, 1e-2);
  const Tensor batch = Random({40, 20}, 1);
  const Output gradient = net.g.FindNode("gradients/product_grad/MatMul_1")->output(0);
  const Output relu_gradient = net.g.FindNode("gradients/activation_grad/ReluGrad")->output(0);
  for (const std::vector<Output>& fetches : {std::vector<Output>{net.product},
                                             {net.sum, net.activation},
                                             {gradient},
                                             {relu_gradient, net.product},
                                             {net.w1}}) {
    ExpectSameBits(net.Run(batch, Options(true), fetches), net.Run(batch, Options(false), fetches),
                   fetches[0].name());
  }
  for (const Output& fed : {net.product, net.sum, net.activation}) {
    const Session::Feeds feeds = {{fed, Random({40, 30}, 9)}};
    ExpectSameBits(net.Run(batch, Options(true), {net.loss}, nullptr, feeds),
                   net.Run(batch, Options(false), {net.loss}, nullptr, feeds), fed.name());
  }
  const Session::Feeds feeds = {{gradient, Random({20, 30}, 9)}};
  ExpectSameBits(net.Run(batch, Options(true), {net.loss}, nullptr, feeds),
                 net.Run(batch, Options(false), {net.loss}, nullptr, feeds), "fed gradient");
}

// A second write of the variable in the same step: the read that decays it is not the value that
// descends.
TEST(FuseProducts, OrderOfWritesIsKept) {
  for (bool optimize : {false, true}) {
    Graph g;
    Variable w(g, Tensor::Of<float>({1, 2, 3, 4}, Shape{2, 2}), {.name = "w"});
    Output x = Placeholder(g, DType::kFloat32, {3, 2});
    Output delta = MatMul(x, x, {.transpose_a = true}) + w.value() * 0.5f;
    Node* doubled = nullptr;
    {
      ControlDependencies after(g, {delta});
      doubled = AssignAdd(w.ref(), Const(g, Tensor::Of<float>({10, 10, 10, 10}, Shape{2, 2}))).node;
    }
    Output descended;
    {
      ControlDependencies after(g, {doubled});
      descended = NodeBuilder("ApplyGradientDescent", "", Location::Current())
                      .Input(w.ref())
                      .Input(Const(g, 1.0f))
                      .Input(delta)
                      .Build();
    }
    Node* init = GlobalVariablesInitializer(g);
    ASSERT_TRUE(g.status().ok()) << g.status();
    auto session = Session::Create(g, Options(optimize));
    ASSERT_TRUE((*session)->Run({}, {}, {init}).ok());
    ASSERT_TRUE(
        (*session)
            ->Run({{x, Tensor::Of<float>({1, 0, 0, 1, 0, 0}, Shape{3, 2})}}, {}, {descended.node})
            .ok());
    auto out = (*session)->Run({}, {w});
    ASSERT_TRUE(out.ok());
    const float expected[] = {11 - 1.5f, 12 - 1, 13 - 1.5f, 14 - 3};  // w + 10 - (x'x + w / 2)
    for (int i = 0; i < 4; ++i)
      EXPECT_EQ((*out)[0].data<float>()[i], expected[i]) << optimize << " " << i;
  }
}

TEST(FuseProducts, ErrorsStayThoseOfTheOps) {
  Graph g;
  Variable w(g, Random({3, 2}, 1), {.name = "w"});
  Output x = Placeholder(g, DType::kFloat32, PartialShape(), {.name = "x"});
  Output y = Relu(Add(MatMul(x, w), Const(g, Tensor::Of<float>({1, 2}, Shape{2}))));
  for (bool optimize : {false, true}) {
    auto session = Session::Create(g, Options(optimize));
    const auto uninitialised = (*session)->Run({{x, Random({4, 3}, 1)}}, {y}).status();
    EXPECT_EQ(uninitialised.code(), absl::StatusCode::kFailedPrecondition) << uninitialised;
    ASSERT_TRUE((*session)->Run({}, {}, {GlobalVariablesInitializer(g)}).ok());
    const auto status = (*session)->Run({{x, Random({4, 5}, 1)}}, {y}).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << status;
    EXPECT_NE(status.message().find("Matrix size-incompatible"), std::string::npos) << status;
  }
}

}  // namespace
}  // namespace headrace
