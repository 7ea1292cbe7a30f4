// Steps that wait for each other through barriers and staging maps.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <thread>

#include "headrace/base/strings.h"
#include "headrace/ops/array/constant.h"
#include "headrace/ops/data/barrier.h"
#include "headrace/ops/data/map_stage.h"
#include "headrace/session/session.h"

namespace headrace {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

const std::vector<DType> kTwo{DType::kFloat32, DType::kInt32};

class StagingSessionTest : public ::testing::TestWithParam<bool> {
 protected:
  std::unique_ptr<Session> Open(const Graph& g) {
    return Session::Create(g, {.use_plans = GetParam()}).value();
  }
};

struct Pairs {
  explicit Pairs(Graph& g) {
    barrier = Barrier(g, kTwo, {.shapes = {Shape(), Shape()}});
    const Output keys = Const(g, Tensor::Of<std::string>({"a", "b"}));
    floats = BarrierInsertMany(barrier, 0, keys, Const(g, Tensor::Of<float>({1, 2})));
    ints = BarrierInsertMany(barrier, 1, keys, Const(g, Tensor::Of<int32_t>({3, 4})));
    take = BarrierTakeMany(barrier, Const(g, 2), kTwo);
    close = BarrierClose(barrier);
  }
  Output barrier;
  Node *floats, *ints, *close;
  BarrierElements take;
};

TEST_P(StagingSessionTest, BarrierGivesWhatIsWhole) {
  Graph g;
  Pairs pairs(g);
  auto session = Open(g);
  StatusOr<std::vector<Tensor>> taken;
  std::thread taker([&] { taken = session->Run({}, {pairs.take.keys, pairs.take.values[1]}); });
  ASSERT_TRUE(session->Run({}, {}, {pairs.floats}).ok());
  EXPECT_EQ(session->Run({}, {BarrierIncompleteSize(pairs.barrier)}).value()[0].scalar<int32_t>(),
            2);
  ASSERT_TRUE(session->Run({}, {}, {pairs.ints}).ok());
  taker.join();
  ASSERT_TRUE(taken.ok()) << taken.status();
  EXPECT_THAT((*taken)[0].flat<std::string>(), ElementsAre("a", "b"));
  EXPECT_THAT((*taken)[1].flat<int32_t>(), ElementsAre(3, 4));
}

TEST_P(StagingSessionTest, ClosingABarrierEndsWhoWaits) {
  Graph g;
  Pairs pairs(g);
  auto session = Open(g);
  StatusOr<std::vector<Tensor>> taken;
  std::thread taker([&] { taken = session->Run({}, {pairs.take.keys}); });
  ASSERT_TRUE(session->Run({}, {}, {pairs.close}).ok());
  taker.join();
  EXPECT_EQ(taken.status().code(), absl::StatusCode::kOutOfRange);
  EXPECT_THAT(std::string(Message(taken.status())),
              HasSubstr("is closed and has insufficient elements (requested 2, total size 0)"));
}

TEST_P(StagingSessionTest, ADeadlineEndsAWaitThatTakesNothing) {
  Graph g;
  Pairs pairs(g);
  const MapStageOptions map{.capacity = 1, .shared_name = "map"};
  const Output indices = Const(g, Tensor::Of<int32_t>({0, 1}));
  const std::vector<Output> values{Const(g, 1.0f), Const(g, 2)};
  Node* one = MapStage(Const(g, int64_t{1}), indices, values, kTwo, map);
  Node* two = MapStage(Const(g, int64_t{2}), indices, values, kTwo, map);
  const std::vector<Output> missing = MapUnstage(Const(g, int64_t{3}), indices, kTwo, map);
  auto session = Open(g);
  const RunOptions soon{.timeout = 50ms};
  const auto code = [](const auto& result) { return result.status().code(); };
  EXPECT_EQ(code(session->Run({}, {pairs.take.keys}, {}, soon)),
            absl::StatusCode::kDeadlineExceeded);
  ASSERT_TRUE(session->Run({}, {}, {one}).ok());
  EXPECT_EQ(code(session->Run({}, {}, {two}, soon)), absl::StatusCode::kDeadlineExceeded);
  EXPECT_EQ(code(session->Run({}, {missing[0]}, {}, soon)), absl::StatusCode::kDeadlineExceeded);
  EXPECT_EQ(session->Run({}, {MapSize(g, kTwo, map)}).value()[0].scalar<int32_t>(), 1);
  const std::vector<Output> any = MapUnstageNoKey(indices, kTwo, map);
  const auto taken = session->Run({}, any);
  ASSERT_TRUE(taken.ok()) << taken.status();
  EXPECT_EQ((*taken)[0].scalar<int64_t>(), 1);
  EXPECT_EQ((*taken)[2].scalar<int32_t>(), 2);
}

INSTANTIATE_TEST_SUITE_P(PlansAndExecutor, StagingSessionTest, ::testing::Bool());

}  // namespace
}  // namespace headrace
