#include "headrace/train/replica_trainer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <latch>
#include <mutex>
#include <random>
#include <thread>

#include "headrace/base/strings.h"
#include "headrace/ops/array/gather.h"
#include "headrace/ops/math/operators.h"
#include "headrace/ops/math/reduce.h"
#include "headrace/runtime/testing/test_ops.h"
#include "headrace/train/gradient_descent.h"

namespace headrace {
namespace {

using std::chrono::seconds;
using ::testing::ElementsAre;
using testing::HookOf;
using testing::Unary;

constexpr float kGradients[] = {1, 2, 4};  // of replica 0, 1, 2; their means are exact in float

// loss = mean(input) * w: the gradient is the mean of the replica's batch, whatever w is.
struct Line {
  explicit Line(std::string replica_0_op = "TestHook") {
    model = {.inputs = {{DType::kFloat32, {-1}, "x"}},
             .loss =
                 [this, op = std::move(replica_0_op)](std::span<const Output> in) {
                   const std::string name = towers++ == 0 ? op : "TestHook";
                   return ReduceMean(Unary(name, in[0], "hook")) * w.value();
                 },
             .update =
                 [this](std::span<const GradientAndVariable> gradients) {
                   return sgd.ApplyGradients(gradients);
                 }};
    devices = {"/cpu:0", "/cpu:1", "/cpu:2"};
  }
  ~Line() {
    for (int t = 0; t < 3; ++t) HookOf(Hook(t)) = nullptr;
  }
  // The node of replica `t` that calls the hook of that name while it computes.
  static std::string Hook(int t) { return StrCat("tower_", t, "/hook"); }

  void Start(StatusOr<std::unique_ptr<ReplicaTrainer>> made) {
    ASSERT_TRUE(made.ok()) << made.status();
    trainer = *std::move(made);
    Node* init = GlobalVariablesInitializer(g);
    auto created = Session::Create(g, {.devices = {.cpu_count = 3}});
    ASSERT_TRUE(created.ok()) << created.status();
    session = *std::move(created);
    ASSERT_TRUE(session->Run({}, {}, {init}).ok());
  }
  void StartWithBackups(int backups) {
    Start(MakeSyncTrainer(g, model, {.devices = devices, .backup_replicas = backups}));
  }
  // Trains with kGradients; `begin` is called before each batch.
  Status Train(int64_t steps, const std::function<Status(int replica)>& begin = {},
               const std::function<void(const StepReport&)>& on_step = {},
               Cancellation* cancellation = nullptr) {
    return trainer->Train(*session, {.steps = steps,
                                     .next_batch = [&](int replica, int64_t step,
                                                       std::vector<Tensor>& batch) -> Status {
                                       if (begin) HR_RETURN_IF_ERROR(begin(replica));
                                       batch = {Tensor::Of<float>({kGradients[replica]})};
                                       std::lock_guard lock(mutex);
                                       batch_numbers.push_back(step);
                                       return absl::OkStatus();
                                     },
                                     .on_step =
                                         [&](const StepReport& report) {
                                           reports.push_back(report);
                                           if (on_step) on_step(report);
                                         },
                                     .cancellation = cancellation});
  }
  float Weight() const { return session->Run({}, {w})->at(0).scalar<float>(); }

