// Random graphs, run by plans and by the general executor, optimised and not, on the CPU, on
// several CPU devices and on simulated GPUs: every run gives the same bits, step after step.
#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <random>

#include "headrace/base/strings.h"
#include "headrace/ops/array/concat.h"
#include "headrace/ops/array/constant.h"
#include "headrace/ops/array/identity.h"
#include "headrace/ops/array/placeholder.h"
#include "headrace/ops/array/reshape.h"
#include "headrace/ops/array/shape_ops.h"
#include "headrace/ops/array/slice.h"
#include "headrace/ops/math/binary.h"
#include "headrace/ops/math/cast.h"
#include "headrace/ops/math/matmul.h"
#include "headrace/ops/math/reduce.h"
#include "headrace/ops/math/unary.h"
#include "headrace/ops/state/assign.h"
#include "headrace/ops/state/variable.h"
#include "headrace/runtime/testing/test_ops.h"
#include "headrace/session/session.h"

namespace headrace {
namespace {

using testing::TestAdd;
using testing::Unary;

class RandomGraph {
 public:
  explicit RandomGraph(uint32_t seed) : random_(seed) {
    for (int i = 0; i < 2; ++i) {
      feeds.push_back(
          Placeholder(g, DType::kFloat32, i == 0 ? PartialShape{-1, 4} : PartialShape{4}));
      values_.push_back(feeds.back());
    }
    for (int i = 0; i < 3; ++i) values_.push_back(Const(g, RandomTensor(RandomShape())));
    for (int i = 0; i < 3; ++i) {
      variables.emplace_back(g, RandomTensor(RandomShape()),
                             VariableOptions{.name = StrCat("v", i)});
      writers_.push_back(nullptr);
    }
    const int nodes = 5 + Below(40);
    for (int i = 0; i < nodes; ++i) AddRandomNode();
    for (int i = 0; i < 1 + Below(4); ++i) fetches.push_back(Any());
    for (Node* writer : writers_) {
      if (writer != nullptr && Below(4) > 0) targets.push_back(writer);
    }
    for (const Variable& v : variables) {
      if (Below(3) == 0) fetches.push_back(v.ref());
    }
  }

  Tensor RandomTensor(const Shape& shape) {
    Tensor t(DType::kFloat32, shape);
    for (float& v : t.flat<float>()) v = std::uniform_real_distribution<float>(-1, 1)(random_);
    return t;
  }

  Graph g;
  std::vector<Output> feeds, fetches;
  std::vector<Variable> variables;
  std::vector<Node*> targets;

 private:
  int Below(int n) { return static_cast<int>(random_() % static_cast<uint32_t>(n)); }
  Output Any() { return values_[static_cast<size_t>(Below(static_cast<int>(values_.size())))]; }
  Shape RandomShape() {
    const Shape shapes[] = {Shape{}, Shape{4}, Shape{4, 4}, Shape{1, 4}, Shape{4, 1}, Shape{2, 8}};
    return shapes[Below(6)];
  }

  void AddRandomNode() {
    std::optional<DeviceScope> device;
    const char* devices[] = {"/cpu:0", "/cpu:1", "/gpu:0", "/gpu:1"};
    if (Below(2) == 0) device.emplace(g, devices[Below(4)]);
    std::optional<ControlDependencies> after;
    if (Below(8) == 0) after.emplace(g, std::initializer_list<Output>{Any()});
    const Output made = RandomNode();
    if (made.valid()) values_.push_back(made);
  }

  Output RandomNode() {
    const Output x = Any(), y = Any();
    const bool static_x = x.shape().is_fully_known();
    switch (Below(18)) {
      case 0:
        return Broadcasts(x, y) ? Add(x, y) : Output();
      case 1:
        return Broadcasts(x, y) ? Mul(x, y) : Output();
      case 2:
        return Broadcasts(x, y) ? Sub(x, y) : Output();
      case 3:
        return Tanh(x);
      case 4:
        return Neg(x);
      case 5:
        return Identity(x);
      case 6:
        return StopGradient(x);
      case 7:
        return static_x ? Reshape(x, {-1}) : Output();
      case 8:
        return static_x && x.shape().num_elements() == 16 ? Reshape(x, {4, 4}) : Output();
      case 9:
        return ReduceSum(x);
      case 10:
        return x.shape().rank() == 2 && y.shape().rank() == 2 &&
                       x.shape().dim(1) == y.shape().dim(0) && static_x
                   ? MatMul(x, y)
                   : Output();
      case 11:
        return x.shape().rank() == 1 && static_x
                   ? NodeBuilder("TestSplit", "", Location::Current()).Input(x).Build()
                   : Output();
      case 12:
        return ReduceSum(Unary("TestPositive", x));  // of a shape that only the values tell
      case 13:
        return Cast(Size(x), DType::kFloat32);
      case 14:
        return variables[static_cast<size_t>(Below(3))].value();
      case 15:
        return AddWriter(x);
      case 16:
        return Unary("TestHook", x);
      default:
        return Unary("TestOwn", x);
    }
  }

  static bool Broadcasts(const Output& x, const Output& y) {
    return x.shape().has_rank() && y.shape().has_rank() &&
           BroadcastShapes(x.shape(), y.shape()).ok();
  }

  // At most one write of a variable in a step, so that its order is defined.
  Output AddWriter(Output x) {
    const size_t i = static_cast<size_t>(Below(3));
    if (writers_[i] != nullptr) return Output();
    Output written;
    if (x.shape() == variables[i].shape()) {
      written =
          Below(2) == 0 ? Assign(variables[i].ref(), Tanh(x)) : AssignAdd(variables[i].ref(), x);
    } else {
      written = testing::TestUpdate(variables[i].ref(), Tanh(ReduceSum(x)));
    }
    writers_[i] = written.node;
    return Below(2) == 0 ? written : Output();
  }

