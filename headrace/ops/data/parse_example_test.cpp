#include "headrace/ops/data/parse_example.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "headrace/base/strings.h"
#include "headrace/io/example_builder.h"
#include "headrace/ops/array/constant.h"
#include "headrace/ops/data/example_parser.h"
#include "headrace/ops/testing/graph_runner.h"

namespace headrace {
namespace {

using ::testing::ElementsAre;
using ::testing::ElementsAreArray;
using ::testing::HasSubstr;

const std::vector<std::string> kNoNames;

std::string Row(int64_t i) {
  ExampleBuilder builder;
  std::vector<int64_t> several(static_cast<size_t>(i % 4), i);
  builder.Add("x", static_cast<float>(i)).Add("several", several).Add("text", StrCat("t", i));
  return builder.Take();
}

ExampleSpec Spec() {
  return {.sparse = {{"several", DType::kInt64}},
          .dense = {{"x", DType::kFloat32, Shape(), Tensor(DType::kFloat32, {0})},
                    {"text", DType::kString, Shape(), Tensor::Scalar(std::string("none"))}}};
}

TEST(ExampleParser, GivesTheSameForAnyNumberOfThreads) {
  std::vector<std::string> rows;
  for (int64_t i = 0; i < 3000; ++i) rows.push_back(Row(i));
  const ExampleParser parser = ExampleParser::Make(Spec()).value();
  WorkerPool one(1), four(4);
  testing::GraphRunner runner;
  Allocator& allocator = runner.cpu().allocator();
  const ParsedExamples a = parser.Parse(rows, kNoNames, one, allocator).value();
  const ParsedExamples b = parser.Parse(rows, kNoNames, four, allocator).value();
  EXPECT_THAT(a.values[0].flat<int64_t>(), ElementsAreArray(b.values[0].flat<int64_t>()));
  EXPECT_THAT(a.indices[0].flat<int64_t>(), ElementsAreArray(b.indices[0].flat<int64_t>()));
  EXPECT_THAT(a.dense[1].flat<std::string>(), ElementsAreArray(b.dense[1].flat<std::string>()));
  EXPECT_EQ(a.dense[0].data<float>()[2999], 2999.0f);
  EXPECT_THAT(a.shapes[0].flat<int64_t>(), ElementsAre(3000, 3));
}

TEST(ExampleParser, ErrorIsThatOfTheFirstWrongExample) {
  std::vector<std::string> rows(5000, Row(1));
  ExampleBuilder wrong;
  rows[1200] = wrong.Add("x", int64_t{1}).Take();
  rows[4000] = "\x0a\x7f";
  WorkerPool four(4);
  testing::GraphRunner runner;
  const auto parsed =
      ExampleParser::Make(Spec())->Parse(rows, kNoNames, four, runner.cpu().allocator());
  EXPECT_THAT(std::string(Message(parsed.status())),
              HasSubstr("Name: <unknown>, Key: x, Index: 1200.  Data types don't match."));
}

TEST(ExampleParser, LastOfTwoFeaturesOfOneNameHolds) {
  ExampleBuilder builder;
  const std::string row = builder.Add("x", 1.0f).Add("x", 2.0f).Take();
  WorkerPool one(1);
  testing::GraphRunner runner;
  const auto parsed = ExampleParser::Make(Spec())->ParseOne(row, one, runner.cpu().allocator());
  ASSERT_TRUE(parsed.ok()) << parsed.status();
  EXPECT_EQ(parsed->dense[0].scalar<float>(), 2.0f);
  EXPECT_EQ(parsed->dense[1].scalar<std::string>(), "none");
}

TEST(ExampleParser, RefusesFeaturesThatCannotBe) {
  const auto message = [](ExampleSpec spec) {
    return std::string(Message(ExampleParser::Make(std::move(spec)).status()));
  };
  EXPECT_THAT(message({.sparse = {{"a", DType::kInt64}}, .dense = {{"a", DType::kInt64, Shape()}}}),
              HasSubstr("the key 'a' is asked for twice"));
  EXPECT_THAT(message({.dense = {{"a", DType::kInt64, PartialShape()}}}),
              HasSubstr("unknown rank"));
  EXPECT_THAT(message({.dense = {{"a", DType::kInt64, {2, -1}}}}), HasSubstr("unknown inner"));
  EXPECT_THAT(message({.dense = {{"a", DType::kInt64, {2}, Tensor::Of<int64_t>({1, 2, 3})}}}),
              HasSubstr("def_value[0].shape() == [3] is not compatible"));
  EXPECT_THAT(message({.dense = {{"a", DType::kInt64, {-1}, Tensor::Of<int64_t>({1, 2})}}}),
              HasSubstr("must contain a single element"));
}

TEST(ParseExample, BuilderAndKernelAgree) {
  Graph g;
  const Output rows = Const(g, Tensor::Of<std::string>({Row(2), Row(3)}));
  const ExampleTensors parsed = ParseExample(
      rows, {.sparse = {{"several", DType::kInt64}},
             .dense = {{"x", DType::kFloat32, Shape()},
                       {"more", DType::kInt64, {2}, Const(g, Tensor::Of<int64_t>({7, 8}))}}});
  ASSERT_TRUE(g.status().ok()) << g.status();
  EXPECT_EQ(parsed.dense[1].shape().ToString(), "[2,2]");
  testing::GraphRunner runner;
  const auto out = runner.Run({parsed.sparse[0].values, parsed.dense[0], parsed.dense[1]});
  ASSERT_TRUE(out.ok()) << out.status();
  EXPECT_THAT((*out)[0].flat<int64_t>(), ElementsAre(2, 2, 3, 3, 3));
  EXPECT_THAT((*out)[1].flat<float>(), ElementsAre(2, 3));
  EXPECT_THAT((*out)[2].flat<int64_t>(), ElementsAre(7, 8, 7, 8));
}

TEST(ParseExample, SingleExampleHasNoBatch) {
  Graph g;
  const ExampleTensors parsed = ParseSingleExample(
      Const(g, Row(3)),
      {.sparse = {{"several", DType::kInt64}}, .dense = {{"x", DType::kFloat32, Shape()}}});
  testing::GraphRunner runner;
  const auto out = runner.Run({parsed.sparse[0].indices, parsed.sparse[0].shape, parsed.dense[0]});
  ASSERT_TRUE(out.ok()) << out.status();
  EXPECT_EQ((*out)[0].shape().ToString(), "[3,1]");
  EXPECT_THAT((*out)[1].flat<int64_t>(), ElementsAre(3));
  EXPECT_EQ((*out)[2].rank(), 0);
}

// A SequenceExample by hand: its lists are a map from names to messages whose field 1 are features.
std::string Sequence(std::string_view name, const std::vector<std::string>& features) {
  const auto field = [](char tag, std::string_view bytes) {
    return StrCat(std::string(1, tag), std::string(1, static_cast<char>(bytes.size())), bytes);
  };
  std::string list;
  for (const std::string& feature : features) list += field('\x0a', feature);
  return field('\x12', field('\x0a', field('\x0a', name) + field('\x12', list)));
}
const std::string kFive = "\x1a\x03\x0a\x01\x05", kSix = "\x1a\x03\x0a\x01\x06";  // Int64Lists

TEST(ParseSequenceExample, PadsListsOfABatch) {
  Graph g;
  const SequenceTensors parsed = ParseSequenceExample(
      Const(g, Tensor::Of<std::string>(
                   {Sequence("l", {kFive, kSix}), Sequence("l", {kSix}), std::string()})),
      {.dense_lists = {{"l", DType::kInt64, Shape(), true}}});
  testing::GraphRunner runner;
  const auto out = runner.Run({parsed.lists.dense[0], parsed.lengths[0]});
  ASSERT_TRUE(out.ok()) << out.status();
  EXPECT_THAT((*out)[0].flat<int64_t>(), ElementsAre(5, 6, 6, 0, 0, 0));
  EXPECT_THAT((*out)[1].flat<int64_t>(), ElementsAre(2, 1, 0));
}

TEST(ParseSequenceExample, NamesTheStepThatIsWrong) {
  Graph g;
  const SequenceTensors parsed =
      ParseSingleSequenceExample(Const(g, Sequence("l", {kFive,
                                                         "\x12\x06\x0a\x04"
                                                         "abcd"})),
                                 {.dense_lists = {{"l", DType::kInt64, Shape()}}});
  testing::GraphRunner runner;
  EXPECT_THAT(
      std::string(Message(runner.Run({parsed.lists.dense[0]}).status())),
      HasSubstr("Feature list: l, Index: 1.  Data types don't match. Expected type: int64"));
}

}  // namespace
}  // namespace headrace
