#include "headrace/ops/state/checkpoint.h"

#include <cstdlib>
#include <filesystem>

#include "gmock/gmock.h"
#include "headrace/base/file.h"
#include "headrace/base/strings.h"
#include "headrace/io/checkpoint_bundle.h"
#include "headrace/ops/array/constant.h"
#include "headrace/ops/state/variable.h"
#include "headrace/ops/testing/graph_runner.h"

namespace headrace {
namespace {

using testing::GraphRunner;
using ::testing::HasSubstr;

class CheckpointOps : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = ::testing::TempDir() + "checkpoint_ops_XXXXXX";
    folder_ = mkdtemp(pattern.data());
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  std::string Path(std::string_view name) const { return JoinPath(folder_, name); }
  Output Text(std::initializer_list<std::string> texts) { return Const(g_, texts); }
  Output Scalar(const std::string& text) { return Const(g_, std::string_view(text)); }

  std::string folder_;
  Graph g_;
  GraphRunner runner_;
};

TEST_F(CheckpointOps, RestoreGivesWhatSaveWrote) {
  Output prefix = Scalar(Path("model"));
  Output floats = Const(g_, {{1.5f, -2.0f}, {0.0f, 3.0f}}), text = Const(g_, {"a", "bc"}),
         number = Const(g_, int64_t{1} << 40);
  Node* save =
      SaveV2(prefix, Text({"f", "s", "n"}), Text({"", "", ""}), std::vector{floats, text, number});
  ASSERT_NE(save, nullptr) << g_.status();
  ASSERT_TRUE(runner_.RunNode(save).ok());
  const std::vector<Output> restored =
      RestoreV2(prefix, Text({"n", "f", "s"}), Text({"", "", ""}),
                std::vector{DType::kInt64, DType::kFloat32, DType::kString});
  StatusOr<std::vector<Tensor>> values = runner_.Run(restored);
  ASSERT_TRUE(values.ok()) << values.status();
  EXPECT_EQ((*values)[0].scalar<int64_t>(), int64_t{1} << 40);
  EXPECT_EQ((*values)[1].shape(), (Shape{2, 2}));
  EXPECT_EQ((*values)[1].data<float>()[3], 3);
  EXPECT_EQ((*values)[2].data<std::string>()[1], "bc");
}

TEST_F(CheckpointOps, SlicesHaveStaticShapes) {
  Output prefix = Scalar(Path("model"));
  Output rows = Const(g_, {{1.0f, 2.0f}, {3.0f, 4.0f}});
  ASSERT_TRUE(
      runner_.RunNode(SaveV2(prefix, Text({"w"}), Text({"3 2 0,2:-"}), std::vector{rows})).ok());
  Output last = Const(g_, {{5.0f, 6.0f}});
  const std::string other = Path("other");
  ASSERT_TRUE(
      runner_.RunNode(SaveV2(Scalar(other), Text({"w"}), Text({"3 2 2,1:-"}), std::vector{last}))
          .ok());
  const std::string merged = Path("merged");
  ASSERT_TRUE(
      runner_.RunNode(MergeV2Checkpoints(Text({Path("model"), other}), Scalar(merged))).ok());
  EXPECT_FALSE(FileExists(Path("model.index")));
  const std::vector<Output> part =
      RestoreV2(Scalar(merged), Text({"w", "w"}), Text({"3 2 1,2:-", ""}),
                std::vector{DType::kFloat32, DType::kFloat32});
  EXPECT_EQ(part[0].shape(), (PartialShape{2, 2}));
  EXPECT_FALSE(part[1].shape().has_rank());
  StatusOr<std::vector<Tensor>> values = runner_.Run(part);
  ASSERT_TRUE(values.ok()) << values.status();
  EXPECT_EQ((*values)[0].data<float>()[0], 3);
  EXPECT_EQ((*values)[0].data<float>()[3], 6);
  EXPECT_EQ((*values)[1].shape(), (Shape{3, 2}));
}

TEST_F(CheckpointOps, MergeRemovesEmptyFolders) {
  const std::string part = Path("model_temp/part");
  ASSERT_TRUE(
      runner_.RunNode(SaveV2(Scalar(part), Text({"w"}), Text({""}), std::vector{Const(g_, 1.0f)}))
          .ok());
  ASSERT_TRUE(runner_.RunNode(MergeV2Checkpoints(Text({part}), Scalar(Path("model")))).ok());
  EXPECT_TRUE(FileExists(Path("model.index")));
  EXPECT_FALSE(FileExists(Path("model_temp")));
}

TEST_F(CheckpointOps, SavesVariablesByValue) {
  Variable w(g_, {1.0f, 2.0f}, {.name = "w"});
  Output prefix = Scalar(Path("model"));
  Node* save = SaveV2(prefix, Text({"w"}), Text({""}), std::vector{w.ref()});
  EXPECT_EQ(runner_.RunNode(save).code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_FALSE(FileExists(Path("model.index")));
  ASSERT_TRUE(runner_.RunNode(w.initializer()).ok());
  ASSERT_TRUE(runner_.RunNode(save).ok());
  EXPECT_TRUE(FileExists(Path("model.index")));
}

TEST_F(CheckpointOps, SayWhatIsWrong) {
  Output prefix = Scalar(Path("model"));
  ASSERT_TRUE(
      runner_.RunNode(SaveV2(prefix, Text({"weights"}), Text({""}), std::vector{Const(g_, 1.0f)}))
          .ok());
  auto error = [&](Output path, const char* name, DType dtype) {
    const std::vector<Output> value = RestoreV2(path, Text({name}), Text({""}), std::vector{dtype});
    return runner_.Run(value).status();
  };
  const Status missing = error(prefix, "weight", DType::kFloat32);
  EXPECT_EQ(missing.code(), absl::StatusCode::kNotFound);
  EXPECT_THAT(std::string(Message(missing)), HasSubstr("weights"));
  const Status dtype = error(prefix, "weights", DType::kFloat64);
  EXPECT_EQ(dtype.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(Message(dtype)),
              HasSubstr("expected dtype float64 does not equal original dtype float32"));
  EXPECT_EQ(error(Scalar(Path("nothing")), "weights", DType::kFloat32).code(),
            absl::StatusCode::kNotFound);
  // Lengths that differ are found while the graph is built.
  EXPECT_EQ(SaveV2(prefix, Text({"a", "b"}), Text({"", ""}), std::vector{Const(g_, 1.0f)}),
            nullptr);
  EXPECT_THAT(std::string(Message(g_.status())), HasSubstr("number of tensors"));
}

TEST_F(CheckpointOps, ShardedNames) {
  Output base = Scalar("dir/model");
  Output name = ShardedFilename(base, Const(g_, 3), Const(g_, 12)),
         pattern = ShardedFilespec(base, Const(g_, 12));
  StatusOr<std::vector<Tensor>> values = runner_.Run({name, pattern});
  ASSERT_TRUE(values.ok()) << values.status();
  EXPECT_EQ((*values)[0].scalar<std::string>(), "dir/model-00003-of-00012");
  EXPECT_EQ((*values)[1].scalar<std::string>(), "dir/model-\?\?\?\?\?-of-00012");
}

}  // namespace
}  // namespace headrace
