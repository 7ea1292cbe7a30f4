#include "headrace/graph/op_def.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "headrace/base/strings.h"
#include "headrace/graph/graph.h"
#include "headrace/graph/testing/test_ops.h"

namespace headrace {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::MakeOp;
using testing::MakePlaceholder;
using testing::TestOps;

TEST(OpDef, ArgumentsNameAnAttributeOrADtype) {
  OpRegistry ops;
  OpDef& op = ops.Define("Mixed");
  op.TypeAttr("T", kFloatTypes)
      .Attr("Tout", AttrKind::kTypeList)
      .Attr("N", AttrKind::kInt)
      .Input("x", "T")
      .Input("axis", "int32")
      .InputList("more", "T", "N")
      .RefInput("v", "T")
      .Input("late", "Tlater")
      .Output("y", "Tout")
      .RefOutput("r", "float32")
      .OutputList("z", "T", "N")
      .Attr("Tlater", AttrKind::kTypeList);
  ASSERT_EQ(op.inputs().size(), 5u);
  EXPECT_EQ(op.inputs()[0].type_attr, "T");
  EXPECT_EQ(op.inputs()[1].dtype, DType::kInt32);
  EXPECT_EQ(op.inputs()[2].number_attr, "N");
  EXPECT_TRUE(op.inputs()[3].is_ref);
  EXPECT_EQ(op.inputs()[4].type_list_attr, "Tlater");
  EXPECT_EQ(op.inputs()[4].type_attr, "");
  EXPECT_EQ(op.outputs()[0].type_list_attr, "Tout");
  EXPECT_TRUE(op.outputs()[1].is_ref);
  EXPECT_EQ(op.outputs()[1].dtype, DType::kFloat32);
  EXPECT_EQ(op.outputs()[2].number_attr, "N");
}

TEST(OpDef, FlatPositionsFindTheirArgument) {
  OpRegistry ops;
  OpDef& op = ops.Define("Lists")
                  .TypeAttr("T", kFloatTypes)
                  .Attr("N", AttrKind::kInt)
                  .Attr("L", AttrKind::kTypeList)
                  .InputList("a", "T", "N")
                  .Input("b", "T")
                  .Input("c", "L")
                  .Output("y", "L");
  const AttrMap attrs{{"N", 2}, {"L", AttrValue::Types{DType::kInt32, DType::kString}}};
  std::vector<std::string> names;
  for (int i = 0; i < 5; ++i) names.push_back(op.InputArg(attrs, i).name);
  EXPECT_THAT(names, ElementsAre("a", "a", "b", "c", "c"));
  const AttrMap none{{"N", 0}, {"L", AttrValue::Types{DType::kInt32}}};
  EXPECT_EQ(op.InputArg(none, 0).name, "b");
  EXPECT_EQ(op.InputArg(none, 1).name, "c");
  EXPECT_EQ(op.OutputArg(none, 0).name, "y");
}

TEST(OpDef, PropertiesAreWhatWasSaid) {
  OpRegistry ops;
  const OpDef& plain = ops.Define("Plain");
  EXPECT_FALSE(plain.stateful() || plain.commutative() || plain.no_gradient() || plain.blocking() ||
               plain.allows_uninitialized());
  const OpDef& op = ops.Define("Rich")
                        .TypeAttr("T", kFloatTypes, DType::kFloat32)
                        .StringAttr("mode", {"A", "B"}, "B")
                        .StringAttr("free", {})
                        .StringAttr("must", {"A"})
                        .Input("x", "T")
                        .Output("y", "T")
                        .NoGradient()
                        .Stateful()
                        .Commutative()
                        .AllowsUninitialized()
                        .Blocking()
                        .InPlace(0, 0)
                        .Forwards(0, 0)
                        .WritesVariable(0)
                        .Doc("Does much.");
  EXPECT_TRUE(op.stateful() && op.commutative() && op.no_gradient() && op.blocking() &&
              op.allows_uninitialized());
  EXPECT_THAT(op.in_place(), ElementsAre(std::pair(0, 0)));
  EXPECT_THAT(op.forwards(), ElementsAre(std::pair(0, 0)));
  EXPECT_THAT(op.written_variables(), ElementsAre(0));
  EXPECT_EQ(op.doc(), "Does much.");
  EXPECT_EQ(*op.FindAttr("T")->default_value, AttrValue(DType::kFloat32));
  EXPECT_EQ(*op.FindAttr("mode")->default_value, AttrValue("B"));
  EXPECT_EQ(*op.FindAttr("free")->default_value, AttrValue(""));
  EXPECT_FALSE(op.FindAttr("must")->default_value.has_value());
  EXPECT_EQ(op.FindAttr("none"), nullptr);
}

TEST(OpDef, SupportedTypesAreThoseOfAllEntries) {
  const OpDef* pool = TestOps().Find("Pool");
  EXPECT_EQ(pool->SupportedTypes("GPU", "T").ToString(), "float16, float32");
  EXPECT_TRUE(pool->SupportedTypes("CPU", "T").empty());
  EXPECT_TRUE(pool->support("TPU").empty());
  OpRegistry ops;
  const OpDef& free = ops.Define("Free").TypeAttr("T", kFloatTypes).Input("x", "T").Cpu({});
  EXPECT_EQ(free.SupportedTypes("CPU", "T"),
            kFloatTypes);  // not limited: all that the attribute allows
}

class FindSupportTest : public ::testing::Test {
 protected:
  Graph g_{TestOps()};
  std::string Reason(const Node& node, std::string_view device) {
    const auto found = FindSupport(node, device);
    return found.ok() ? "" : std::string(Message(found.status()));
  }
};

TEST_F(FindSupportTest, GivesTheEntryOrTheReason) {
  Output x = MakePlaceholder(g_, DType::kFloat32, {}), i = MakePlaceholder(g_, DType::kInt32, {});
  Node* floats = MakeOp(g_, "MatMul", {x, x}).node;
  Node* ints = MakeOp(g_, "MatMul", {i, i}).node;
  EXPECT_EQ(*FindSupport(*floats, "CPU"), &floats->op().support("CPU")[0]);
  EXPECT_TRUE(FindSupport(*floats, "GPU").ok());
  EXPECT_EQ(Reason(*ints, "GPU"),
            "op 'MatMul' has no kernel for GPU devices with T=int32 (supported: float32, float64)");
  EXPECT_EQ(Reason(*i.node, "GPU"), "op 'Placeholder' has no kernel for GPU devices");
  Node* pool = MakeOp(g_, "Pool", {x}, "", {{"padding", "SAME"}}).node;
  EXPECT_EQ(
      Reason(*pool, "GPU"),
      "op 'Pool' has no kernel for GPU devices with T=float32 (supported: float16); only NHWC");
  EXPECT_EQ(Reason(*pool, "CPU"), "op 'Pool' has no kernel for CPU devices");
}

TEST(OpRegistry, LooksUpByName) {
  OpRegistry ops;
  ops.Define("B");
  ops.Define("A");
  EXPECT_EQ(ops.Find("C"), nullptr);
  EXPECT_EQ((*ops.Lookup("A"))->name(), "A");
  EXPECT_EQ(ops.Lookup("Zzzzzz").status().code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(ops.All()[0]->name(), "A");
  EXPECT_EQ(ops.All()[1]->name(), "B");
}

TEST(OpRegistry, TheLibraryIsSound) {
  const std::vector<const OpDef*> all = OpRegistry::Global().All();
  EXPECT_FALSE(all.empty());
  for (const OpDef* op : all) {
    SCOPED_TRACE(op->name());
    EXPECT_TRUE(op->shape_fn() != nullptr || op->outputs().empty());
    EXPECT_FALSE(op->doc().empty());
    EXPECT_FALSE(op->support("CPU").empty());
    EXPECT_FALSE(op->gradient() != nullptr && op->no_gradient());
    for (const std::vector<ArgDef>* args : {&op->inputs(), &op->outputs()}) {
      for (const ArgDef& arg : *args) {
        // A name that is neither dtype nor attribute was a slip of the pen.
        for (const std::string* attr : {&arg.type_attr, &arg.type_list_attr, &arg.number_attr}) {
          EXPECT_TRUE(attr->empty() || op->FindAttr(*attr) != nullptr)
              << arg.name << " names '" << *attr << "'";
        }
        EXPECT_EQ(
            arg.type_attr.empty() + arg.type_list_attr.empty() + (arg.dtype == DType::kInvalid), 2)
            << arg.name;
      }
    }
    for (const char* device : {"CPU", "GPU"}) {
      for (const DeviceSupport& entry : op->support(device)) {
        EXPECT_TRUE(entry.make != nullptr || device == std::string("GPU"));
        for (const auto& [attr, types] : entry.types)
          EXPECT_NE(op->FindAttr(attr), nullptr) << attr;
        for (const std::string& name : entry.host_args) {
          auto named = [&](const ArgDef& arg) { return arg.name == name; };
          EXPECT_TRUE(std::ranges::any_of(op->inputs(), named) ||
                      std::ranges::any_of(op->outputs(), named))
              << name;
        }
      }
    }
  }
}

TEST(AttrValue, PrintsAndCompares) {
  EXPECT_EQ(AttrValue(true).ToString(), "true");
  EXPECT_EQ(AttrValue(AttrValue::Ints{1, 2}).ToString(), "[1,2]");
  EXPECT_EQ(AttrValue(AttrValue::Bools{true, false}).ToString(), "[true,false]");
  EXPECT_EQ(AttrValue(DType::kFloat32).ToString(), "DT_FLOAT");
  EXPECT_EQ(AttrValue("SAME").ToString(), "\"SAME\"");
  EXPECT_EQ(AttrValue(PartialShape{-1, 2}).ToString(), "[?,2]");
  EXPECT_EQ(AttrValue().ToString(), "(nothing)");
  auto attrs = std::make_shared<AttrMap>(AttrMap{{"T", DType::kInt32}});
  EXPECT_EQ(AttrValue(FunctionRef{"f", attrs}).ToString(), "f[T=DT_INT32]");
  EXPECT_EQ(AttrValue(FunctionRef{"f", attrs}),
            AttrValue(FunctionRef{"f", std::make_shared<AttrMap>(*attrs)}));
  EXPECT_FALSE(AttrValue(FunctionRef{"f", attrs}) == AttrValue(FunctionRef{"f", nullptr}));
  EXPECT_EQ(AttrValue(Tensor::Of<float>({1, 2})), AttrValue(Tensor::Of<float>({1, 2})));
  EXPECT_FALSE(AttrValue(Tensor::Of<float>({1, 2})) == AttrValue(Tensor::Of<float>({1, 3})));
  EXPECT_FALSE(AttrValue(Tensor::Of<float>({1, 2})) ==
               AttrValue(Tensor::Of<float>({1, 2}, {2, 1})));
  EXPECT_EQ(AttrValue(Tensor::Of<std::string>({"a"})), AttrValue(Tensor::Of<std::string>({"a"})));
  EXPECT_FALSE(AttrValue(1) == AttrValue(1.0f));
  EXPECT_EQ(AttrKindName(AttrValue(AttrValue::Types{}).kind()), "list(type)");
}

TEST(AttrMap, FindsAndSets) {
  AttrMap attrs{{"a", 1}};
  attrs.Set("b", "x");
  attrs.Set("a", 2);
  EXPECT_EQ(attrs.Get<int64_t>("a"), 2);
  EXPECT_EQ(attrs.GetOr<bool>("c", true), true);
  EXPECT_EQ(attrs.GetOr<bool>("a", true), true);  // of another kind
  attrs.Erase("a");
  attrs.Erase("none");
  EXPECT_FALSE(attrs.Has("a"));
  EXPECT_EQ(attrs.size(), 1u);
}

}  // namespace
}  // namespace headrace
