// Errors of the ops on strings, and what goldens cannot show; values are compared with TensorFlow's
// in tests/golden/ops/strings.json.
#include <gtest/gtest.h>

#include "headrace/ops/array/constant.h"
#include "headrace/ops/strings/encode.h"
#include "headrace/ops/strings/hash.h"
#include "headrace/ops/strings/join.h"
#include "headrace/ops/strings/parse.h"
#include "headrace/ops/strings/regex.h"
#include "headrace/ops/strings/text.h"
#include "headrace/ops/testing/op_harness.h"

namespace headrace {
namespace {

using testing::CheckOp;
using testing::CheckOpError;
using testing::Evaluate;
using testing::OpErrorCase;

Tensor Text(std::initializer_list<std::string> values) {
  return Tensor::Of<std::string>(values);
}
Tensor OneText(std::string value) {
  return Tensor::Scalar(std::move(value));
}
// Only the step can show what is wrong.
void FailsInStep(OpErrorCase c, Location where = Location::Current()) {
  c.at_build = false;
  CheckOpError(c, where);
}

TEST(StringText, IsMadeWithEveryKindOfKnowledge) {
  CheckOp({.op = "StringUpper", .inputs = {Text({"ab", ""})}, .expected = {Text({"AB", ""})}});
  CheckOp({.op = "Substr",
           .inputs = {Text({"abc", "def"}), Tensor::Scalar(1), Tensor::Scalar(1)},
           .expected = {Text({"b", "e"})}});
  CheckOp({.op = "AsString",
           .attrs = {{"precision", int64_t{1}}},
           .inputs = {Tensor::Of<float>({1.25f, -2})},
           .expected = {Text({"1.2", "-2.0"})}});
}

TEST(StringText, SaysWhatIsWrong) {
  const Tensor ints = Tensor::Of<int32_t>({1}), floats = Tensor::Of<float>({1});
  FailsInStep({.op = "AsString",
               .attrs = {{"precision", int64_t{2}}},
               .inputs = {ints},
               .text = "precision not supported for datatype int32"});
  FailsInStep({.op = "AsString",
               .attrs = {{"scientific", true}},
               .inputs = {ints},
               .text = "scientific and shortest format not supported for datatype int32"});
  FailsInStep({.op = "AsString",
               .attrs = {{"scientific", true}, {"shortest", true}},
               .inputs = {floats},
               .text = "Cannot select both scientific and shortest notation"});
  FailsInStep({.op = "AsString",
               .attrs = {{"fill", "ab"}},
               .inputs = {floats},
               .text = "Fill string must be one or fewer characters"});
  FailsInStep({.op = "AsString",
               .attrs = {{"fill", "n"}, {"width", int64_t{5}}},
               .inputs = {floats},
               .text = "Fill argument not supported: \"n\""});
  FailsInStep({.op = "Substr",
               .inputs = {Text({"abc"}), Tensor::Scalar(5), Tensor::Scalar(1)},
               .text = "pos 5 out of range for string b'abc' at index 0"});
  FailsInStep({.op = "Substr",
               .attrs = {{"unit", "UTF8_CHAR"}},
               .inputs = {Text({"abc"}), Tensor::Scalar(-4), Tensor::Scalar(1)},
               .text = "pos -4 out of range for string at index 0"});
  CheckOpError(
      {.op = "Substr",
       .inputs = {Text({"a", "b"}), Tensor::Of<int32_t>({0, 0, 0}), Tensor::Of<int32_t>({1, 1, 1})},
       .text = "Incompatible shapes: [2] vs. [3]"});
  FailsInStep({.op = "StringLower",
               .attrs = {{"encoding", "latin"}},
               .inputs = {Text({"a"})},
               .text = "received latin"});
  CheckOpError({.op = "StringFormat",
                .attrs = {{"template", "%s %s"}},
                .inputs = {ints},
                .text = "num placeholders in template and num inputs must match: 2 vs. 1"});
}

TEST(Unicode, RefusesSplitsThatLeaveTheValues) {
  const auto refused = [](std::vector<int64_t> splits, const char* text) {
    FailsInStep({.op = "UnicodeEncode",
                 .attrs = {{"output_encoding", "UTF-8"}},
                 .inputs = {Tensor::Of<int32_t>({97, 98, 99}),
                            Tensor::Of<int64_t>(std::span<const int64_t>(splits),
                                                Shape{static_cast<int64_t>(splits.size())})},
                 .text = text});
  };
  refused({0, 4}, "rise to at most 3, the number of values, got 4 at index 1");
  refused({0, 2, 1, 3}, "got 1 at index 2");
  refused({0, -1, 3}, "got -1 at index 1");
  refused({1, 3}, "must begin with 0");
}

TEST(Unicode, AByteOrderMarkIsLookedForInEachText) {
  using namespace std::string_literals;
  CheckOp({.op = "UnicodeTranscode",
           .attrs = {{"input_encoding", "utf-16"}, {"output_encoding", "UTF-8"}},
           .inputs = {Text({"\xFE\xFF\0a"s,
                            "\xFF\xFE"
                            "b\0"s,
                            "\0c"s, "\xFE\xFF"s})},
           .expected = {Text({"a", "b", "c", "\xEF\xBF\xBD"})}});
}

TEST(StringJoining, OfScalarsIsKnownToBeAScalar) {
  Graph g;
  const Output a = testing::FedTensor(g, DType::kString, Shape{}, "a");
  const Output b = testing::FedTensor(g, DType::kString, Shape{}, "b");
  EXPECT_EQ(StringJoin(std::vector{a, b}).shape(), PartialShape(Shape{}));
  EXPECT_EQ(StringFormat(g, "%s", std::vector{a}).shape(), PartialShape(Shape{}));
}

TEST(StringJoining, SaysWhatIsWrong) {
  CheckOpError(
      {.build = [](Graph&, const std::vector<Output>& in) { return std::vector{StringJoin(in)}; },
       .inputs = {Text({"a"}), Text({"b", "c"})},
       .text = "[1]"});
  const Tensor square = Tensor::Of<std::string>({"a", "b", "c", "d"}, Shape{2, 2});
  FailsInStep({.op = "ReduceJoin",
               .inputs = {square, Tensor::Of<int32_t>({0, -2})},
               .text = "Duplicate reduction dimension -2"});
  FailsInStep({.op = "ReduceJoin",
               .inputs = {square, Tensor::Of<int32_t>({2})},
               .code = absl::StatusCode::kOutOfRange,
               .text = "Invalid reduction dimension 2 for input with 2 dimension(s)"});
  CheckOpError({.op = "ReduceJoin",
                .inputs = {square, Tensor::Of<int32_t>({-3})},
                .constant_inputs = {1},
                .text = "Invalid reduction dimension -3 for input with 2 dimension",
                .in_step = false});
  FailsInStep({.op = "UnsortedSegmentJoin",
               .inputs = {Text({"a", "b"}), Tensor::Of<int32_t>({1, 3}), Tensor::Scalar(3)},
               .text = "segment_ids are not allowed to exceed num_segments or to have negative "
                       "values."});
  FailsInStep({.op = "UnsortedSegmentJoin",
               .inputs = {Text({"a"}), Tensor::Of<int32_t>({0}), Tensor::Scalar(-3)},
               .text = "Number of segments must be positive"});
  CheckOpError(
      {.op = "StringSplit", .inputs = {OneText("a"), OneText(" ")}, .text = ", got shape"});
  CheckOpError({.op = "StringSplitV2", .inputs = {Text({"a"}), Text({" "})}, .text = "scalar"});
}

TEST(StringHash, NeedsAKeyOfTwoNumbers) {
  FailsInStep({.op = "StringToHashBucketStrong",
               .attrs = {{"num_buckets", int64_t{3}}, {"key", AttrValue::Ints{1}}},
               .inputs = {Text({"a"})},
               .text = "Key must have 2 elements"});
  CheckOpError({.op = "Fingerprint",
                .inputs = {Text({"a"}), OneText("md5")},
                .constant_inputs = {1},
                .text = "Unsupported method: md5",
                .in_step = false});
}

TEST(StringHash, FingerprintOfNothingIsNothing) {
  Graph g;
  const Output print =
      Fingerprint(Const(g, Tensor(DType::kInt32, {0, 3})), Const(g, OneText("farmhash64")));
  EXPECT_EQ(Evaluate(print).shape(), (Shape{0, 8}));
}

TEST(StringRegex, SaysWhatIsWrongWithAPattern) {
  const char* text = "Invalid pattern: [, error: missing ]: [";
  FailsInStep({.op = "StaticRegexFullMatch",
               .attrs = {{"pattern", "["}},
               .inputs = {Text({"a"})},
               .text = text});
  FailsInStep({.op = "StaticRegexReplace",
               .attrs = {{"pattern", "["}, {"rewrite", ""}},
               .inputs = {Text({"a"})},
               .text = text});
  FailsInStep({.op = "RegexFullMatch", .inputs = {Text({"a"}), OneText("[")}, .text = text});
  FailsInStep(
      {.op = "RegexReplace", .inputs = {Text({"a"}), OneText("["), OneText("")}, .text = text});
  CheckOpError({.op = "RegexFullMatch", .inputs = {Text({"a"}), Text({"a"})}, .text = "scalar"});
}

TEST(StringNumbers, RefuseWhatIsNone) {
  for (const char* text : {"abc", "", "  ", "-Infinity", "0x1p3", "1.5f", "1_0", "+-3", "1e", "1 2",
                           "infinit", "0x", "nan(1)"}) {
    FailsInStep(
        {.op = "StringToNumber",
         .inputs = {Text({"1", text})},
         .text = "StringToNumberOp could not correctly convert string: " + std::string(text)});
  }
  for (const char* text : {"1.5", "99999999999", "+3", "3.0", "1e3", "0x10", "-2147483649"}) {
    FailsInStep(
        {.op = "StringToNumber",
         .attrs = {{"out_type", DType::kInt32}},
         .inputs = {Text({text})},
         .text = "StringToNumberOp could not correctly convert string: " + std::string(text)});
  }
}

TEST(DecodeRaw, NeedsWholeElementsOfOneLength) {
  const AttrMap int16 = {{"out_type", DType::kInt16}};
  FailsInStep({.op = "DecodeRaw",
               .attrs = int16,
               .inputs = {Text({"abc"})},
               .text = "Input to DecodeRaw has length 3 that is not a multiple of 2, the size of "
                       "int16"});
  FailsInStep({.op = "DecodeRaw",
               .attrs = int16,
               .inputs = {Text({"ab", "abcd"})},
               .text =
                   "DecodeRaw requires input strings to all be the same size, but element 1 has "
                   "size 2 != 4"});
}

// Fields of an integer, a float and a text.
OpErrorCase Csv(std::string record, std::string text, AttrMap attrs = {}) {
  OpErrorCase c{
      .inputs = {Text({"1,2,3", std::move(record)})}, .text = std::move(text), .at_build = false};
  c.build = [attrs](Graph& g, const std::vector<Output>& in) {
    const std::vector<Output> defaults = {Const(g, {1}), Const(g, {2.0f}),
                                          Const(g, Tensor::Of<std::string>({"x"}))};
    NodeBuilder builder("DecodeCSV", "", Location::Current());
    builder.Input(in[0]).Inputs(defaults);
    for (const auto& [name, value] : attrs) builder.Attr(name, value);
    return std::vector{builder.Build()};
  };
  return c;
}

TEST(DecodeCSV, SaysWhatIsWrongInWhichRecord) {
  CheckOpError(Csv("1,2", "Expect 3 fields but have 2 in record 1"));
  CheckOpError(Csv("1,2,3,4", "Expect 3 fields but have 4 in record 1"));
  CheckOpError(Csv("", "Expect 3 fields but have 0 in record 1"));
  CheckOpError(Csv("a,2,3", "Field 0 in record 1 is not a valid int32: a"));
  CheckOpError(Csv("1,b,3", "Field 1 in record 1 is not a valid float: b"));
  CheckOpError(Csv("99999999999,2,3", "Field 0 in record 1 is not a valid int32: 99999999999"));
  CheckOpError(Csv("1,2,\"q", "Quoted field has to end with quote followed by delim or end"));
  CheckOpError(Csv("1,2,\"a\"b", "Quote inside a string has to be escaped by another quote"));
  CheckOpError(Csv("1,2,q\"r", "Unquoted fields cannot have quotes/CRLFs inside"));
  CheckOpError(Csv("1,2,3\n", "Unquoted fields cannot have quotes/CRLFs inside"));
  CheckOpError(Csv("1,2,3", "field_delim should be only 1 char", {{"field_delim", ";;"}}));
  CheckOpError(
      Csv("1,2,3", "select_cols should match output size", {{"select_cols", AttrValue::Ints{0}}}));
  CheckOpError(Csv("1,2,3", "strictly increasing", {{"select_cols", AttrValue::Ints{0, 2, 1}}}));
  CheckOpError(Csv("1,2,3", "Expect 3 fields but have 2 in record 0",
                   {{"select_cols", AttrValue::Ints{0, 1, 5}}}));
}

TEST(DecodeCSV, RequiresFieldsWithoutDefault) {
  CheckOpError({.build =
                    [](Graph& g, const std::vector<Output>& in) {
                      return DecodeCSV(in[0], std::vector{Const(g, Tensor(DType::kInt32, {0}))});
                    },
                .inputs = {Text({"1", "\"\""})},
                .text = "Field 0 is required but missing in record 1!",
                .at_build = false});
}

TEST(Encodings, SayWhatIsWrong) {
  for (const char* text : {"YQ=", "Y!", "YWI/", "YQ==YQ=="}) {
    FailsInStep({.op = "DecodeBase64",
                 .inputs = {Text({"YQ", text})},
                 .text = "Invalid character found in base64."});
  }
  FailsInStep({.op = "DecodeBase64",
               .inputs = {Text({"Y"})},
               .text = "Base64 string length cannot be 1 modulo 4."});
  FailsInStep({.op = "DecodeCompressed",
               .attrs = {{"compression_type", "ZLIB"}},
               .inputs = {Text({"abc"})},
               .code = absl::StatusCode::kDataLoss,
               .text = "inflate() failed with error -3: incorrect header check"});
  FailsInStep({.op = "DecodeCompressed",
               .attrs = {{"compression_type", "LZ4"}},
               .inputs = {Text({"abc"})},
               .text = "Only ZLIB, GZIP or NONE are supported compressions"});
  const AttrMap floats = {{"out_type", DType::kFloat32}};
  FailsInStep({.op = "ParseTensor",
               .attrs = floats,
               .inputs = {OneText("zzz")},
               .text = "Could not parse `serialized` as TensorProto: 'zzz'"});
  Graph g;
  const Output x = ParseTensor(SerializeTensor(Const(g, {1, 2})), DType::kFloat32);
  const Status status = testing::GraphRunner().Run({x}).status();
  EXPECT_NE(status.ToString().find("Type mismatch between parsed tensor (int32) and dtype (float)"),
            std::string::npos)
      << status;
}

}  // namespace
}  // namespace headrace
