// Expected names were taken from TensorFlow 1.15 running the same sequence of calls.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "headrace/base/strings.h"
#include "headrace/graph/graph.h"
#include "headrace/graph/testing/test_ops.h"

namespace headrace {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::TestOps;

class ScopesTest : public ::testing::Test {
 protected:
  Graph g_{TestOps()};

  Node* Op(std::string_view name) { return NodeBuilder(g_, "NoOp", name, Location()).BuildNode(); }
  std::string Name(std::string_view name) { return Op(name)->name(); }
  std::string Device(std::string_view device = "") {
    return NodeBuilder(g_, "NoOp", "", Location()).Device(device).BuildNode()->requested_device();
  }
};

TEST_F(ScopesTest, NamesAreCountedWithoutRegardToCase) {
  EXPECT_EQ(Name(""), "NoOp");
  EXPECT_EQ(Name(""), "NoOp_1");
  EXPECT_EQ(Name("noop"), "noop_2");
  EXPECT_EQ(Name("a"), "a");
  EXPECT_EQ(Name("a_1"), "a_1");
  EXPECT_EQ(Name("a"), "a_2");
  EXPECT_EQ(Name("a_1"), "a_1_1");
  EXPECT_EQ(Name("A"), "A_3");
}

TEST_F(ScopesTest, ScopesNestAndAreMadeUnique) {
  {
    NameScope s(g_, "s");
    EXPECT_EQ(Name("a"), "s/a");
    EXPECT_EQ(Name("a"), "s/a_1");
    NameScope t(g_, "t");
    EXPECT_EQ(Name("a"), "s/t/a");
  }
  EXPECT_EQ(g_.name_scope(), "");
  {
    NameScope s(g_, "s");
    EXPECT_EQ(g_.name_scope(), "s_1");
    EXPECT_EQ(Name("a"), "s_1/a");
  }
  EXPECT_EQ(Name("s"), "s_2");  // an op shares the counters of scopes
}

TEST_F(ScopesTest, AFinalSlashReentersAndNothingGoesToTheTop) {
  NameScope s(g_, "s");
  {
    NameScope again(g_, "s/");
    EXPECT_EQ(Name("a"), "s/a");
  }
  {
    NameScope top(g_, "");
    EXPECT_EQ(Name("a"), "a");
  }
  {
    NameScope deep(g_, "x/y");
    EXPECT_EQ(Name("a"), "s/x/y/a");
  }
  EXPECT_EQ(Name("s/"), "s");  // the op takes the name of the scope itself
}

TEST_F(ScopesTest, BadScopeNamesAreErrors) {
  { NameScope s(g_, "a b"); }
  EXPECT_THAT(std::string(Message(g_.status())), HasSubstr("'a b' is not a valid scope name"));
}

TEST_F(ScopesTest, InnerDeviceWinsPartByPart) {
  EXPECT_EQ(Device(), "");
  DeviceScope outer(g_, "/job:ps/task:1/cpu:0");
  EXPECT_EQ(Device(), "/job:ps/task:1/device:CPU:0");
  {
    DeviceScope inner(g_, "/gpu:1");
    EXPECT_EQ(Device(), "/job:ps/task:1/device:GPU:1");
    EXPECT_EQ(Device("/job:worker"), "/job:worker/task:1/device:GPU:1");
    DeviceScope none(g_, nullptr);
    EXPECT_EQ(Device(), "");
  }
  EXPECT_EQ(Device(), "/job:ps/task:1/device:CPU:0");
}

TEST_F(ScopesTest, BadDevicesAreErrorsWithTheirPlace) {
  { DeviceScope s(g_, "/foo:0", Location::Of("net.cpp", 12)); }
  EXPECT_THAT(std::string(Message(g_.status())),
              HasSubstr("device scope (net.cpp:12): Unknown attribute: 'foo'"));
}

TEST_F(ScopesTest, ControlDependenciesAddUp) {
  Node *a = Op("a"), *b = Op("b");
  ControlDependencies outer(g_, {a});
  {
    ControlDependencies inner(g_, {b, a, b});
    EXPECT_THAT(Op("c")->control_inputs(), ElementsAre(a, b));
    ControlDependencies none(g_, nullptr);
    EXPECT_THAT(Op("d")->control_inputs(), IsEmpty());
  }
  EXPECT_THAT(Op("e")->control_inputs(), ElementsAre(a));
}

TEST_F(ScopesTest, WhatAnInputImpliesIsNotRecorded) {
  Output x = testing::MakePlaceholder(g_, DType::kFloat32, {}, "x");
  Output y = testing::MakePlaceholder(g_, DType::kFloat32, {}, "y");
  ControlDependencies after(g_, {x});
  EXPECT_THAT(testing::MakeOp(g_, "Relu", {x}, "direct").node->control_inputs(), IsEmpty());
  Output inside = testing::MakeOp(g_, "Relu", {y}, "inside");
  EXPECT_THAT(inside.node->control_inputs(), ElementsAre(x.node));
  EXPECT_THAT(testing::MakeOp(g_, "Relu", {inside}, "through").node->control_inputs(), IsEmpty());
  Output outside;
  {
    ControlDependencies none(g_, nullptr);
    outside = testing::MakeOp(g_, "Relu", {y}, "outside");
  }
  EXPECT_THAT(testing::MakeOp(g_, "Relu", {outside}, "again").node->control_inputs(),
              ElementsAre(x.node));
}

TEST_F(ScopesTest, ColocationNamesTheGroupAndTakesItsDevice) {
  DeviceScope device(g_, "/gpu:0");
  Node* v = Op("v");
  DeviceScope other(g_, "/cpu:0");
  {
    ColocateWith with(g_, *v);
    Node* first = Op("first");
    EXPECT_THAT(first->colocation(), ElementsAre("v"));
    EXPECT_EQ(first->attrs().Find("_class")->ToString(), "[\"loc:@v\"]");
    EXPECT_EQ(first->requested_device(), "/device:GPU:0");
    ColocateWith through(g_, *first);  // the group of v, not one of its own
    EXPECT_THAT(Op("second")->colocation(), ElementsAre("v"));
  }
  EXPECT_EQ(Op("after")->requested_device(), "/device:CPU:0");
}

TEST_F(ScopesTest, ColocationAloneForgetsTheDeviceScope) {
  Node* v = Op("v");
  DeviceScope device(g_, "/gpu:0");
  ColocateWith with(g_, *v);
  EXPECT_EQ(Op("u")->requested_device(), "");
}

}  // namespace
}  // namespace headrace
