// Variables behind handles in whole steps: order of reads and writes, placement, training.
#include <gtest/gtest.h>

#include "headrace/graph/gradients.h"
#include "headrace/ops/ops.h"
#include "headrace/session/session.h"

namespace headrace {
namespace {

struct Counter {
  Counter() {
    w = VarHandleOp(g, {2}, DType::kFloat32, {.name = "w"});
    init = AssignVariableOp(w, Const(g, {1.0f, 2.0f}));
  }
  // One step's results.
  std::vector<Tensor> Run(Session& session, const std::vector<Output>& fetches,
                          const std::vector<Node*>& targets = {}) {
    StatusOr<std::vector<Tensor>> results = session.Run({}, fetches, targets);
    EXPECT_TRUE(results.ok()) << results.status();
    return results.ok() ? *results : std::vector<Tensor>(fetches.size());
  }
  Graph g;
  Output w;
  Node* init;
};

TEST(ResourceVariables, AReadWithoutOrderComesBeforeTheWrite) {
  for (const bool optimize : {true, false}) {
    Counter c;
    Node* add = AssignAddVariableOp(c.w, Const(c.g, {10.0f, 10.0f}));
    const Output before = ReadVariableOp(c.w);  // made after the write: order of creation is none
    Output after;
    {
      ControlDependencies wait(c.g, {add});
      after = ReadVariableOp(c.w);
    }
    const Output rows = ResourceGather(c.w, Const(c.g, {1}));
    ASSERT_TRUE(c.g.status().ok()) << c.g.status();
    SessionOptions options;
    options.optimize = optimize;
    auto session = *Session::Create(c.g, options);
    c.Run(*session, {}, {c.init});
    for (float start : {1.0f, 11.0f, 21.0f}) {
      const auto r = c.Run(*session, {before, after, rows}, {add});
      EXPECT_EQ(r[0].data<float>()[0], start);
      EXPECT_EQ(r[1].data<float>()[0], start + 10);
      EXPECT_EQ(r[2].data<float>()[0], start + 1);
    }
  }
}

TEST(ResourceVariables, ReadsAndWritesInOrdersThatCannotAllHold) {
  Counter c;
  Node* first = AssignAddVariableOp(c.w, Const(c.g, {1.0f, 1.0f}));
  Node* second = AssignAddVariableOp(c.w, Const(c.g, {2.0f, 2.0f}));
  Output a, b;
  {
    ControlDependencies wait(c.g, {first});
    a = ReadVariableOp(c.w);  // before `second`, says the rule
  }
  {
    ControlDependencies wait(c.g, {second});
    b = ReadVariableOp(c.w);  // before `first`
  }
  auto session = *Session::Create(c.g, {});
  c.Run(*session, {}, {c.init});
  const auto r = c.Run(*session, {a, b});
  EXPECT_GE(r[0].data<float>()[0], 2);
  EXPECT_GE(r[1].data<float>()[0], 3);
}

TEST(ResourceVariables, AnInitializerComesBeforeReads) {
  Graph g;
  const Variable first(g, 7.0f, {.use_resource = true, .name = "first"});
  const Variable second(g, Neg(first.Read()), {.use_resource = true, .name = "second"});
  const Variable third(g, second.Read(), {.use_resource = true, .name = "third"});
  ASSERT_TRUE(g.status().ok()) << g.status();
  auto session = *Session::Create(g, {});
  const auto r = session->Run({}, {first.Read(), third.Read()},
                              {third.initializer(), second.initializer(), first.initializer()});
  ASSERT_TRUE(r.ok()) << r.status();
  EXPECT_EQ((*r)[0].scalar<float>(), 7);
  EXPECT_EQ((*r)[1].scalar<float>(), -7);
}

TEST(ResourceVariables, WhatAStepGaveDoesNotChange) {
  Counter c;
  const Output read = ReadVariableOp(c.w);
  Node* add = AssignAddVariableOp(c.w, Const(c.g, {1.0f, 1.0f}));
  auto session = *Session::Create(c.g, {});
  c.Run(*session, {}, {c.init});
  const Tensor kept = c.Run(*session, {read})[0];
  c.Run(*session, {}, {add});
  EXPECT_EQ(kept.data<float>()[0], 1);
  EXPECT_EQ(c.Run(*session, {read})[0].data<float>()[0], 2);
}

TEST(ResourceVariables, AValueThatIsGoneIsGoneForEveryStep) {
  Counter c;
  const Output read = ReadVariableOp(c.w), there = VarIsInitializedOp(c.w);
  Node* destroy = DestroyResourceOp(c.w);
  auto session = *Session::Create(c.g, {});
  EXPECT_EQ(session->Run({}, {read}).status().code(), absl::StatusCode::kFailedPrecondition);
  c.Run(*session, {}, {c.init});
  EXPECT_EQ(c.Run(*session, {read})[0].data<float>()[1], 2);
  c.Run(*session, {}, {destroy});
  EXPECT_FALSE(c.Run(*session, {there})[0].scalar<bool>());
  EXPECT_EQ(session->Run({}, {read}).status().code(), absl::StatusCode::kFailedPrecondition);
  c.Run(*session, {}, {c.init});
  EXPECT_EQ(c.Run(*session, {read})[0].data<float>()[1], 2);
}

TEST(ResourceVariables, OpsSitWithTheirVariable) {
  Counter c;
  Output on_gpu;
  {
    DeviceScope gpu(c.g, "/gpu:0");
    on_gpu = VarHandleOp(c.g, {2}, DType::kFloat32, {.name = "g"});
  }
  Node* init = AssignVariableOp(on_gpu, Const(c.g, {3.0f, 4.0f}));
  const Output read = ReadVariableOp(on_gpu);
  SessionOptions options;
  options.devices.simulated_gpus = 1;
  auto session = *Session::Create(c.g, options);
  c.Run(*session, {}, {init, c.init});
  EXPECT_EQ(c.Run(*session, {read})[0].data<float>()[1], 4);
  const auto report = session->Placement();
  ASSERT_TRUE(report.ok()) << report.status();
  for (const Node* node : std::initializer_list<const Node*>{on_gpu.node, init, read.node}) {
    EXPECT_NE(report->DeviceOf(*node).find("GPU:0"), std::string::npos) << node->name();
  }
}

// Gradient descent on a sum of squares, dense and by rows.
TEST(ResourceVariables, AreTrained) {
  Graph g;
  const Output w = VarHandleOp(g, {3, 2}, DType::kFloat32, {.name = "w"});
  Node* init = AssignVariableOp(w, Const(g, Tensor::Of<float>({1, 2, 3, 4, 5, 6}, {3, 2})));
  const Output rows = ResourceGather(w, Const(g, {2, 0}));
  const Gradient sparse = Gradients(ReduceSum(Square(rows)), {w})[0];
  ASSERT_TRUE(sparse.slices.has_value());
  Node* step = NodeBuilder("ResourceScatterSub", "", Location::Current())
                   .Input(w)
                   .Input(sparse.slices->indices)
                   .Input(0.25f * sparse.slices->values)
                   .BuildNode();
  const Output read = ReadVariableOp(w);
  Node* dense_step = NodeBuilder("ResourceApplyGradientDescent", "", Location::Current())
                         .Input(w)
                         .Input(Const(g, 0.25f))
                         .Input(Gradients(ReduceSum(Square(read)), {w})[0].dense)
                         .BuildNode();
  ASSERT_TRUE(g.status().ok()) << g.status();
  auto session = *Session::Create(g, {});
  ASSERT_TRUE(session->Run({}, {}, {init}).ok());
  ASSERT_TRUE(session->Run({}, {}, {step}).ok());
  Tensor value = (*session->Run({}, {read}))[0];
  EXPECT_EQ(value.data<float>()[0], 0.5f);
  EXPECT_EQ(value.data<float>()[2], 3);
  EXPECT_EQ(value.data<float>()[5], 3);
  ASSERT_TRUE(session->Run({}, {}, {dense_step}).ok());
  value = (*session->Run({}, {read}))[0];
  EXPECT_EQ(value.data<float>()[0], 0.25f);
  EXPECT_EQ(value.data<float>()[2], 1.5f);
}

}  // namespace
}  // namespace headrace