  Graph g;
  Variable w = Variable(g, 0.0f, {.name = "w"});
  GradientDescentOptimizer sgd = GradientDescentOptimizer(1.0);
  int towers = 0;
  ReplicaModel model;
  std::vector<std::string> devices;
  std::unique_ptr<ReplicaTrainer> trainer;
  std::unique_ptr<Session> session;
  std::mutex mutex;
  std::vector<int64_t> batch_numbers;
  std::vector<StepReport> reports;
};

// The weights are what the reports' contributors gave, each once, and the counts are the reports'.
void ExpectAccountsAgree(const Line& line, int needed) {
  float weight = 0;
  std::vector<int64_t> contributed(3), dropped(3);
  for (size_t s = 0; s < line.reports.size(); ++s) {
    const StepReport& report = line.reports[s];
    EXPECT_EQ(report.step, static_cast<int64_t>(s) + 1);
    ASSERT_EQ(report.contributors.size(), needed);
    float sum = 0;
    for (const int c : report.contributors) {
      sum += kGradients[c];
      ++contributed[c];
    }
    for (const int d : report.dropped) {
      EXPECT_EQ(std::ranges::count(report.contributors, d), 0);
      ++dropped[d];
    }
    EXPECT_FLOAT_EQ(static_cast<float>(report.loss), weight * sum / static_cast<float>(needed));
    weight -= sum / static_cast<float>(needed);
  }
  EXPECT_EQ(line.Weight(), weight);
  EXPECT_EQ(line.trainer->dropped_by_replica(), dropped);
  const auto staleness = line.trainer->staleness_by_replica();
  ASSERT_EQ(staleness.size(), 3u);
  for (int r = 0; r < 3; ++r) EXPECT_EQ(staleness[r].total(), contributed[r]) << r;
  EXPECT_EQ(line.trainer->staleness().total(), static_cast<int64_t>(line.reports.size()) * needed);
  EXPECT_EQ(line.trainer->staleness().max(), 0);
}

TEST(BackupReplicas, AGradientThatComesLateIsNeverApplied) {
  Line line;
  line.StartWithBackups(1);
  // Replica 2 computes its first gradient through four steps of the others.
  std::latch computing(1);
  std::promise<void> four_steps;
  std::atomic<bool> first{true};
  HookOf(Line::Hook(2)) = [&](KernelContext&) {
    if (!first.exchange(false)) return absl::OkStatus();
    computing.count_down();
    const bool woken = four_steps.get_future().wait_for(seconds(60)) == std::future_status::ready;
    return woken ? absl::OkStatus() : absl::DeadlineExceededError("the others did not go on");
  };
  for (const int r : {0, 1}) {
    HookOf(Line::Hook(r)) = [&](KernelContext&) {
      computing.wait();
      return absl::OkStatus();
    };
  }
  const Status trained = line.Train(200, {}, [&](const StepReport& report) {
    if (report.step == 4) four_steps.set_value();
  });
  ASSERT_TRUE(trained.ok()) << trained;
  for (int s = 0; s < 4; ++s) EXPECT_THAT(line.reports[s].contributors, ElementsAre(0, 1));
  EXPECT_THAT(line.reports[0].dropped, ElementsAre(2));
  EXPECT_GE(line.trainer->dropped_by_replica()[2], 1);
  ExpectAccountsAgree(line, 2);
}

TEST(BackupReplicas, AccountsAgreeUnderRandomTimesAndWhenTrainingGoesOn) {
  for (const int backups : {1, 2}) {
    Line line;
    line.StartWithBackups(backups);
    for (int r = 0; r < 3; ++r) {
      HookOf(Line::Hook(r)) = [random = std::mt19937(r)](KernelContext&) mutable {
        std::this_thread::sleep_for(std::chrono::microseconds(random() % 300));
        return absl::OkStatus();
      };
    }
    for (int part = 0; part < 3; ++part) {
      const Status trained = line.Train(50);
      ASSERT_TRUE(trained.ok()) << trained;
      ASSERT_EQ(line.reports.size(), 50u * (part + 1));
      ExpectAccountsAgree(line, 3 - backups);
    }
    std::ranges::sort(line.batch_numbers);
    for (size_t i = 0; i < line.batch_numbers.size(); ++i) {
      ASSERT_EQ(line.batch_numbers[i], static_cast<int64_t>(i)) << "each number is used once";
    }
  }
}

TEST(BackupReplicas, ABatchThatComesLateServesTheNextStep) {
  Line line;
  line.StartWithBackups(1);
  std::latch loading(1);
  std::promise<void> two_steps;
  int batches_of_2 = 0;  // of its thread alone
  const auto begin = [&](int replica) {
    if (replica != 2) {
      loading.wait();
    } else if (++batches_of_2 == 1) {
      loading.count_down();
      two_steps.get_future().wait_for(seconds(60));
    }
    return absl::OkStatus();
  };
  // Replica 1 then leaves the step to the others.
  std::promise<void> with_replica_2;
  std::atomic<int> computed_by_1{0};
  HookOf(Line::Hook(1)) = [&](KernelContext&) {
    if (++computed_by_1 == 3) with_replica_2.get_future().wait_for(seconds(60));
    return absl::OkStatus();
  };
  const Status trained = line.Train(3, begin, [&](const StepReport& report) {
    if (report.step == 2) two_steps.set_value();
    if (report.step == 3) {
      EXPECT_EQ(batches_of_2, 1);
      with_replica_2.set_value();
    }
  });
  ASSERT_TRUE(trained.ok()) << trained;
  EXPECT_THAT(line.reports[2].contributors, ElementsAre(0, 2));
  EXPECT_THAT(line.trainer->dropped_by_replica()[2], 1);
  ExpectAccountsAgree(line, 2);
}

TEST(BackupReplicas, TrainingEndsWithoutWhatALateReplicaComputes) {
  Line line("TestWait");  // replica 0 computes until it is cancelled
  line.StartWithBackups(1);
  std::latch began(1);
  const Status trained = line.Train(20, [&](int replica) {
    if (replica == 0) {
      began.count_down();
    } else {
      began.wait();
    }
    return absl::OkStatus();
  });
  ASSERT_TRUE(trained.ok()) << trained;
  EXPECT_THAT(line.trainer->dropped_by_replica(), ElementsAre(1, 0, 0));
  EXPECT_EQ(line.Weight(), -20 * 3.0f);
  ExpectAccountsAgree(line, 2);
}

TEST(BackupReplicas, AveragesSlices) {
  Line line;
  Variable rows(line.g, Tensor::Of<float>({0, 0, 0, 0}, {4, 1}), {.name = "rows"});
  line.model.inputs = {{DType::kInt32, {-1}, "ids"}};
  line.model.variables = {rows};
  line.model.loss = [&](std::span<const Output> in) { return ReduceSum(Gather(rows, in[0])); };
  line.StartWithBackups(1);
  // Two rows of each replica, one of them that of all.
  const Status trained = line.trainer->Train(
      *line.session, {.steps = 10,
                      .next_batch =
                          [&](int replica, int64_t, std::vector<Tensor>& batch) {
                            batch = {Tensor::Of<int32_t>({replica, 3})};
                            return absl::OkStatus();
                          },
                      .on_step = [&](const StepReport& r) { line.reports.push_back(r); }});
  ASSERT_TRUE(trained.ok()) << trained;
  float expected[4] = {0, 0, 0, -10};
  for (const StepReport& report : line.reports) {
    for (const int c : report.contributors) expected[c] -= 0.5f;
  }
  const Tensor values = line.session->Run({}, {rows})->at(0);
  for (int i = 0; i < 4; ++i) EXPECT_EQ(values.data<float>()[i], expected[i]) << i;
}

TEST(BackupReplicas, OneOfSeveralReplicasIsEnough) {
  Line line;
  line.StartWithBackups(2);
  const Status trained = line.Train(30);
  ASSERT_TRUE(trained.ok()) << trained;
  ExpectAccountsAgree(line, 1);
}

// What all strategies promise, one trainer after the other: waiting for all, with a backup replica,
// asynchronous without bounds and with one.
std::vector<std::function<StatusOr<std::unique_ptr<ReplicaTrainer>>(Line&)>> AllTrainers() {
  return {
      [](Line& line) { return MakeSyncTrainer(line.g, line.model, {.devices = {"/cpu:0"}}); },
      [](Line& line) {
        return MakeSyncTrainer(line.g, line.model, {.devices = line.devices, .backup_replicas = 1});
      },
      [](Line& line) { return MakeAsyncTrainer(line.g, line.model, {.devices = line.devices}); },
      [](Line& line) {
        return MakeAsyncTrainer(line.g, line.model,
                                {.devices = line.devices, .bounds = {.max_staleness = 1}});
      }};
}

TEST(ReplicaTrainers, OnStepMayCancel) {
  for (const auto& make : AllTrainers()) {
    Line line;
    line.Start(make(line));
    Cancellation cancellation;
    const Status trained = line.Train(
        1 << 30, {},
        [&](const StepReport& report) {
          if (report.step == 5) cancellation.Cancel(absl::AbortedError("the loss is small enough"));
        },
        &cancellation);
    EXPECT_EQ(trained, absl::AbortedError("the loss is small enough"));
    EXPECT_GE(line.reports.size(), 5u);
    EXPECT_LE(line.reports.size(), 7u) << "but for gradients that were there, nothing more";
    EXPECT_EQ(line.Train(1, {}, {}, &cancellation), trained) << "cancelled before it begins";
    EXPECT_TRUE(line.Train(1).ok());
  }
}

TEST(ReplicaTrainers, TheFirstErrorEndsAll) {
  for (const auto& make : AllTrainers()) {
    Line line;
    line.Start(make(line));
    std::atomic<int> batches{0};
    const Status trained = line.Train(1 << 30, [&](int) {
      return ++batches == 10 ? absl::DataLossError("the file ends here") : absl::OkStatus();
    });
    EXPECT_EQ(trained, absl::DataLossError("the file ends here"));
    EXPECT_LT(line.reports.size(), 15u);
  }
}

TEST(ReplicaTrainers, AnErrorEndsWhatOtherReplicasCompute) {
  for (const bool async : {false, true}) {
    Line line("TestWait");
    line.Start(AllTrainers()[async ? 2 : 1](line));
    std::latch began(1);
    std::atomic<int> batches{0};
    const Status trained = line.Train(1 << 30, [&](int replica) -> Status {
      if (replica == 0) {
        began.count_down();
      } else {
        began.wait();
      }
      return ++batches == 10 ? absl::DataLossError("the file ends here") : absl::OkStatus();
    });
    EXPECT_EQ(trained, absl::DataLossError("the file ends here"));
  }
}

TEST(ReplicaTrainers, OnlyBackupReplicasDrop) {
  for (const auto& make : AllTrainers()) {
    Line line;
    line.Start(make(line));
    const size_t replicas = line.towers;
    const Status trained = line.Train(5);
    ASSERT_TRUE(trained.ok()) << trained;
    ASSERT_EQ(line.trainer->dropped_by_replica().size(), replicas);
    if (!line.reports[0].contributors.empty()) continue;  // with backup replicas
    for (const StepReport& report : line.reports) EXPECT_TRUE(report.dropped.empty());
    for (const int64_t dropped : line.trainer->dropped_by_replica()) EXPECT_EQ(dropped, 0);
  }
}

TEST(ReplicaTrainers, LastStepIsWatched) {
  for (const char* strategy : {"sync", "async", "backup"}) {
    SCOPED_TRACE(strategy);
    const bool sync = strategy[0] == 's', async = strategy[0] == 'a';
    Line line;
    line.Start(async ? MakeAsyncTrainer(line.g, line.model, {.devices = line.devices})
                     : MakeSyncTrainer(line.g, line.model,
                                       {.devices = line.devices, .backup_replicas = sync ? 0 : 1}));
    RunMetadata watched;
    ASSERT_EQ(line.trainer->Train(*line.session, {.steps = 4,
                                                  .next_batch =
                                                      [](int, int64_t, std::vector<Tensor>& batch) {
                                                        batch = {Tensor::Of<float>({1, 2, 4})};
                                                        return absl::OkStatus();
                                                      },
                                                  .last_step = &watched}),
              absl::OkStatus());
    int updates = 0, towers = 0;
    for (const TraceEvent& event : watched.trace.events()) {
      updates += event.node->op_name() == "ApplyGradientDescent" ? 1 : 0;
      towers += event.node->op_name() == "TestHook" ? 1 : 0;
    }
    EXPECT_EQ(updates, 1);
    EXPECT_EQ(towers, sync ? 3 : async ? 1 : 0);
  }
}

}  // namespace
}  // namespace headrace
