// Functions called by kernels of a session.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

#include "headrace/base/strings.h"
#include "headrace/graph/function.h"
#include "headrace/graph/shape_context.h"
#include "headrace/kernel/function.h"
#include "headrace/ops/array/constant.h"
#include "headrace/ops/array/placeholder.h"
#include "headrace/ops/math/binary.h"
#include "headrace/ops/random/random_fill.h"
#include "headrace/ops/state/assign.h"
#include "headrace/ops/state/resource_variable.h"
#include "headrace/ops/state/variable.h"
#include "headrace/session/session.h"

namespace headrace {
namespace {

using ::testing::HasSubstr;

constexpr DType kFloat = DType::kFloat32;

// Calls `f` on its inputs in every step; one instance for as long as the kernel lives.
class CallKernel final : public Kernel {
 public:
  explicit CallKernel(std::shared_ptr<FunctionInstance> f) : f_(std::move(f)) {}
  Status Compute(KernelContext& ctx) override {
    std::vector<Tensor> arguments;
    for (int i = 0; i < ctx.num_inputs(); ++i) arguments.push_back(ctx.input(i));
    HR_ASSIGN_OR_RETURN(std::vector<Tensor> results, f_->Run(arguments, *ctx.step().cancellation));
    for (size_t i = 0; i < results.size(); ++i) ctx.SetOutput(static_cast<int>(i), results[i]);
    return absl::OkStatus();
  }

