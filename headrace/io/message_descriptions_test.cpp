#include "headrace/io/message_descriptions.h"

#include <gtest/gtest.h>

#include "google/protobuf/descriptor.h"
#include "google/protobuf/descriptor.pb.h"

namespace headrace {
namespace {

// As another language does it: a pool of its own, one file after the other.
TEST(MessageDescriptions, BuildTensorFlowsMessagesInAnotherPool) {
  google::protobuf::FileDescriptorSet files;
  ASSERT_TRUE(files.ParseFromString(MessageDescriptions()));
  google::protobuf::DescriptorPool pool;
  for (const auto& file : files.file()) ASSERT_NE(pool.BuildFile(file), nullptr) << file.name();
  for (const char* name :
       {"GraphDef", "NodeDef", "AttrValue", "TensorProto", "MetaGraphDef", "SaverDef", "ConfigProto", "RunMetadata", "Summary", "Event",
        "Example", "SequenceExample", "SavedModel", "OpList", "CheckpointState", "ClusterDef", "VariableDef", "QueueRunnerDef"}) {
    EXPECT_NE(pool.FindMessageTypeByName(std::string("tensorflow.") + name), nullptr) << name;
  }
  const auto* graph = pool.FindMessageTypeByName("tensorflow.GraphDef");
  ASSERT_NE(graph, nullptr);
  EXPECT_EQ(graph->FindFieldByName("node")->message_type()->full_name(), "tensorflow.NodeDef");
}

}  // namespace
}  // namespace headrace