  std::mt19937 random_;
  std::vector<Output> values_;
  std::vector<Node*> writers_;
};

// The graph as text, for the report of a failure.
std::string Listing(const RandomGraph& random) {
  std::string text;
  for (int id = 0; id < random.g.num_nodes(); ++id) {
    const Node& node = *random.g.node(id);
    StrAppend(&text, node.name(), " = ", node.op_name(), "(",
              StrJoin(node.inputs(), ", ", [](const Output& input) { return input.name(); }), ")");
    for (const Node* control : node.control_inputs()) StrAppend(&text, " ^", control->name());
    StrAppend(&text, node.requested_device().empty() ? "" : " on ", node.requested_device(), "\n");
  }
  StrAppend(&text, "fetches: ", StrJoin(random.fetches, ", ", [](const Output& fetch) {
    return fetch.name();
  }));
  StrAppend(&text, "\ntargets: ", StrJoin(random.targets, ", ", [](const Node* target) {
    return target->name();
  }));
  return text;
}

struct Way {
  const char* name;
  SessionOptions options;
};

std::vector<Way> Ways() {
  std::vector<Way> ways;
  for (const bool gpus : {false, true}) {
    for (const bool plans : {true, false}) {
      for (const bool optimize : {true, false}) {
        SessionOptions options{
            .allow_soft_placement = true, .optimize = optimize, .use_plans = plans};
        options.devices.threads = 2;
        options.devices.cpu_count = gpus ? 2 : 1;
        options.devices.simulated_gpus = gpus ? 2 : 0;
        options.devices.simulated_gpu_bytes = 8 << 20;
        ways.push_back(
            {gpus ? (plans ? "plan on gpus" : "executor on gpus") : (plans ? "plan" : "executor"),
             options});
      }
    }
  }
  return ways;
}

// Results of several steps one after another, and the variables at the end.
StatusOr<std::vector<Tensor>> RunSteps(RandomGraph& random, const SessionOptions& options,
                                       const std::vector<std::vector<Tensor>>& feeds) {
  HR_ASSIGN_OR_RETURN(auto session, Session::Create(random.g, options));
  std::vector<Node*> initializers;
  std::vector<Output> variables;
  for (const Variable& v : random.variables) {
    initializers.push_back(v.initializer());
    variables.push_back(v.ref());
  }
  HR_RETURN_IF_ERROR(session->Run({}, {}, initializers).status());
  HR_ASSIGN_OR_RETURN(Callable step,
                      session->MakeCallable(random.feeds, random.fetches, random.targets));
  std::vector<Tensor> all, fetched;
  for (const std::vector<Tensor>& values : feeds) {
    HR_RETURN_IF_ERROR(step(values, &fetched));
    for (const Tensor& tensor : fetched) all.push_back(tensor.Clone());
  }
  HR_ASSIGN_OR_RETURN(const std::vector<Tensor> last, session->Run({}, variables));
  all.insert(all.end(), last.begin(), last.end());
  return all;
}

void ExpectEqualBits(const std::vector<Tensor>& a, const std::vector<Tensor>& b) {
  ASSERT_EQ(a.size(), b.size());
  for (size_t i = 0; i < a.size(); ++i) {
    ASSERT_EQ(a[i].shape(), b[i].shape()) << "result " << i;
    EXPECT_EQ(std::memcmp(a[i].raw_data(), b[i].raw_data(), a[i].size_bytes()), 0)
        << "result " << i << ": " << a[i].ToString() << " against " << b[i].ToString();
  }
}

void CheckGraph(uint32_t seed) {
  SCOPED_TRACE(StrCat("seed ", seed));
  testing::DefineTestOps();
  RandomGraph random(seed);
  ASSERT_TRUE(random.g.status().ok()) << random.g.status();
  std::vector<std::vector<Tensor>> feeds;
  for (int step = 0; step < 4; ++step) {
    const int64_t rows = step == 3 ? 4 : 1;  // the last step has another shape
    feeds.push_back({random.RandomTensor(Shape{rows, 4}), random.RandomTensor(Shape{4})});
  }
  std::optional<std::vector<Tensor>> expected;
  for (const Way& way : Ways()) {
    SCOPED_TRACE(StrCat(way.name, way.options.optimize ? ", optimised" : ", as it is"));
    const auto results = RunSteps(random, way.options, feeds);
    ASSERT_TRUE(results.ok()) << results.status();
    if (!expected) expected = *results;
    ExpectEqualBits(*expected, *results);
    if (::testing::Test::HasFailure()) {
      ADD_FAILURE() << Listing(random);
      return;
    }
  }
}

// HEADRACE_FUZZ_GRAPHS=N for more graphs than a test run has time for, HEADRACE_FUZZ_SEED=S to
// start elsewhere.
TEST(RandomGraph, EveryWayOfRunningGivesTheSameBits) {
  const char* count = std::getenv("HEADRACE_FUZZ_GRAPHS");
  const char* first = std::getenv("HEADRACE_FUZZ_SEED");
  const uint32_t begin = first == nullptr ? 1 : static_cast<uint32_t>(std::atol(first));
  const uint32_t graphs = count == nullptr ? 60 : static_cast<uint32_t>(std::atol(count));
  for (uint32_t seed = begin; seed < begin + graphs; ++seed) {
    CheckGraph(seed);
    if (::testing::Test::HasFailure()) return;
  }
}

}  // namespace
}  // namespace headrace