 private:
  const std::shared_ptr<FunctionInstance> f_;
};

StatusOr<std::unique_ptr<Kernel>> MakeCall(const KernelInit& init) {
  HR_ASSIGN_OR_RETURN(const std::shared_ptr<const BoundFunction> f, BindFunction(init, "f"));
  return std::make_unique<CallKernel>(f->MakeInstance());
}

Status UnknownShapes(ShapeContext&) {
  return absl::OkStatus();
}

OpRegistry& Ops() {
  static OpRegistry& ops = []() -> OpRegistry& {
    OpRegistry& all = OpRegistry::Global();
    all.Define("CallForTest")
        .Attr("Tin", AttrKind::kTypeList)
        .Attr("Tout", AttrKind::kTypeList)
        .Attr("f", AttrKind::kFunction)
        .Input("args", "Tin")
        .Output("results", "Tout")
        .Shape(UnknownShapes)
        .Stateful()
        .Cpu({.make = MakeCall});
    return all;
  }();
  return ops;
}

Output Call(Graph& g, FunctionRef f, std::vector<Output> inputs,
            std::vector<DType> results = {kFloat}) {
  Ops();
  return NodeBuilder(g, "CallForTest", "call", Location::Current())
      .Inputs(inputs)
      .Attr("Tout", std::move(results))
      .Attr("f", std::move(f))
      .Build();
}

TEST(FunctionCall, ComputesFromArgumentsAndCaptures) {
  Graph g;
  Output x = Placeholder(g, kFloat);
  FunctionBuilder f(g, "f");
  const Output twice = Mul(f.Argument(kFloat), Const(f.graph(), 2.0f));
  const FunctionRef ref = f.Finish({Add(twice, f.Capture(Const(g, 1.0f)))}).value();
  Output y = Call(g, ref, {x, f.captures()[0]});
  auto session = Session::Create(g).value();
  EXPECT_EQ(session->Run({{x, Tensor::Scalar(3.0f)}}, {y}).value()[0].scalar<float>(), 7.0f);
  // Another shape, another plan.
  const Tensor out = session->Run({{x, Tensor::Of<float>({1, 2})}}, {y}).value()[0];
  EXPECT_EQ(out.flat<float>()[1], 5.0f);
}

TEST(FunctionCall, ErrorNamesFunctionNodeAndLine) {
  Graph g;
  Output x = Placeholder(g, kFloat);
  FunctionBuilder f(g, "f");
  const Output argument = f.Argument(kFloat);
  const Output sum = Add(argument, Const(f.graph(), Tensor::Of<float>({1, 2, 3})), {.name = "sum"});
  Output y = Call(g, f.Finish({sum}).value(), {x});
  auto session = Session::Create(g).value();
  const auto failed = session->Run({{x, Tensor::Of<float>({1, 2})}}, {y});
  ASSERT_FALSE(failed.ok());
  EXPECT_THAT(std::string(Message(failed.status())),
              HasSubstr("function 'f': op 'Add' node 'sum' (function_test.cpp:"));
}

TEST(FunctionCall, UnknownFunctionIsAnErrorOfItsNode) {
  Graph g;
  FunctionBuilder f(g, "f");
  ASSERT_TRUE(f.Finish({f.Argument(kFloat)}).ok());
  Output y = Call(g, FunctionRef{"g", nullptr}, {Const(g, 1.0f)});
  auto session = Session::Create(g).value();
  EXPECT_THAT(std::string(Message(session->Run({}, {y}).status())),
              HasSubstr("attribute 'f': the graph has no function 'g'; it has f"));
}

Output Read(Graph& g, Output handle) {
  return NodeBuilder(g, "ReadVariableOp", "read", Location::Current())
      .Input(handle)
      .Attr("dtype", kFloat)
      .Build();
}

TEST(FunctionCall, SeesTheSessionsVariableBehindAHandle) {
  Graph g;
  Output handle = VarHandleOp(g, {}, kFloat, {.shared_name = "w"});
  Node* init = AssignVariableOp(handle, Const(g, 5.0f));
  FunctionBuilder f(g, "f");
  const Output read = Read(f.graph(), f.Capture(handle));
  const FunctionRef captured = f.Finish({read}).value();
  Output by_handle = Call(g, captured, {handle});
  FunctionBuilder named(g, "named");
  const FunctionRef by_name_ref =
      named
          .Finish(
              {Read(named.graph(), VarHandleOp(named.graph(), {}, kFloat, {.shared_name = "w"}))})
          .value();
  Output by_name = Call(g, by_name_ref, {});
  auto session = Session::Create(g).value();
  ASSERT_TRUE(session->Run({}, {}, {init}).ok());
  EXPECT_EQ(session->Run({}, {by_handle}).value()[0].scalar<float>(), 5.0f);
  EXPECT_EQ(session->Run({}, {by_name}).value()[0].scalar<float>(), 5.0f);
}

TEST(FunctionCall, ManyThreadsCallAtOnce) {
  Graph g;
  Output x = Placeholder(g, kFloat);
  FunctionBuilder f(g, "f");
  const Output argument = f.Argument(kFloat);
  Output y = Call(g, f.Finish({Mul(argument, argument)}).value(), {x});
  auto session = Session::Create(g).value();
  std::vector<std::thread> threads;
  std::atomic<int> wrong{0};
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < 200; ++i) {
        const float value = static_cast<float>(1000 * t + i) / 16;
        const auto out = session->Run({{x, Tensor::Scalar(value)}}, {y});
        wrong += !out.ok() || (*out)[0].scalar<float>() != value * value;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
}

TEST(FunctionCall, CancelledCallSaysWhy) {
  Graph g;
  FunctionBuilder f(g, "f");
  const Output argument = f.Argument(kFloat);
  Output y = Call(g, f.Finish({Mul(argument, argument)}).value(), {Const(g, 1.0f)});
  auto session = Session::Create(g).value();
  Cancellation cancelled;
  cancelled.Cancel(absl::CancelledError("by hand"));
  EXPECT_THAT(
      std::string(Message(session->Run({}, {y}, {}, {.cancellation = &cancelled}).status())),
      HasSubstr("by hand"));
}

TEST(FunctionCall, RandomOpsContinueFromCallToCall) {
  Graph g;
  g.SetSeed(7);
  FunctionBuilder f(g, "f");
  const FunctionRef ref = f.Finish({RandomUniform(f.graph(), {2})}).value();
  Output a = Call(g, ref, {}), b = Call(g, ref, {});
  auto session = Session::Create(g).value();
  const auto values = [&](Output y) {
    const Tensor t = session->Run({}, {y}).value()[0];
    return std::vector<float>(t.flat<float>().begin(), t.flat<float>().end());
  };
  const std::vector<float> first = values(a), second = values(a);
  EXPECT_NE(first, second);
  EXPECT_EQ(values(b), first);  // an instance of its own
}

}  // namespace
}  // namespace headrace
