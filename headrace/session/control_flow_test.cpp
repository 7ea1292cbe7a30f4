// Branches and loops of TensorFlow-1 graphs, run by the general executor.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "headrace/base/strings.h"
#include "headrace/graph/gradients.h"
#include "headrace/ops/array/constant.h"
#include "headrace/ops/array/identity.h"
#include "headrace/ops/array/placeholder.h"
#include "headrace/ops/control/flow.h"
#include "headrace/ops/math/binary.h"
#include "headrace/ops/state/variable.h"
#include "headrace/runtime/testing/test_ops.h"
#include "headrace/session/session.h"

namespace headrace {
namespace {

using ::testing::HasSubstr;
using testing::Unary;

struct Loop {
  Output i, value;  // after the loop
};

// while (i < limit) { i += 1; value = body(value); }
Loop While(Graph& g, const std::string& name, Output i, Output limit, Output value,
           const std::function<Output(Output)>& body, int parallel_iterations = 10) {
  const EnterOptions options{.parallel_iterations = parallel_iterations};
  Output enter_i = Enter(i, name, options), enter_value = Enter(value, name, options);
  Output enter_limit =
      Enter(limit, name, {.is_constant = true, .parallel_iterations = parallel_iterations});
  Output merge_i = Merge(std::vector<Output>{enter_i, enter_i}).output;
  Output merge_value = Merge(std::vector<Output>{enter_value, enter_value}).output;
  Output go_on = LoopCond(Less(merge_i, enter_limit));
  SwitchResult switch_i = Switch(merge_i, go_on), switch_value = Switch(merge_value, go_on);
  Output one;
  {
    ControlDependencies inside(g, {switch_i.if_true});
    one = Const(g, 1.0f);
  }
  Output next_i = NextIteration(Add(switch_i.if_true, one));
  Output next_value = NextIteration(body(switch_value.if_true));
  EXPECT_TRUE(g.SetInput(*merge_i.node, 1, next_i).ok());
  EXPECT_TRUE(g.SetInput(*merge_value.node, 1, next_value).ok());
  return {Exit(switch_i.if_false), Exit(switch_value.if_false)};
}

StatusOr<std::vector<Tensor>> RunOnce(Graph& g, const std::vector<Output>& fetches,
                                      const Session::Feeds& feeds = {},
                                      SessionOptions options = {}) {
  HR_ASSIGN_OR_RETURN(auto session, Session::Create(g, std::move(options)));
  StatusOr<std::vector<Tensor>> first = session->Run(feeds, fetches);
  EXPECT_EQ(session->Run(feeds, fetches).status(), first.status());  // a second step starts afresh
  return first;
}
float Scalar(const StatusOr<std::vector<Tensor>>& results, size_t i = 0) {
  EXPECT_TRUE(results.ok()) << results.status();
  return results.ok() ? (*results)[i].scalar<float>() : -1;
}

TEST(ControlFlow, BranchesRunOnlyWhenTaken) {
  Graph g;
  Output x = Placeholder(g, DType::kFloat32, {}), pred = Placeholder(g, DType::kBool, {});
  SwitchResult branch = Switch(x, pred);
  Output taken = Unary("TestCount", Add(branch.if_true, branch.if_true), "counted_true");
  Output other = Unary("TestCount", Mul(branch.if_false, branch.if_false), "counted_false");
  MergeResult merged = Merge(std::vector<Output>{other, taken});
  const int before = testing::CountOf("counted_true"),
            before_false = testing::CountOf("counted_false");
  auto yes = RunOnce(g, {merged.output, merged.index},
                     {{x, Tensor::Scalar(5.0f)}, {pred, Tensor::Scalar(true)}});
  EXPECT_EQ(Scalar(yes), 10);
  EXPECT_EQ((*yes)[1].scalar<int32_t>(), 1);
  EXPECT_EQ(Scalar(RunOnce(g, {merged.output},
                           {{x, Tensor::Scalar(5.0f)}, {pred, Tensor::Scalar(false)}})),
            25);
  EXPECT_EQ(testing::CountOf("counted_true"), before + 2);
  EXPECT_EQ(testing::CountOf("counted_false"), before_false + 2);
}

// pred ? x * x : 3 * w, as tf.cond builds it.
TEST(ControlFlow, GradientsGoBackIntoTheBranchTaken) {
  Graph g;
  Output x = Placeholder(g, DType::kFloat32, {}), w = Placeholder(g, DType::kFloat32, {});
  Output pred = Placeholder(g, DType::kBool, {});
  const SwitchResult sx = Switch(x, pred), sw = Switch(w, pred);
  const Output merged = Merge({Mul(sw.if_false, 3.0f), Mul(sx.if_true, sx.if_true)}).output;
  const std::vector<Gradient> gradients = Gradients(Mul(merged, 2.0f), {x, w});
  ASSERT_TRUE(g.status().ok()) << g.status();
  for (const bool taken : {true, false}) {
    const auto values = RunOnce(g, {gradients[0].dense, gradients[1].dense},
                                {{x, Tensor::Scalar(5.0f)}, {w, Tensor::Scalar(7.0f)}, {pred, Tensor::Scalar(taken)}});
    EXPECT_EQ(Scalar(values, 0), taken ? 20 : 0);
    EXPECT_EQ(Scalar(values, 1), taken ? 0 : 6);
  }
}

TEST(ControlFlow, AMergeThatEndsNoBranchHasNoGradient) {
  Graph g;
  Output x = Placeholder(g, DType::kFloat32, {});
  const Output merged = Merge({x, Mul(x, 2.0f)}).output;
  Gradients(merged, {x});
  EXPECT_EQ(g.status().code(), absl::StatusCode::kUnimplemented);
  EXPECT_THAT(std::string(g.status().message()), HasSubstr("does not end two branches"));
}

TEST(ControlFlow, FetchOfABranchNotTakenIsAnError) {
  Graph g;
  SwitchResult branch = Switch(Const(g, 1.0f), Const(g, true));
  auto out = RunOnce(g, {Identity(branch.if_false)});
  EXPECT_EQ(out.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(Message(out.status())), HasSubstr("Retval[0] does not have value"));
}

TEST(ControlFlow, LoopsCount) {
  for (const int parallel : {1, 2, 10}) {
    Graph g;
    Output limit = Placeholder(g, DType::kFloat32, {});
    Loop loop = While(
        g, "loop", Const(g, 0.0f), limit, Const(g, 1.0f), [](Output v) { return Add(v, v); },
        parallel);
    ASSERT_TRUE(g.status().ok()) << g.status();
    auto out = RunOnce(g, {loop.i, loop.value}, {{limit, Tensor::Scalar(20.0f)}});
    EXPECT_EQ(Scalar(out), 20);
    EXPECT_EQ(Scalar(out, 1), 1 << 20);
    auto none = RunOnce(g, {loop.i, loop.value}, {{limit, Tensor::Scalar(0.0f)}});
    EXPECT_EQ(Scalar(none), 0);
    EXPECT_EQ(Scalar(none, 1), 1);
  }
}

TEST(ControlFlow, LoopsNest) {
  Graph g;
  Output three = Const(g, 3.0f), zero = Const(g, 0.0f);
  Loop outer = While(g, "outer", zero, three, Const(g, 1.0f), [&](Output v) {
    Output enter_zero = Enter(zero, "outer", {.is_constant = true});
    Output enter_limit = Enter(three, "outer", {.is_constant = true});
    return While(g, "inner", enter_zero, enter_limit, v, [](Output w) { return Add(w, w); }).value;
  });
  ASSERT_TRUE(g.status().ok()) << g.status();
  EXPECT_EQ(Scalar(RunOnce(g, {outer.value})), 512);
}

TEST(ControlFlow, LoopInABranchNotTaken) {
  Graph g;
  Output pred = Placeholder(g, DType::kBool, {});
  SwitchResult x = Switch(Const(g, 1.0f), pred), zero = Switch(Const(g, 0.0f), pred),
               limit = Switch(Const(g, 4.0f), pred);
  Loop loop =
      While(g, "loop", zero.if_true, limit.if_true, x.if_true, [](Output v) { return Add(v, v); });
  Output merged = Merge(std::vector<Output>{x.if_false, loop.value}).output;
  ASSERT_TRUE(g.status().ok()) << g.status();
  EXPECT_EQ(Scalar(RunOnce(g, {merged}, {{pred, Tensor::Scalar(true)}})), 16);
  EXPECT_EQ(Scalar(RunOnce(g, {merged}, {{pred, Tensor::Scalar(false)}})), 1);
}

TEST(ControlFlow, LoopOnASimulatedGpu) {
  Graph g;
  Output limit = Const(g, 6.0f);
  Loop loop = While(g, "loop", Const(g, 0.0f), limit, Const(g, 1.0f), [&](Output v) {
    DeviceScope on(g, "/gpu:1");
    return Unary("TestHook", Add(v, v));
  });
  SessionOptions options{.allow_soft_placement = true};
  options.devices.simulated_gpus = 2;
  options.devices.simulated_gpu_bytes = 8 << 20;
  EXPECT_EQ(Scalar(RunOnce(g, {loop.value}, {}, options)), 64);
}

TEST(ControlFlow, ErrorInALoopNamesTheNode) {
  Graph g;
  Loop loop = While(g, "loop", Const(g, 0.0f), Const(g, 5.0f), Const(g, 1.0f),
                    [](Output v) { return Unary("TestFail", v, "inside"); });
  auto out = RunOnce(g, {loop.value});
  EXPECT_THAT(std::string(Message(out.status())), HasSubstr("node 'inside'"));
}

TEST(ControlFlow, EndlessLoopEndsAtTheDeadline) {
  Graph g;
  Loop loop = While(g, "loop", Const(g, 0.0f), Const(g, std::numeric_limits<float>::infinity()),
                    Const(g, 1.0f), [](Output v) { return Identity(v); });
  auto session = Session::Create(g);
  ASSERT_TRUE(session.ok());
  auto out = (*session)->Run({}, {loop.value}, {}, {.timeout = std::chrono::milliseconds(50)});
  EXPECT_EQ(out.status().code(), absl::StatusCode::kDeadlineExceeded) << out.status();
}

TEST(ControlFlow, VariableInABranchIsReadWhenTheBranchRuns) {
  Graph g;
  Variable w(g, 3.0f, {.name = "w"});
  Output pred = Placeholder(g, DType::kBool, {});
  SwitchResult branch = Switch(w.value(), pred);
  Output merged =
      Merge(std::vector<Output>{branch.if_false, Add(branch.if_true, branch.if_true)}).output;
  auto session = Session::Create(g);
  ASSERT_TRUE(session.ok());
  ASSERT_TRUE((*session)->Run({}, {}, {w.initializer()}).ok());
  EXPECT_EQ(Scalar((*session)->Run({{pred, Tensor::Scalar(true)}}, {merged})), 6);
  EXPECT_EQ(Scalar((*session)->Run({{pred, Tensor::Scalar(false)}}, {merged})), 3);
}

}  // namespace
}  // namespace headrace
