// Training on several devices of one process: where gradients are computed, that replicas equal one
// device, the arithmetic of synchronous steps, backup replicas, and bounds on staleness. T14, T15,
// T17, T18, T20, T21 of the behaviour that we owe.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <latch>
#include <thread>

#include "headrace/headrace.h"

namespace headrace {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

SessionOptions Gpus(int count) {
  SessionOptions options{.devices = {.simulated_gpus = count, .simulated_gpu_bytes = 64 << 20}};
  options.deterministic = true;
  return options;
}
std::unique_ptr<Session> MakeSession(const Graph& g, SessionOptions options) {
  auto session = Session::Create(g, std::move(options));
  EXPECT_TRUE(session.ok()) << session.status();
  return session.ok() ? *std::move(session) : nullptr;
}

// y = relu(x w1) w2, with the squared error.
struct Net {
  explicit Net(Graph& g) {
    Tensor a(DType::kFloat32, {8, 16}), b(DType::kFloat32, {16, 1});
    for (int64_t i = 0; i < 128; ++i)
      a.data<float>()[i] = static_cast<float>((i * 37) % 23 - 11) / 20;
    for (int64_t i = 0; i < 16; ++i) b.data<float>()[i] = static_cast<float>((i * 5) % 7 - 3) / 5;
    DeviceScope cpu(g, "/cpu:0");
    w1 = Variable(g, a, {.name = "w1"});
    w2 = Variable(g, b, {.name = "w2"});
  }
  Output Loss(Output x, Output y) const {
    return ReduceMean(Square(MatMul(Relu(MatMul(x, w1)), w2) - y));
  }
  // Rows [first, first + rows) of endless data.
  static void Rows(int64_t first, int64_t rows, std::vector<Tensor>& batch) {
    batch = {Tensor(DType::kFloat32, {rows, 8}), Tensor(DType::kFloat32, {rows, 1})};
    for (int64_t r = 0; r < rows; ++r) {
      float sum = 0;
      for (int64_t c = 0; c < 8; ++c) {
        const float v = static_cast<float>(((first + r) * 13 + c * 29) % 31) / 31;
        batch[0].data<float>()[r * 8 + c] = v;
        sum += v * static_cast<float>(c % 3);
      }
      batch[1].data<float>()[r] = sum;
    }
  }
  Variable w1, w2;
};

TEST(Replicas, GradientsOfTowersAreWhereTheTowersAre) {  // T14, row 26
  Graph g;
  const Net net(g);
  std::vector<Output> losses;
  for (int t = 0; t < 2; ++t) {
    NameScope tower(g, StrCat("tower_", t));
    DeviceScope gpu(g, StrCat("/gpu:", t));
    losses.push_back(
        net.Loss(Placeholder(g, DType::kFloat32, {4, 8}), Placeholder(g, DType::kFloat32, {4, 1})));
  }
  Output total = AddN(losses);
  Node* train = GradientDescentOptimizer(0.1).Minimize(total);
  ASSERT_NE(train, nullptr) << g.status();
  const PlacementReport report = MakeSession(g, Gpus(2))->Placement().value();
  int products[2] = {};
  for (const NodePlacement& placement : report.nodes) {
    const std::string& name = placement.node->name();
    for (int t = 0; t < 2; ++t) {
      if (!name.starts_with(StrCat("gradients/tower_", t, "/"))) continue;
      EXPECT_THAT(report.DeviceOf(*placement.node), HasSubstr(StrCat("device:GPU:", t))) << name;
      products[t] += placement.node->op_name() == "MatMul" ? 1 : 0;
    }
    if (name.starts_with("GradientDescent/update")) {
      EXPECT_THAT(report.DeviceOf(*placement.node), HasSubstr("CPU:0")) << name;
    }
  }
  EXPECT_EQ(products[0], 4);  // by both inputs of both products
  EXPECT_EQ(products[1], products[0]);
  // A device scope around the call says otherwise, as ever.
  Node* there = nullptr;
  {
    DeviceScope gpu(g, "/gpu:1");
    there = Gradients(total, {net.w1.value()}, {.name = "scoped"})[0].dense.node;
  }
  EXPECT_EQ(there->requested_device(), "/device:GPU:1");
}

using MakeTrainer =
    std::function<StatusOr<std::unique_ptr<ReplicaTrainer>>(Graph& g, const ReplicaModel& model)>;

// The weights after steps of 16 rows.
std::vector<Tensor> WeightsAfterTraining(const MakeTrainer& make, SessionOptions session_options,
                                         int64_t steps) {
  Graph g;
  const Net net(g);
  MomentumOptimizer optimizer(0.05, 0.9);
  const ReplicaModel model{
      .inputs = {{DType::kFloat32, {-1, 8}, "x"}, {DType::kFloat32, {-1, 1}, "y"}},
      .loss = [&](std::span<const Output> in) { return net.Loss(in[0], in[1]); },
      .update =
          [&](std::span<const GradientAndVariable> gradients) {
            return optimizer.ApplyGradients(gradients);
          }};
  auto trainer = make(g, model);
  EXPECT_TRUE(trainer.ok()) << trainer.status();
  Node* init = GlobalVariablesInitializer(g);
  auto session = MakeSession(g, std::move(session_options));
  EXPECT_TRUE(session->Run({}, {}, {init}).ok());
  double first = 0, last = 0;
  const Status trained =
      (*trainer)->Train(*session, {.steps = steps,
                                   .next_batch =
                                       [](int, int64_t step, std::vector<Tensor>& batch) {
                                         Net::Rows(step * 16, 16, batch);
                                         return absl::OkStatus();
                                       },
                                   .on_step =
                                       [&](const StepReport& report) {
                                         if (report.step == 1) first = report.loss;
                                         last = report.loss;
                                       }});
  EXPECT_TRUE(trained.ok()) << trained;
  EXPECT_LT(last, first / 4);
  EXPECT_EQ((*trainer)->staleness().max(), 0);
  return session->Run({}, {net.w1, net.w2}).value();
}

TEST(Replicas, TwoTowersEqualOneWithTheDoubleBatch) {  // T15, rows 26 and 27
  const auto after = [](int replicas, int shards) {
    SyncOptions options{.shards = shards};
    for (int r = 0; r < replicas; ++r) options.devices.push_back(StrCat("/gpu:", r));
    return WeightsAfterTraining(
        [&](Graph& g, const ReplicaModel& model) { return MakeSyncTrainer(g, model, options); },
        Gpus(replicas), 50);
  };
  const std::vector<Tensor> one = after(1, 1), two = after(2, 2), one_in_shards = after(1, 2);
  for (size_t v = 0; v < one.size(); ++v) {
    for (int64_t i = 0; i < one[v].num_elements(); ++i) {
      EXPECT_NEAR(one[v].data<float>()[i], two[v].data<float>()[i], 1e-6);
      EXPECT_EQ(one_in_shards[v].data<float>()[i], two[v].data<float>()[i]);  // the same bits
    }
  }
}

TEST(Replicas, SyncEqualsAsyncForOneReplica) {  // T18, row 52
  const std::vector<Tensor> sync = WeightsAfterTraining(
      [](Graph& g, const ReplicaModel& model) {
        return MakeSyncTrainer(g, model, {.devices = {"/cpu:0"}});
      },
      {}, 200);
  const std::vector<Tensor> async = WeightsAfterTraining(
      [](Graph& g, const ReplicaModel& model) {
        return MakeAsyncTrainer(g, model, {.devices = {"/cpu:0"}});
      },
      {}, 200);
  for (size_t v = 0; v < sync.size(); ++v) {
    for (int64_t i = 0; i < sync[v].num_elements(); ++i)
      EXPECT_EQ(sync[v].data<float>()[i], async[v].data<float>()[i]);
  }
}

TEST(Replicas, OneStepAveragesTheGradients) {  // T17, rows 47 and 48
  Graph g;
  Variable w(g, 5.0f, {.name = "w"});
  Variable steps = GetOrCreateGlobalStep(g);
  GradientDescentOptimizer sgd(0.1);
  const ReplicaModel model{
      .inputs = {{DType::kFloat32, {-1}, "gradient"}},
      .loss = [&](std::span<const Output> in) { return ReduceMean(in[0]) * w.value(); },
      .update =
          [&](std::span<const GradientAndVariable> gradients) {
            return sgd.ApplyGradients(gradients, {.global_step = steps});
          }};
  auto trainer = MakeSyncTrainer(g, model, {.devices = {"/gpu:0", "/gpu:1", "/gpu:2"}});
  ASSERT_TRUE(trainer.ok()) << trainer.status();
  Node* init = GlobalVariablesInitializer(g);
  auto session = MakeSession(g, Gpus(3));
  ASSERT_TRUE(session->Run({}, {}, {init}).ok());
  int64_t batches = 0;
  const auto train = [&](int64_t count) {
    return (*trainer)->Train(
        *session, {.steps = count, .next_batch = [&](int, int64_t, std::vector<Tensor>& batch) {
                     ++batches;
                     batch = {Tensor::Of<float>({1, 2, 6})};  // one row for each replica
                     return absl::OkStatus();
                   }});
  };
  ASSERT_TRUE(train(1).ok());
  EXPECT_FLOAT_EQ(session->Run({}, {w})->at(0).scalar<float>(), 5.0f - 0.3f);
  ASSERT_TRUE(train(99).ok());
  EXPECT_EQ(batches, 100);
  EXPECT_EQ(session->Run({}, {steps})->at(0).scalar<int64_t>(), 100);
  EXPECT_NEAR(session->Run({}, {w})->at(0).scalar<float>(), 5.0f - 30.0f, 1e-3);
}

TEST(Replicas, StepsDoNotWaitForABackupReplicaThatSleeps) {  // T20, row 50
  Graph g;
  Variable w(g, 0.0f, {.name = "w"});
  GradientDescentOptimizer sgd(1.0);
  const ReplicaModel model{
      .inputs = {{DType::kFloat32, {-1}, "gradient"}},
      .loss = [&](std::span<const Output> in) { return ReduceMean(in[0]) * w.value(); },
      .update =
          [&](std::span<const GradientAndVariable> gradients) {
            return sgd.ApplyGradients(gradients);
          }};
  auto trainer =
      MakeSyncTrainer(g, model, {.devices = {"/gpu:0", "/gpu:1", "/gpu:2"}, .backup_replicas = 1});
  ASSERT_TRUE(trainer.ok()) << trainer.status();
  Node* init = GlobalVariablesInitializer(g);
  auto session = MakeSession(g, {.devices = {.simulated_gpus = 3, .simulated_gpu_bytes = 1 << 20}});
  ASSERT_TRUE(session->Run({}, {}, {init}).ok());
  // Replica 2 sleeps for a second, and for as long as the others need for 100 steps.
  constexpr int64_t kSteps = 100;
  std::latch asleep(1);
  std::promise<void> last_step;
  std::vector<StepReport> reports;
  const Status trained = (*trainer)->Train(
      *session, {.steps = kSteps,
                 .next_batch =
                     [&](int replica, int64_t, std::vector<Tensor>& batch) {
                       batch = {Tensor::Of<float>({replica == 2 ? 1000.0f : 1.0f + replica})};
                       if (replica != 2) {
                         asleep.wait();
                         return absl::OkStatus();
                       }
                       asleep.count_down();
                       std::this_thread::sleep_for(std::chrono::seconds(1));
                       const auto others = last_step.get_future().wait_for(std::chrono::minutes(1));
                       return others == std::future_status::ready
                                  ? absl::OkStatus()
                                  : absl::DeadlineExceededError("the others wait for replica 2");
                     },
                 .on_step =
                     [&](const StepReport& report) {
                       reports.push_back(report);
                       if (report.step == kSteps) last_step.set_value();
                     }});
  ASSERT_TRUE(trained.ok()) << trained;
  ASSERT_EQ(reports.size(), kSteps);
  for (const StepReport& report : reports) EXPECT_THAT(report.contributors, ElementsAre(0, 1));
  EXPECT_THAT(reports[0].dropped, ElementsAre(2));
  EXPECT_THAT((*trainer)->dropped_by_replica(), ElementsAre(0, 0, 1));
  EXPECT_EQ(session->Run({}, {w})->at(0).scalar<float>(), -1.5f * kSteps);  // nothing of replica 2
}

struct AsyncRun {
  StalenessHistogram staleness;
  std::vector<StalenessHistogram> by_replica;
  std::vector<std::string> warnings;
};

// Four replicas, of which the last takes far longer for each of its steps.
AsyncRun TrainAsync(AsyncOptions options, int64_t steps) {
  Graph g;
  Tensor start(DType::kFloat32, {64, 64});
  std::ranges::fill(start.flat<float>(), 0.01f);
  Variable w(g, start, {.name = "w"});
  GradientDescentOptimizer sgd(1e-6);
  const ReplicaModel model{.inputs = {{DType::kFloat32, {-1, 64}, "x"}},
                           .loss =
                               [&](std::span<const Output> in) {
                                 return ReduceMean(Square(MatMul(MatMul(in[0], w), w)));
                               },
                           .update =
                               [&](std::span<const GradientAndVariable> gradients) {
                                 return sgd.ApplyGradients(gradients);
                               }};
  options.devices = {"/cpu:0", "/cpu:1", "/cpu:2", "/cpu:3"};
  auto trainer = MakeAsyncTrainer(g, model, options);
  EXPECT_TRUE(trainer.ok()) << trainer.status();
  Node* init = GlobalVariablesInitializer(g);
  auto session = MakeSession(g, {.devices = {.cpu_count = 4}});
  EXPECT_TRUE(session->Run({}, {}, {init}).ok());
  AsyncRun run;
  SetLogSink([&](LogLevel, std::string_view text) { run.warnings.emplace_back(text); });
  std::atomic<bool> slow_one_began{false};
  const Status trained = (*trainer)->Train(
      *session,
      {.steps = steps, .next_batch = [&](int replica, int64_t, std::vector<Tensor>& batch) {
         batch = {Tensor(DType::kFloat32, {replica == 3 ? 20000 : 1, 64})};
         std::ranges::fill(batch[0].flat<float>(), 0.5f);
         if (replica == 3) slow_one_began = true;
         while (!slow_one_began) std::this_thread::yield();
         return absl::OkStatus();
       }});
  SetLogSink({});
  EXPECT_TRUE(trained.ok()) << trained;
  run.staleness = (*trainer)->staleness();
  run.by_replica = (*trainer)->staleness_by_replica();
  EXPECT_EQ(run.staleness.total(), steps);
  return run;
}

TEST(Replicas, StalenessIsMeasuredAndBounded) {  // T21, rows 53 and 54
  const AsyncRun bounded = TrainAsync({.bounds = {.max_staleness = 3}}, 400);
  EXPECT_LE(bounded.staleness.max(), 3);
  EXPECT_TRUE(bounded.warnings.empty());

  AsyncRun free;  // on a busy machine the slow one may get its turn late
  for (int64_t steps = 2000; free.staleness.max() <= 8 && steps < 100000; steps *= 2) {
    free = TrainAsync({}, steps);
  }
  EXPECT_GT(free.staleness.max(), 8);
  ASSERT_EQ(free.warnings.size(), 1u);
  EXPECT_THAT(free.warnings[0], HasSubstr("of 4 was applied"));
  EXPECT_THAT(free.warnings[0], HasSubstr("max_staleness"));
  EXPECT_TRUE(TrainAsync({.warn_staleness = -1}, 500).warnings.empty());
}

}  // namespace
}  // namespace headrace
