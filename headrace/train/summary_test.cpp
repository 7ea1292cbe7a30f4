#include "headrace/train/summary.h"

#include <cstdlib>
#include <filesystem>

#include "gmock/gmock.h"
#include "headrace/base/file.h"
#include "headrace/base/strings.h"
#include "headrace/io/event_reader.h"
#include "headrace/io/proto/config.pb.h"
#include "headrace/io/proto/event.pb.h"
#include "headrace/io/proto/graph.pb.h"
#include "headrace/ops/array/identity.h"
#include "headrace/ops/array/placeholder.h"
#include "headrace/train/testing/golden.h"

namespace headrace {
namespace {

std::vector<proto::Event> Events(const std::string& path) {
  std::vector<proto::Event> events;
  auto reader = EventReader::Open(path);
  EXPECT_TRUE(reader.ok()) << reader.status();
  if (!reader.ok()) return events;
  for (;;) {
    proto::Event event;
    const StatusOr<bool> more = (*reader)->Next(&event);
    EXPECT_TRUE(more.ok()) << more.status();
    if (!more.ok() || !*more) return events;
    events.push_back(std::move(event));
  }
}

TEST(TrainSummary, WritesGraphSummariesAndRunMetadata) {
  std::string folder = ::testing::TempDir() + "train_summary_XXXXXX";
  ASSERT_NE(mkdtemp(folder.data()), nullptr);
  Graph g;
  Output fed = Placeholder(g, DType::kFloat32, Shape(), {.name = "fed"});
  Output x = Identity(fed, {.name = "x"});
  ScalarSummary("x", x);
  Output all = MergeAllSummaries(g);
  ASSERT_TRUE(g.status().ok()) << g.status();
  const auto session = testing::MakeSession(g);
  std::string path;
  {
    auto events = EventWriter::Open(folder);
    ASSERT_TRUE(events.ok()) << events.status();
    path = (*events)->path();
    EXPECT_TRUE(AddGraph(**events, *session).ok());
    EXPECT_TRUE(AddGraph(**events, g).ok());
    RunMetadata metadata;
    auto out = session->Run({{fed, Tensor::Scalar(2.5f)}}, {all}, {}, {.trace = true}, &metadata);
    ASSERT_TRUE(out.ok()) << out.status();
    EXPECT_TRUE(AddSummary(**events, (*out)[0], 3).ok());
    EXPECT_TRUE(AddRunMetadata(**events, "step 3", metadata, 3).ok());
    EXPECT_EQ(AddSummary(**events, Tensor::Scalar(1.0f), 3).code(),
              absl::StatusCode::kInvalidArgument);
    ASSERT_TRUE((*events)->Close().ok());
  }
  const std::vector<proto::Event> events = Events(path);
  ASSERT_EQ(events.size(), 5u);
  proto::GraphDef placed, asked;
  ASSERT_TRUE(placed.ParseFromString(events[1].graph_def()));
  ASSERT_TRUE(asked.ParseFromString(events[2].graph_def()));
  ASSERT_EQ(placed.node_size(), g.num_nodes());
  EXPECT_EQ(placed.node(1).device(), "/job:localhost/replica:0/task:0/device:CPU:0");
  EXPECT_EQ(asked.node(1).device(), "");
  EXPECT_EQ(events[3].step(), 3);
  EXPECT_EQ(events[3].summary().value(0).simple_value(), 2.5f);
  EXPECT_EQ(events[4].tagged_run_metadata().tag(), "step 3");
  proto::RunMetadata metadata;
  ASSERT_TRUE(metadata.ParseFromString(events[4].tagged_run_metadata().run_metadata()));
  EXPECT_GT(metadata.step_stats().dev_stats_size(), 0);
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace headrace
