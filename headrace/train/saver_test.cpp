#include "headrace/train/saver.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <random>
#include <thread>

#include "gmock/gmock.h"
#include "headrace/base/file.h"
#include "headrace/base/strings.h"
#include "headrace/io/checkpoint_bundle.h"
#include "headrace/ops/array/placeholder.h"
#include "headrace/ops/state/assign.h"
#include "headrace/ops/state/resource_variable.h"
#include "headrace/train/adam.h"
#include "headrace/train/collections.h"
#include "headrace/train/global_step.h"
#include "headrace/train/internal/nodes.h"
#include "headrace/train/meta_graph.h"
#include "headrace/train/moving_average.h"
#include "headrace/train/testing/golden.h"

namespace headrace {
namespace {

using nlohmann::json;
using testing::Fetch;
using ::testing::HasSubstr;
using testing::MakeSession;
using testing::RunOp;
using testing::TensorOf;

class SaverTest : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = ::testing::TempDir() + "saver_XXXXXX";
    folder_ = mkdtemp(pattern.data());
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  std::string Path(std::string_view name) const { return JoinPath(folder_, name); }
  std::string folder_;
};

struct Model {
  Model() : w(g, {1.0f, 2.0f}, {.name = "w"}), step(GetOrCreateGlobalStep(g)) {
    fed = Placeholder(g, DType::kFloat32, {2});
    set = Assign(w.ref(), fed).node;
    init = GlobalVariablesInitializer(g);
  }
  void Set(Session& session, float a, float b) {
    RunOp(session, set, {{fed, Tensor::Of<float>({a, b})}});
  }
  Graph g;
  Variable w, step;
  Output fed;
  Node *set = nullptr, *init = nullptr;
};

TEST_F(SaverTest, RestoresWhatItSaved) {
  Model model;
  Saver saver(model.g);
  const auto session = MakeSession(model.g);
  RunOp(*session, model.init);
  model.Set(*session, 5, 6);
  const StatusOr<std::string> path = saver.Save(*session, Path("new/folder/model.ckpt"), 7);
  ASSERT_TRUE(path.ok()) << path.status();
  EXPECT_EQ(*path, Path("new/folder/model.ckpt-7"));
  model.Set(*session, 0, 0);
  ASSERT_TRUE(saver.Restore(*session, *path).ok());
  EXPECT_TRUE(testing::Near(Fetch(*session, model.w), Tensor::Of<float>({5, 6}), 0));
  // Another session, whose variables hold nothing yet.
  const auto other = MakeSession(model.g);
  const StatusOr<std::string> latest = LatestCheckpoint(Path("new/folder"));
  ASSERT_TRUE(latest.ok()) << latest.status();
  ASSERT_TRUE(saver.Restore(*other, *latest).ok());
  EXPECT_TRUE(testing::Near(Fetch(*other, model.w), Tensor::Of<float>({5, 6}), 0));
  EXPECT_EQ(Fetch(*other, model.step).scalar<int64_t>(), 0);
}

TEST_F(SaverTest, SavesVariablesBehindHandles) {
  Graph g;
  Variable w(g, {1.0f, 2.0f}, {.use_resource = true, .name = "w"});
  Variable b(g, 3.0f, {.name = "b"});
  Saver saver(g);
  Saver found({.filename = saver.filename(),
               .save_tensor = saver.save_tensor(),
               .restore = saver.restore_op()},
              {});
  EXPECT_EQ(found.variables().at("w").ref(), w.ref());
  Node* set = AssignVariableOp(w.ref(), Const(g, {5.0f, 6.0f}));
  Node* init = GlobalVariablesInitializer(g);
  ASSERT_TRUE(g.status().ok()) << g.status();
  const auto session = MakeSession(g);
  RunOp(*session, init);
  RunOp(*session, set);
  ASSERT_TRUE(saver.Save(*session, Path("m"), 1).ok());
  for (Saver* restorer : {&saver, &found}) {
    RunOp(*session, init);
    ASSERT_TRUE(restorer->Restore(*session, Path("m-1")).ok());
    EXPECT_TRUE(testing::Near(Fetch(*session, w), Tensor::Of<float>({5, 6}), 0));
  }
  // A ref variable of that name is the same variable to the checkpoint.
  Graph other;
  Variable same(other, {0.0f, 0.0f}, {.name = "w"});
  Saver reader(other);
  const auto of_other = MakeSession(other);
  ASSERT_TRUE(reader.Restore(*of_other, Path("m-1")).ok());
  EXPECT_TRUE(testing::Near(Fetch(*of_other, same), Tensor::Of<float>({5, 6}), 0));
  Graph narrow;
  Variable unfit(narrow, {0.0f}, {.use_resource = true, .name = "w"});
  Saver refused(narrow);
  EXPECT_EQ(refused.Restore(*MakeSession(narrow), Path("m-1")).code(),
            absl::StatusCode::kInvalidArgument);
}

TEST_F(SaverTest, NodesAreThoseOfTensorFlow) {
  Graph g;
  Variable v(g, 1.0f, {.name = "v"}), w(g, 2, {.name = "w"});
  const int mark = g.num_nodes();
  Saver saver(g);
  ASSERT_TRUE(g.status().ok()) << g.status();
  testing::ExpectNodes(g, mark, json::parse(R"([
      ["save/filename/input", "Const", []],
      ["save/filename", "PlaceholderWithDefault", ["save/filename/input"]],
      ["save/Const", "PlaceholderWithDefault", ["save/filename"]],
      ["save/SaveV2/tensor_names", "Const", []],
      ["save/SaveV2/shape_and_slices", "Const", []],
      ["save/SaveV2", "SaveV2", ["save/Const", "save/SaveV2/tensor_names", "save/SaveV2/shape_and_slices", "v", "w"]],
      ["save/control_dependency", "Identity", ["save/Const", "^save/SaveV2"],
       {"T": "DT:string", "_class": ["loc:@save/Const"]}],
      ["save/RestoreV2/tensor_names", "Const", []],
      ["save/RestoreV2/shape_and_slices", "Const", []],
      ["save/RestoreV2", "RestoreV2", ["save/Const", "save/RestoreV2/tensor_names", "save/RestoreV2/shape_and_slices"]],
      ["save/Assign", "Assign", ["v", "save/RestoreV2"],
       {"T": "DT:float32", "_class": ["loc:@v"], "use_locking": true, "validate_shape": true}],
      ["save/Assign_1", "Assign", ["w", "save/RestoreV2:1"]],
      ["save/restore_all", "NoOp", ["^save/Assign", "^save/Assign_1"]]])"));
}

TEST_F(SaverTest, KeepsTheLastOnes) {
  Model model;
  Saver saver(model.g, {.max_to_keep = 2});
  const auto session = MakeSession(model.g);
  RunOp(*session, model.init);
  for (int64_t step : {1, 2, 3, 2}) ASSERT_TRUE(saver.Save(*session, Path("m"), step).ok());
  EXPECT_EQ(saver.last_checkpoints(), (std::vector<std::string>{Path("m-3"), Path("m-2")}));
  EXPECT_FALSE(FileExists(Path("m-1.index")));
  EXPECT_FALSE(FileExists(Path("m-1.meta")));
  EXPECT_TRUE(FileExists(Path("m-2.index")));
  EXPECT_TRUE(FileExists(Path("m-3.meta")));
  const StatusOr<std::string> state = ReadFile(Path("checkpoint"));
  EXPECT_EQ(*state,
            "model_checkpoint_path: \"m-2\"\nall_model_checkpoint_paths: \"m-3\"\n"
            "all_model_checkpoint_paths: \"m-2\"\n");
  // Another saver takes over.
  Saver next(model.g, {.max_to_keep = 2, .name = "again"});
  next.RecoverLastCheckpoints({Path("m-1"), Path("m-3"), Path("m-2")});
  ASSERT_TRUE(next.Save(*session, Path("m"), 4).ok());
  EXPECT_EQ(next.last_checkpoints(), (std::vector<std::string>{Path("m-2"), Path("m-4")}));
  EXPECT_FALSE(FileExists(Path("m-3.index")));
}

TEST_F(SaverTest, KeepsOneForEachPeriod) {
  Model model;
  Saver saver(model.g, {.max_to_keep = 1, .keep_checkpoint_every_n_hours = 0});
  const auto session = MakeSession(model.g);
  RunOp(*session, model.init);
  ASSERT_TRUE(saver.Save(*session, Path("m"), 1).ok());
  ASSERT_TRUE(saver.Save(*session, Path("m"), 2).ok());
  EXPECT_EQ(saver.last_checkpoints(), (std::vector<std::string>{Path("m-2")}));
  EXPECT_TRUE(FileExists(Path("m-1.index")));  // older than the end of a period of no length
}

TEST_F(SaverTest, NamesInTheCheckpointMayDiffer) {
  Model model;
  Saver saver(model.g, {.names = {{"x/first", model.w}}});
  const auto session = MakeSession(model.g);
  RunOp(*session, model.init);
  ASSERT_TRUE(saver.Save(*session, Path("m"), std::nullopt, {.write_state = false}).ok());
  EXPECT_FALSE(FileExists(Path("checkpoint")));
  const auto reader = BundleReader::Open(Path("m"));
  ASSERT_TRUE(reader.ok()) << reader.status();
  ASSERT_EQ((*reader)->variables().size(), 1u);
  EXPECT_EQ((*reader)->variables()[0].name, "x/first");
}

TEST_F(SaverTest, LoadsAveragesIntoVariables) {
  Model model;
  ExponentialMovingAverage average(0.5);
  Node* update = average.Apply({model.w});
  model.init = GlobalVariablesInitializer(model.g, {.name = "init_all"});
  Saver saver(model.g);
  const auto session = MakeSession(model.g);
  RunOp(*session, model.init);
  model.Set(*session, 3, 6);
  RunOp(*session, update);
  ASSERT_TRUE(saver.Save(*session, Path("m")).ok());
  Saver averages(model.g,
                 {.names = average.VariablesToRestore(model.g), .name = "restore_averages"});
  ASSERT_TRUE(model.g.status().ok()) << model.g.status();
  ASSERT_TRUE(averages.Restore(*session, Path("m")).ok());
  EXPECT_TRUE(testing::Near(Fetch(*session, model.w), Tensor::Of<float>({2, 4}), 1e-6));
}

// Files of TensorFlow 1.15.
void RestoreGolden(const std::string& path, const json& contents) {
  Graph g;
  std::map<std::string, Tensor> expected;
  for (const auto& [name, value] : contents.items()) {
    const Tensor tensor = TensorOf(value);
    expected.emplace(name, tensor);
    Tensor zero(tensor.dtype(), tensor.shape());
    if (IsPlain(zero.dtype())) std::memset(zero.raw_data(), 0, zero.size_bytes());
    Variable(g, zero, {.trainable = false, .name = name});
  }
  ASSERT_TRUE(g.status().ok()) << g.status();
  Saver saver(g);
  const auto session = MakeSession(g);
  ASSERT_NE(session, nullptr);
  const Status status = saver.Restore(*session, path);
  ASSERT_TRUE(status.ok()) << status;
  for (const Variable& variable : GlobalVariables(g)) {
    EXPECT_TRUE(testing::Near(Fetch(*session, variable.ref()), expected.at(variable.name()), 0))
        << variable.name();
  }
}

TEST_F(SaverTest, RestoresCheckpointsOfTensorFlow) {
  const json doc = testing::LoadGolden("checkpoint/checkpoint.json");
  RestoreGolden(testing::GoldenPath("checkpoint/v2/model.ckpt-3"),
                doc["v2"]["model.ckpt-3"]["contents"]);
  RestoreGolden(testing::GoldenPath("checkpoint/sharded/sharded"), doc["sharded"]["contents"]);
  RestoreGolden(testing::GoldenPath("checkpoint/v1/v1.ckpt"), doc["v1"]["contents"]);
  RestoreGolden(testing::GoldenPath("checkpoint/renamed/renamed.ckpt"), doc["renamed"]["contents"]);
  const StatusOr<std::string> latest = LatestCheckpoint(testing::GoldenPath("checkpoint/v2"));
  ASSERT_TRUE(latest.ok()) << latest.status();
  EXPECT_EQ(*latest, testing::GoldenPath("checkpoint/v2/model.ckpt-3"));
}

// Variables on a GPU without any request: only the checkpoint ops stay on the CPU.
TEST_F(SaverTest, SavesAndRestoresVariablesOfAGpu) {
  Graph g;
  Variable w(g, {1.0f, 2.0f, 3.0f}, {.name = "w"});
  Variable step = GetOrCreateGlobalStep(g);
  Output loss = train::Call("L2Loss", {w}, Location());
  AdamOptimizer adam(0.1);
  Node* update = adam.Minimize(loss, {.global_step = step});
  Saver saver(g);
  Node* init = GlobalVariablesInitializer(g);
  ASSERT_TRUE(g.status().ok()) << g.status();
  SessionOptions options;
  options.devices.simulated_gpus = 1;
  auto session = Session::Create(g, options);
  ASSERT_TRUE(session.ok()) << session.status();
  const StatusOr<std::string> device = (*session)->Placement(*w.ref().node);
  ASSERT_TRUE(device.ok()) << device.status();
  EXPECT_THAT(*device, HasSubstr("GPU:0"));
  EXPECT_THAT(*(*session)->Placement(*adam.GetSlot(w, "m").ref().node), HasSubstr("GPU:0"));
  RunOp(**session, init);
  for (int i = 0; i < 3; ++i) RunOp(**session, update);
  const StatusOr<std::string> path = saver.Save(**session, Path("gpu"), 3);
  ASSERT_TRUE(path.ok()) << path.status();
  const Tensor saved = Fetch(**session, w);
  // The same training on the CPU has the same values, and its session reads the checkpoint.
  const auto on_cpu = MakeSession(g);
  RunOp(*on_cpu, init);
  for (int i = 0; i < 3; ++i) RunOp(*on_cpu, update);
  EXPECT_TRUE(testing::Near(Fetch(*on_cpu, w), saved, 1e-6));
  RunOp(*on_cpu, init);
  ASSERT_TRUE(saver.Restore(*on_cpu, *path).ok());
  EXPECT_TRUE(testing::Near(Fetch(*on_cpu, w), saved, 0));
  RunOp(**session, init);
  ASSERT_TRUE(saver.Restore(**session, *path).ok());
  EXPECT_TRUE(testing::Near(Fetch(**session, w), saved, 0));
  EXPECT_EQ(Fetch(**session, step).scalar<int64_t>(), 3);
}

TEST_F(SaverTest, SaysWhatDoesNotFit) {
  Model model;
  Saver saver(model.g);
  const auto session = MakeSession(model.g);
  RunOp(*session, model.init);
  ASSERT_TRUE(saver.Save(*session, Path("m")).ok());

  Graph other;
  Variable copy(other, {1.0f, 2.0f}, {.name = "w_1"}), near(other, 0, {.name = "global_stop"});
  Saver missing(other);
  const auto other_session = MakeSession(other);
  const Status not_found = missing.Restore(*other_session, Path("m"));
  EXPECT_EQ(not_found.code(), absl::StatusCode::kNotFound);
  EXPECT_THAT(std::string(Message(not_found)), HasSubstr("2 of 2 variables are not in it"));
  EXPECT_THAT(std::string(Message(not_found)), HasSubstr("'w_1' (saver_test.cpp:"));
  EXPECT_THAT(std::string(Message(not_found)),
              HasSubstr("the checkpoint has 'w', of which the graph has 1 copy"));
  EXPECT_THAT(std::string(Message(not_found)), HasSubstr("nearest are 'global_step' []"));

  Graph shapes;
  Variable w(shapes, {1.0f, 2.0f, 3.0f}, {.name = "w"}), step(shapes, 0, {.name = "global_step"});
  Saver unfit(shapes);
  const auto shapes_session = MakeSession(shapes);
  const Status invalid = unfit.Restore(*shapes_session, Path("m"));
  EXPECT_EQ(invalid.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(Message(invalid)),
              HasSubstr("has shape [3] in the graph and [2] in the checkpoint"));
  EXPECT_THAT(std::string(Message(invalid)),
              HasSubstr("is int32 in the graph and int64 in the checkpoint"));

  EXPECT_EQ(saver.Restore(*session, Path("nothing")).code(), absl::StatusCode::kNotFound);
  ASSERT_TRUE(WriteFileAtomically(Path("broken.index"), "not a table").ok());
  EXPECT_FALSE(saver.Restore(*session, Path("broken")).ok());
  EXPECT_EQ(saver.Save(*session, Path("checkpoint")).status().code(),
            absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(saver.Save(*session, folder_ + "/").status().code(),
            absl::StatusCode::kInvalidArgument);
  ASSERT_TRUE(WriteFileAtomically(Path("file"), "x").ok());
  EXPECT_FALSE(saver.Save(*session, Path("file/model")).ok());
}

TEST_F(SaverTest, UninitializedVariablesAreNotSaved) {
  Model model;
  Saver saver(model.g);
  const auto session = MakeSession(model.g);
  const Status status = saver.Save(*session, Path("m")).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition) << status;
  EXPECT_FALSE(FileExists(Path("m.index")));
  EXPECT_FALSE(FileExists(Path("checkpoint")));
}

TEST_F(SaverTest, NothingToSaveIsAnError) {
  Graph g;
  Saver saver(g);
  EXPECT_THAT(std::string(Message(g.status())), HasSubstr("No variables to save"));
  Graph empty;
  Saver allowed(empty, {.allow_empty = true});
  EXPECT_TRUE(empty.status().ok());
}

TEST_F(SaverTest, MetaGraphHoldsGraphCollectionsAndSaver) {
  Model model;
  Saver saver(model.g);
  const auto session = MakeSession(model.g);
  RunOp(*session, model.init);
  model.Set(*session, 8, 9);
  ASSERT_TRUE(saver.Save(*session, Path("m")).ok());

  Graph g;
  const Status imported = ImportMetaGraph(g, Path("m.meta"));
  ASSERT_TRUE(imported.ok()) << imported;
  ASSERT_EQ(GlobalVariables(g).size(), 2u);
  EXPECT_EQ(GlobalVariables(g)[0].initializer()->name(), "w/Assign");
  EXPECT_EQ(TrainableVariables(g).size(), 1u);
  EXPECT_EQ(GetGlobalStep(g).name(), "global_step");
  Saver again(g);
  const auto other = MakeSession(g);
  ASSERT_TRUE(again.Restore(*other, Path("m")).ok());
  EXPECT_TRUE(testing::Near(Fetch(*other, TrainableVariables(g)[0]), Tensor::Of<float>({8, 9}), 0));

  Graph prefixed;
  ASSERT_TRUE(ImportMetaGraph(prefixed, Path("m.meta"), {.prefix = "import"}).ok());
  EXPECT_EQ(GlobalVariables(prefixed)[0].name(), "import/w");
  EXPECT_EQ(ImportMetaGraph(g, Path("none.meta")).code(), absl::StatusCode::kNotFound);
  ASSERT_TRUE(WriteFileAtomically(Path("bad.meta"), "\xff\xff\xff").ok());
  EXPECT_EQ(ImportMetaGraph(g, Path("bad.meta")).code(), absl::StatusCode::kDataLoss);
}

TEST_F(SaverTest, RunsNodesThatAreInTheGraph) {
  Model model;
  Saver made(model.g);
  const int nodes = model.g.num_nodes();
  Saver found({.filename = made.filename(),
               .save_tensor = made.save_tensor(),
               .restore = made.restore_op()},
              {});
  EXPECT_EQ(model.g.num_nodes(), nodes);
  ASSERT_EQ(found.variables().size(), 2u);
  EXPECT_EQ(found.variables().at("w").ref(), model.w.ref());
  const auto session = MakeSession(model.g);
  RunOp(*session, model.init);
  model.Set(*session, 3, 4);
  ASSERT_TRUE(found.Save(*session, Path("m"), 1).ok());
  model.Set(*session, 0, 0);
  ASSERT_TRUE(found.Restore(*session, Path("m-1")).ok());
  EXPECT_TRUE(testing::Near(Fetch(*session, model.w), Tensor::Of<float>({3, 4}), 0));
  Graph other;
  Variable(other, {1.0f}, {.name = "w"});
  Saver unfit(other);
  const auto of_other = MakeSession(other);
  Saver again({.filename = unfit.filename(),
               .save_tensor = unfit.save_tensor(),
               .restore = unfit.restore_op()},
              {});
  EXPECT_EQ(again.Restore(*of_other, Path("m-1")).code(), absl::StatusCode::kInvalidArgument);
}

// ---- a process that is killed while it saves

constexpr char kChildFolder[] = "HEADRACE_SAVER_TEST_FOLDER";

struct Large {
  Large() {
    for (int i = 0; i < 6; ++i)
      variables.emplace_back(g, Tensor(Filled(0)), VariableOptions{.name = StrCat("v", i)});
    fed = Placeholder(g, DType::kFloat32, {kSize});
    std::vector<Node*> sets;
    for (const Variable& variable : variables) sets.push_back(Assign(variable.ref(), fed).node);
    set = Group(g, sets);
  }
  static Tensor Filled(float value) {
    Tensor tensor(DType::kFloat32, {kSize});
    std::fill_n(tensor.data<float>(), kSize, value);
    return tensor;
  }
  static Node* Group(Graph& g, const std::vector<Node*>& nodes) {
    NodeBuilder builder(g, "NoOp", "set", Location());
    for (Node* node : nodes) builder.Control(node);
    return builder.BuildNode();
  }
  static constexpr int64_t kSize = 50000;
  Graph g;
  std::vector<Variable> variables;
  Output fed;
  Node* set = nullptr;
};

// The child's part: saves until it is killed.
void SaveForEver(const std::string& folder) {
  Large large;
  Saver saver(large.g, {.max_to_keep = 2});
  const auto session = MakeSession(large.g);
  for (int64_t step = 1;; ++step) {
    RunOp(*session, large.set, {{large.fed, Large::Filled(static_cast<float>(step))}});
    ASSERT_TRUE(saver.Save(*session, JoinPath(folder, "model"), step % 5).ok());
  }
}

TEST_F(SaverTest, SurvivesBeingKilled) {  // T28, row 90
  if (const char* folder = std::getenv(kChildFolder)) return SaveForEver(folder);
  Large large;
  Saver saver(large.g);
  const auto session = MakeSession(large.g);
  std::mt19937 random(1);
  int restored = 0;
  for (int round = 0; round < 10; ++round) {
    const pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      setenv(kChildFolder, folder_.c_str(), 1);
      execl("/proc/self/exe", "train_test", "--gtest_filter=SaverTest.SurvivesBeingKilled",
            "--gtest_brief=1", nullptr);
      _exit(127);
    }
    // The first round waits for a checkpoint; then the kill comes at any moment.
    while (round == 0 && !LatestCheckpoint(folder_).ok())
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    std::this_thread::sleep_for(std::chrono::microseconds(20000 + random() % 150000));
    kill(child, SIGKILL);
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    ASSERT_TRUE(WIFSIGNALED(status)) << "the child ended by itself: " << status;

    const StatusOr<std::string> latest = LatestCheckpoint(folder_);
    ASSERT_TRUE(latest.ok()) << latest.status();
    const StatusOr<CheckpointState> state = ReadCheckpointState(folder_);
    ASSERT_TRUE(state.ok()) << state.status();
    const Status whole = saver.Restore(*session, *latest);
    ASSERT_TRUE(whole.ok()) << whole;
    const float first = Fetch(*session, large.variables[0]).data<float>()[0];
    for (const Variable& variable : large.variables) {  // all of one save
      EXPECT_TRUE(testing::Near(Fetch(*session, variable), Large::Filled(first), 0))
          << variable.name();
    }
    ++restored;
  }
  EXPECT_EQ(restored, 10);
}

}  // namespace
}  // namespace headrace
