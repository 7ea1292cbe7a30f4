#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "headrace/base/strings.h"
#include "headrace/device/device_set.h"
#include "headrace/graph/shape_context.h"
#include "headrace/place/place.h"

namespace headrace {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

// Ops that exist for placement only.
Status OnlyNhwc(const Node& node) {
  if (node.attrs().GetOr<std::string>("format", "") == "NHWC") return absl::OkStatus();
  return InvalidArgument("only format NHWC, got ", node.attrs().GetOr<std::string>("format", ""));
}

void DefineFakes(OpRegistry& ops) {
  const DeviceSupport any, floats{.types = {{"T", kGpuFloatTypes}}};
  ops.Define("Source").TypeAttr("T", kAllTypes).Output("y", "T").Shape(NoShape).Cpu(any).Gpu(any);
  ops.Define("Both")
      .TypeAttr("T", kAllTypes)
      .Input("x", "T")
      .Output("y", "T")
      .Shape(SameShapeAsInput)
      .Cpu(any)
      .Gpu(floats);
  ops.Define("CpuOnly")
      .TypeAttr("T", kAllTypes)
      .Input("x", "T")
      .Output("y", "T")
      .Shape(SameShapeAsInput)
      .Cpu(any);
  ops.Define("GpuOnly")
      .TypeAttr("T", kAllTypes)
      .Input("x", "T")
      .Output("y", "T")
      .Shape(SameShapeAsInput)
      .Gpu(any);
  ops.Define("Nowhere").Shape(NoShape);
  ops.Define("Nhwc")
      .TypeAttr("T", kAllTypes)
      .Attr("format", "NHWC")
      .Input("x", "T")
      .Output("y", "T")
      .Shape(NoShape)
      .Cpu(any)
      .Gpu({.types = {{"T", kGpuFloatTypes}}, .accepts = OnlyNhwc});
  ops.Define("Var")
      .TypeAttr("dtype", kAllTypes)
      .Attr("shape", PartialShape())
      .RefOutput("ref", "dtype")
      .Shape(NoShape)
      .Cpu(any)
      .Gpu({.types = {{"dtype", kGpuFloatTypes}}});
  ops.Define("Assign")
      .TypeAttr("T", kAllTypes)
      .RefInput("ref", "T")
      .Input("value", "T")
      .RefOutput("out", "T")
      .Shape(NoShape)
      .Cpu(any)
      .Gpu(floats);
  ops.Define("ApplySparse")
      .TypeAttr("T", kAllTypes)
      .RefInput("ref", "T")
      .Input("value", "T")
      .RefOutput("out", "T")
      .Shape(NoShape)
      .Cpu(any);
  ops.Define("GpuApply")
      .TypeAttr("T", kAllTypes)
      .RefInput("ref", "T")
      .Input("value", "T")
      .RefOutput("out", "T")
      .Shape(NoShape)
      .Gpu(any);
}

class PlacerTest : public testing::Test {
 protected:
  PlacerTest() {
    DefineFakes(ops_);
    Devices("cpu:1,gpu:2");
  }

  void Devices(const char* spec) { devices_ = *DeviceSet::Imagine(spec); }

  Output Add(const char* op, const char* name, std::vector<Output> inputs = {},
             const char* device = "", AttrMap attrs = {}) {
    StatusOr<Node*> node = g_.AddNode({.op = op,
                                       .name = name,
                                       .inputs = std::move(inputs),
                                       .attrs = std::move(attrs),
                                       .device = device,
                                       .location = Location::Of("/src/tour.cpp", ++line_)});
    EXPECT_TRUE(node.ok()) << node.status();
    return node.ok() ? Output{*node, 0} : Output{};
  }
  Output Source(const char* name, DType type = DType::kFloat32, const char* device = "") {
    return Add("Source", name, {}, device, {{"T", type}});
  }
  Output Var(const char* name, DType type = DType::kFloat32, const char* device = "") {
    return Add("Var", name, {}, device, {{"dtype", type}});
  }
  static AttrMap With(const char* name) {
    return {{"_class", AttrValue::Strings{StrCat("loc:@", name)}}};
  }

  // Where a node is, short: "CPU:0"; or the error.
  std::string At(const Output& output) {
    if (!report_.ok()) return std::string(Message(report_.status()));
    const std::string& name = report_->DeviceOf(*output.node);
    return name.substr(name.find("device:") + 7);
  }
  const NodePlacement& Of(const Output& output) { return report_->nodes[output.node->id()]; }
  void Run(PlaceOptions options = {}) { report_ = Place(g_, devices_, options); }
  std::string Error() { return report_.ok() ? "" : std::string(Message(report_.status())); }

  OpRegistry ops_;
  Graph g_{ops_};
  std::vector<DeviceInfo> devices_;
  StatusOr<PlacementReport> report_ = absl::UnknownError("not run");
  uint32_t line_ = 0;
};

TEST_F(PlacerTest, PrefersGpuZeroWhereAKernelExists) {
  Output a = Source("a"), b = Add("Both", "b", {a}), c = Add("CpuOnly", "c", {b});
  Output i = Source("i", DType::kInt32), j = Add("Both", "j", {i});
  Run();
  EXPECT_EQ(At(a), "GPU:0");
  EXPECT_EQ(At(b), "GPU:0");
  EXPECT_EQ(At(c), "CPU:0");
  EXPECT_EQ(At(i), "GPU:0");
  EXPECT_EQ(At(j), "CPU:0");
  EXPECT_EQ(Of(b).reason, "GPU kernel");
  EXPECT_EQ(Of(c).reason, "no GPU kernel");
  EXPECT_FALSE(Of(c).moved);
  Devices("cpu:2");
  Run();
  EXPECT_EQ(At(a), "CPU:0");
  EXPECT_EQ(Of(a).reason, "no GPU");
}

TEST_F(PlacerTest, AttributesDecideToo) {
  Output a = Source("a"), yes = Add("Nhwc", "yes", {a}),
         no = Add("Nhwc", "no", {a}, "", {{"format", "NCHW"}});
  Run();
  EXPECT_EQ(At(yes), "GPU:0");
  EXPECT_EQ(At(no), "CPU:0");
}

TEST_F(PlacerTest, HonoursFullAndPartialRequests) {
  Output a = Source("a", DType::kFloat32, "/cpu:0"), b = Source("b", DType::kFloat32, "/gpu:1");
  Output c = Source("c", DType::kFloat32, "/job:localhost"),
         d = Source("d", DType::kFloat32, "/device:GPU:*");
  Output e = Source("e", DType::kFloat32, "/job:localhost/replica:0/task:0/device:gpu:1");
  Output f = Add("CpuOnly", "f", {a}, "/job:localhost/task:0");
  Run();
  EXPECT_EQ(At(a), "CPU:0");
  EXPECT_EQ(At(b), "GPU:1");
  EXPECT_EQ(At(c), "GPU:0");
  EXPECT_EQ(At(d), "GPU:0");
  EXPECT_EQ(At(e), "GPU:1");
  EXPECT_EQ(At(f), "CPU:0");
  EXPECT_EQ(Of(b).reason, "requested");
}

TEST_F(PlacerTest, InnerScopeWinsOverOuter) {
  DeviceScope outer(g_, "/gpu:1");
  Output a = Source("a");
  Output b;
  {
    DeviceScope inner(g_, "/cpu:0");
    b = Source("b");
  }
  Run();
  EXPECT_EQ(At(a), "GPU:1");
  EXPECT_EQ(At(b), "CPU:0");
}

TEST_F(PlacerTest, DefaultDeviceIsForNodesWithoutRequest) {
  Output a = Source("a"), b = Add("CpuOnly", "b", {a}), c = Source("c", DType::kFloat32, "/gpu:0");
  Run({.default_device = 2});
  EXPECT_EQ(At(a), "GPU:1");
  EXPECT_EQ(Of(a).reason, "default device");
  EXPECT_EQ(At(b), "CPU:0");
  EXPECT_EQ(At(c), "GPU:0");
}

// A variable, what initialises and reads it, as Variable() builds them.
TEST_F(PlacerTest, VariableIsPlacedWithItsAssignsAndReads) {
  Output initial = Source("w/initial_value"), w = Var("w");
  Output assign = Add("Assign", "w/Assign", {w, initial});
  Output read = Add("Both", "w/read", {w}, "", With("w"));
  Output update =
      Add("ApplySparse", "update", {assign, read});  // a chain of refs; only a CPU kernel
  Run();
  ASSERT_TRUE(report_.ok()) << report_.status();
  for (const Output& o : {w, assign, read, update}) EXPECT_EQ(At(o), "CPU:0") << o.name();
  EXPECT_EQ(At(initial), "GPU:0");  // the initial value does not follow the variable
  EXPECT_EQ(Of(w).reason, "no GPU kernel for update");
  EXPECT_EQ(Of(assign).reason, "with w");
}

TEST_F(PlacerTest, ReadByValueDoesNotFollowTheVariable) {
  Output w = Var("w"), read = Add("CpuOnly", "read", {w});
  Run();
  EXPECT_EQ(At(w), "GPU:0");
  EXPECT_EQ(At(read), "CPU:0");
}

TEST_F(PlacerTest, RequestOfOneMemberIsTheGroups) {
  Output w = Var("w");
  Add("Assign", "assign", {w, Source("v")}, "/device:GPU:1");
  Output part = Add("Both", "part", {w}, "/job:localhost", With("w"));
  Run();
  EXPECT_EQ(At(w), "GPU:1");
  EXPECT_EQ(At(part), "GPU:1");
  EXPECT_EQ(Of(w).reason, "with assign");
  EXPECT_EQ(Of(part).reason, "requested");
}

TEST_F(PlacerTest, GroupNamesNeedNoNode) {
  Output a = Add("CpuOnly", "a", {Source("s")}, "", With("group")), b = Source("b");
  Output c = Add("Both", "c", {b}, "", With("group")), d = Add("Both", "d", {b}, "", With("d"));
  Run();
  EXPECT_EQ(At(c), At(a));
  EXPECT_EQ(At(c), "CPU:0");
  EXPECT_EQ(At(d), "GPU:0");  // a group of its own
}

TEST_F(PlacerTest, ColocationMayNameALaterNode) {
  Output s = Source("s"), a = Add("Both", "a", {s}, "", With("b")), b = Add("CpuOnly", "b", {s});
  Run();
  EXPECT_EQ(At(a), "CPU:0");
  EXPECT_EQ(At(b), "CPU:0");
}

TEST_F(PlacerTest, ContradictionNamesBothNodes) {
  Var("w", DType::kFloat32, "/gpu:0");
  Add("Both", "r", {Source("s")}, "/cpu:0", With("w"));
  Run();
  EXPECT_EQ(report_.status().code(), absl::StatusCode::kInvalidArgument);
  for (const char* part : {"Cannot assign a device to node 'r'", "'w'", "/device:GPU:0",
                           "/device:CPU:0", "tour.cpp:1", "tour.cpp:3", "Cannot colocate nodes"}) {
    EXPECT_THAT(Error(), HasSubstr(part));
  }
  Run({.allow_soft_placement = true});
  Output w{g_.FindNode("w"), 0}, r{g_.FindNode("r"), 0};
  EXPECT_EQ(At(w), "GPU:0");  // the group follows the first
  EXPECT_EQ(At(r), "GPU:0");
  EXPECT_TRUE(Of(r).moved);
  EXPECT_EQ(Of(r).reason, "moved: 'w' asks for '/device:GPU:0' and is placed with it");
}

// The specification's program: an int32 variable asked onto the GPU.
TEST_F(PlacerTest, IntVariableOnGpu) {
  Output initial, w, assign, read;
  {
    DeviceScope gpu(g_, "/gpu:0");
    initial = Source("a_gpu/initial_value", DType::kInt32);
    w = Var("a_gpu", DType::kInt32);
    assign = Add("Assign", "a_gpu/Assign", {w, initial});
    read = Add("Both", "a_gpu/read", {w}, "", With("a_gpu"));
  }
  Run();
  ASSERT_EQ(report_.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(
      Error(),
      HasSubstr("Cannot assign a device to node 'a_gpu': Could not satisfy explicit device "
                "specification '/device:GPU:0' because no supported kernel for GPU devices is "
                "available."));
  EXPECT_THAT(Error(), HasSubstr("float16, float32, float64"));
  EXPECT_THAT(Error(), HasSubstr("tour.cpp:2"));
  EXPECT_THAT(Error(), HasSubstr("a_gpu/Assign, a_gpu/read"));
  EXPECT_LT(StrSplit(Error(), '\n').size(), 30u);

  Run({.allow_soft_placement = true});
  ASSERT_TRUE(report_.ok()) << report_.status();
  for (const Output& o : {w, assign, read}) {
    EXPECT_EQ(At(o), "CPU:0") << o.name();
    EXPECT_TRUE(Of(o).moved);
    EXPECT_EQ(Of(o).requested, "/device:GPU:0");
    EXPECT_THAT(Of(o).reason, HasSubstr("no kernel for GPU devices with dtype=int32"));
  }
  EXPECT_EQ(At(initial), "GPU:0");
  ASSERT_EQ(report_->MovedLines().size(), 3u);
  EXPECT_THAT(report_->MovedLines()[0],
              HasSubstr("a_gpu: moved from /device:GPU:0 to "
                        "/job:localhost/replica:0/task:0/device:CPU:0: node 'a_gpu'"));
}

TEST_F(PlacerTest, HardRequestForACpuOnlyOp) {  // T2
  Output s = Source("s"), op = Add("CpuOnly", "op", {s}, "/gpu:0");
  Run();
  EXPECT_THAT(Error(), HasSubstr("no supported kernel for GPU devices is available"));
  EXPECT_THAT(Error(), HasSubstr("op 'CpuOnly' has no kernel for GPU devices, only for CPU"));
  EXPECT_THAT(Error(), HasSubstr("tour.cpp:2"));
  EXPECT_LT(StrSplit(Error(), '\n').size(), 30u);
  Run({.allow_soft_placement = true});
  EXPECT_EQ(At(op), "CPU:0");
  EXPECT_EQ(report_->MovedLines().size(), 1u);
}

TEST_F(PlacerTest, MissingIndex) {  // T3
  Devices("cpu:1,gpu:1");
  Output s = Source("s"), a = Add("Both", "a", {s}, "/gpu:7"),
         b = Add("CpuOnly", "b", {s}, "/gpu:7");
  Output c = Add("Both", "c", {s}, "/cpu:3");
  Run();
  EXPECT_EQ(report_.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(
      Error(),
      HasSubstr(
          "Cannot assign a device for operation a: node a (defined at tour.cpp:2) was explicitly "
          "assigned to /device:GPU:7 but available devices are [ "
          "/job:localhost/replica:0/task:0/device:CPU:0, "
          "/job:localhost/replica:0/task:0/device:GPU:0 ]. Make sure the device specification "
          "refers to a valid device."));
  EXPECT_THAT(Error(), HasSubstr("[[a]]"));
  Run({.allow_soft_placement = true});
  EXPECT_EQ(At(a), "GPU:0");  // the same type first
  EXPECT_EQ(At(b), "CPU:0");  // then what has a kernel
  EXPECT_EQ(At(c), "CPU:0");
  EXPECT_EQ(Of(a).reason, "moved: there is no /device:GPU:7");
}

TEST_F(PlacerTest, MissingJobIsAnErrorEvenWithSoftPlacement) {
  Source("s", DType::kFloat32, "/job:worker/task:1");
  Run({.allow_soft_placement = true});
  EXPECT_THAT(Error(),
              HasSubstr("was explicitly assigned to /job:worker/task:1 but available devices are"));
}

TEST_F(PlacerTest, GpuAbsentSaysWhereToLook) {
  Devices("cpu:1");
  Source("c", DType::kFloat32, "/gpu:0");
  Run();
  EXPECT_THAT(Error(), HasSubstr("headrace devices"));
  Run({.allow_soft_placement = true});
  EXPECT_TRUE(report_.ok());
}

TEST_F(PlacerTest, NoKernelAnywhere) {
  Devices("cpu:1");
  Output s = Source("s");
  Add("GpuOnly", "g", {s});
  Run({.allow_soft_placement = true});
  EXPECT_THAT(Error(),
              HasSubstr("Cannot assign a device to node 'g': no supported kernel for CPU devices"));
  EXPECT_THAT(Error(), HasSubstr("tour.cpp:2"));
}

TEST_F(PlacerTest, GroupWithoutCommonDevice) {
  Output w = Var("w"), s = Source("s");
  Add("ApplySparse", "on_cpu", {w, s});
  Add("GpuApply", "on_gpu", {w, s});
  Run({.allow_soft_placement = true});
  EXPECT_THAT(
      Error(),
      HasSubstr(
          "Cannot colocate nodes 'w' and 'on_cpu' because no device type supports both of those "
          "nodes and the other nodes colocated with them."));
  EXPECT_THAT(Error(), HasSubstr("node 'on_gpu' (defined at tour.cpp:4)"));
  EXPECT_THAT(Error(), HasSubstr("node 'on_cpu' (defined at tour.cpp:3)"));
}

TEST_F(PlacerTest, ErrorsStayShort) {
  Output w = Var("w", DType::kInt32, "/gpu:0");
  for (int i = 0; i < 200; ++i) Add("Both", StrCat("r", i).c_str(), {w}, "", With("w"));
  Run();
  EXPECT_LT(StrSplit(Error(), '\n').size(), 30u);
  EXPECT_LT(Error().size(), 1500u);
  EXPECT_THAT(Error(), HasSubstr("and 188 more"));
}

TEST_F(PlacerTest, SeveralTasks) {
  std::vector<DeviceInfo> all;
  const std::vector<DeviceInfo> one = *DeviceSet::Imagine("cpu:1,gpu:1");
  for (const auto& [job, task] : {std::pair("worker", 0), std::pair("ps", 0), std::pair("ps", 1)}) {
    for (DeviceInfo info : one) {
      info.name.job = job;
      info.name.task = task;
      all.push_back(info);
    }
  }
  devices_ = all;
  Output a = Source("a"), b = Source("b", DType::kFloat32, "/job:ps/task:1/cpu:0"),
         c = Source("c", DType::kFloat32, "/job:ps");
  Output d = Add("CpuOnly", "d", {a}, "/job:ps/task:1/gpu:0"),
         e = Source("e", DType::kFloat32, "/cpu:0");
  Run({.allow_soft_placement = true});
  ASSERT_TRUE(report_.ok()) << report_.status();
  EXPECT_EQ(report_->DeviceOf(*a.node), "/job:worker/replica:0/task:0/device:GPU:0");
  EXPECT_EQ(report_->DeviceOf(*b.node), "/job:ps/replica:0/task:1/device:CPU:0");
  EXPECT_EQ(report_->DeviceOf(*c.node), "/job:ps/replica:0/task:0/device:GPU:0");
  EXPECT_EQ(report_->DeviceOf(*d.node),
            "/job:ps/replica:0/task:1/device:CPU:0");  // stays in its task
  EXPECT_EQ(report_->DeviceOf(*e.node), "/job:worker/replica:0/task:0/device:CPU:0");
}

TEST_F(PlacerTest, LogLinesHaveTensorFlowsOrder) {
  Output a = Source("a");
  Var("w");
  Add("Both", "b", {a});
  Source("c");
  Run();
  const std::string gpu = "/job:localhost/replica:0/task:0/device:GPU:0";
  EXPECT_THAT(report_->LogLines(), ElementsAre("w: (Var): " + gpu, "b: (Both): " + gpu,
                                               "a: (Source): " + gpu, "c: (Source): " + gpu));
  EXPECT_EQ(report_->LogLines(2).size(), 2u);
}

TEST_F(PlacerTest, ExtensionPlacesNewNodesOnly) {  // T4
  Output a = Source("a"), w = Var("w", DType::kFloat32, "/gpu:1");
  Run();
  const int before = g_.num_nodes();
  Output assign = Add("Assign", "assign", {w, a}), read = Add("Both", "read", {w}, "", With("w"));
  Output c = Add("CpuOnly", "c", {a});
  ASSERT_TRUE(ExtendPlacement(*report_, g_).ok());
  EXPECT_EQ(At(assign), "GPU:1");
  EXPECT_EQ(At(read), "GPU:1");
  EXPECT_EQ(Of(read).reason, "with w");
  EXPECT_EQ(At(c), "CPU:0");
  EXPECT_EQ(report_->LogLines(before).size(), 3u);
  ASSERT_TRUE(ExtendPlacement(*report_, g_).ok());
  EXPECT_TRUE(report_->LogLines(g_.num_nodes()).empty());
}

TEST_F(PlacerTest, ExtensionKeepsWhatWasPlaced) {
  Output a = Source("a"), w = Var("w");
  Run();
  EXPECT_EQ(At(w), "GPU:0");
  const int before = g_.num_nodes();
  Add("ApplySparse", "update", {w, a});
  Status status = ExtendPlacement(*report_, g_);
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  for (const char* part : {"'update'", "'w'", "GPU:0", "tour.cpp:3", "has no kernel for GPU",
                           "before the first run"}) {
    EXPECT_THAT(std::string(Message(status)), HasSubstr(part));
  }
  EXPECT_EQ(static_cast<int>(report_->nodes.size()), before);
}

TEST_F(PlacerTest, ExtensionAndRequests) {
  Output a = Source("a"), w = Var("w");
  Run();
  Output x = Add("Assign", "x", {w, a}, "/cpu:0");
  EXPECT_THAT(std::string(Message(ExtendPlacement(*report_, g_))),
              HasSubstr("asks for '/device:CPU:0' but must share"));
  ASSERT_TRUE(ExtendPlacement(*report_, g_, {.allow_soft_placement = true}).ok());
  EXPECT_EQ(At(x), "GPU:0");
  EXPECT_TRUE(Of(x).moved);
}

TEST_F(PlacerTest, ExtensionRemembersGroupNames) {
  Output s = Source("s"), a = Add("CpuOnly", "a", {s}, "", With("group"));
  Run();
  Output b = Add("Both", "b", {s}, "", With("group"));
  ASSERT_TRUE(ExtendPlacement(*report_, g_).ok());
  EXPECT_EQ(At(b), "CPU:0");
  EXPECT_EQ(At(a), "CPU:0");
}

TEST_F(PlacerTest, CrossingBytesCountsAValueOnceForEachDevice) {
  Output w = Add("Var", "w", {}, "/gpu:0", {{"dtype", DType::kFloat32}});
  ASSERT_TRUE(g_.RefineShape(w, {10, 10}).ok());
  Output a = Add("Both", "a", {w}, "/cpu:0");
  Add("Both", "b", {w}, "/cpu:0");
  Add("Both", "c", {w}, "/gpu:1");
  ASSERT_TRUE(g_.RefineShape(a, {10, 10}).ok());
  Add("Both", "d", {a}, "/gpu:0");
  Add("Both", "e", {Source("unknown", DType::kFloat32, "/gpu:0")},
      "/cpu:0");  // shape not known: left out
  Run();
  EXPECT_EQ(report_->CrossingBytes(), 3 * 400);
}

TEST_F(PlacerTest, TableAndJson) {
  Add("CpuOnly", "op", {Source("a_long_name", DType::kInt32)}, "/gpu:0");
  Run({.allow_soft_placement = true});
  const std::string table = report_->ToString();
  const std::vector<std::string_view> lines = StrSplit(table, '\n');
  EXPECT_EQ(lines[0], "node         op       requested      assigned       reason");
  EXPECT_EQ(lines[1], "a_long_name  Source                  /device:GPU:0  GPU kernel");
  EXPECT_THAT(std::string(lines[2]),
              HasSubstr("op           CpuOnly  /device:GPU:0  /device:CPU:0  moved: "));
  EXPECT_THAT(table, HasSubstr("/device:GPU:0: 1 node\n"));
  EXPECT_THAT(table, HasSubstr("1 moved, 0 B cross between devices"));
  const nlohmann::json json = nlohmann::json::parse(report_->ToJson());
  EXPECT_EQ(json["devices"].size(), 3u);
  EXPECT_EQ(json["nodes"][1]["node"], "op");
  EXPECT_EQ(json["nodes"][1]["requested"], "/device:GPU:0");
  EXPECT_EQ(json["nodes"][1]["assigned"], "/job:localhost/replica:0/task:0/device:CPU:0");
  EXPECT_TRUE(json["nodes"][1]["moved"]);
  EXPECT_EQ(json["crossing_bytes"], 0);
}

TEST_F(PlacerTest, NoDevices) {
  Source("a");
  devices_.clear();
  Run();
  EXPECT_EQ(report_.status().code(), absl::StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace headrace
