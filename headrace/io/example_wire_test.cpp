#include "headrace/io/example_wire.h"

#include <gtest/gtest.h>

#include <map>

#include "headrace/io/example_builder.h"
#include "headrace/io/example_json.h"
#include "headrace/io/proto/example.pb.h"

namespace headrace {
namespace {

using Counts = std::map<std::string, int64_t>;

Counts CountsOf(std::string_view example) {
  Counts counts;
  EXPECT_TRUE(VisitFeatures(example, [&](std::string_view name, std::string_view feature) {
    FeatureValues values;
    EXPECT_TRUE(ReadFeature(feature, &values));
    counts[std::string(name)] = CountValues(values);
    return true;
  }));
  return counts;
}

template <class T>
std::vector<T> ValuesOf(std::string_view example, std::string_view wanted) {
  std::vector<T> read;
  VisitFeatures(example, [&](std::string_view name, std::string_view feature) {
    FeatureValues values;
    if (name != wanted || !ReadFeature(feature, &values)) return true;
    read.resize(static_cast<size_t>(CountValues(values)));
    EXPECT_EQ(ReadValues(values.list, read.data(), static_cast<int64_t>(read.size())), read.size());
    return true;
  });
  return read;
}

proto::Example Sample() {
  proto::Example example;
  auto& features = *example.mutable_features()->mutable_feature();
  for (const float value : {1.5f, -2.0f}) features["f"].mutable_float_list()->add_value(value);
  for (const int64_t value : {int64_t{0}, int64_t{-1}, int64_t{300}, INT64_MIN})
    features["i"].mutable_int64_list()->add_value(value);
  for (const char* value : {"", "text"}) features["b"].mutable_bytes_list()->add_value(value);
  features["empty"];
  features["none"].mutable_float_list();
  return example;
}

TEST(ExampleWire, ReadsWhatProtocolBuffersWrite) {
  const std::string bytes = Sample().SerializeAsString();
  EXPECT_EQ(CountsOf(bytes), (Counts{{"f", 2}, {"i", 4}, {"b", 2}, {"empty", 0}, {"none", 0}}));
  EXPECT_EQ(ValuesOf<float>(bytes, "f"), (std::vector<float>{1.5f, -2.0f}));
  EXPECT_EQ(ValuesOf<int64_t>(bytes, "i"), (std::vector<int64_t>{0, -1, 300, INT64_MIN}));
  EXPECT_EQ(ValuesOf<std::string>(bytes, "b"), (std::vector<std::string>{"", "text"}));
}

TEST(ExampleWire, BuilderWritesWhatProtocolBuffersRead) {
  const float floats[] = {1.5f, -2.0f};
  const int64_t ints[] = {0, -1, 300, INT64_MIN};
  const std::string texts[] = {"", "text"};
  ExampleBuilder builder;
  builder.Add("f", floats).Add("i", ints).Add("b", texts).Add("one", 2.0f).Add("text", "x");
  proto::Example read;
  ASSERT_TRUE(read.ParseFromString(builder.Take()));
  const auto& features = read.features().feature();
  ASSERT_EQ(features.size(), 5u);
  EXPECT_EQ(features.at("f").float_list().value(1), -2.0f);
  EXPECT_EQ(features.at("i").int64_list().value(3), INT64_MIN);
  EXPECT_EQ(features.at("b").bytes_list().value(1), "text");
  EXPECT_EQ(features.at("one").float_list().value(0), 2.0f);
  EXPECT_EQ(features.at("text").bytes_list().value(0), "x");
  EXPECT_EQ(CountsOf(builder.Take()), Counts());
}

TEST(ExampleWire, ReadsListsThatAreNotPacked) {
  // {field 1: 1.0f, field 1: 2.0f}; {field 1: 5, field 1: 300}.
  const std::string floats("\x0d\x00\x00\x80\x3f\x0d\x00\x00\x00\x40", 10),
      ints("\x08\x05\x08\xac\x02");
  float f[2] = {};
  int64_t i[2] = {};
  EXPECT_EQ(ReadValues(floats, f, 2), 2);
  EXPECT_EQ(ReadValues(ints, i, 2), 2);
  EXPECT_EQ(f[1], 2.0f);
  EXPECT_EQ(i[1], 300);
}

TEST(ExampleWire, WritesNoMoreThanThereIsRoomFor) {
  ExampleBuilder builder;
  const int64_t ints[] = {1, 2, 3};
  builder.Add("i", ints);
  const std::string bytes = builder.Take();
  int64_t read[] = {0, 0, 77};
  VisitFeatures(bytes, [&](std::string_view, std::string_view feature) {
    FeatureValues values;
    EXPECT_TRUE(ReadFeature(feature, &values));
    EXPECT_EQ(ReadValues(values.list, read, 2), 3);
    return true;
  });
  EXPECT_EQ(read[1], 2);
  EXPECT_EQ(read[2], 77);
}

TEST(ExampleWire, CutShortIsNoMessage) {
  const std::string bytes = Sample().SerializeAsString();
  for (size_t size = 1; size < bytes.size(); ++size) {
    EXPECT_FALSE(VisitFeatures(std::string_view(bytes).substr(0, size), [](std::string_view,
                                                                           std::string_view) {
      return true;
    })) << size;
  }
  EXPECT_FALSE(VisitFeatures("\x0a\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01",
                             [](std::string_view, std::string_view) { return true; }));
  EXPECT_EQ(ReadValues("\x0a\x03xyz", static_cast<float*>(nullptr), 0), -1);
}

TEST(ExampleJson, IsReadAsProtocolBuffersDefineIt) {
  const auto bytes = ExampleFromJson(
      R"({"features": {"feature": {"i": {"int64List": {"value": ["7", 8]}},
          "b": {"bytesList": {"value": ["YWJj"]}}, "f": {"float_list": {"value": [0.5]}}}}})");
  ASSERT_TRUE(bytes.ok()) << bytes.status();
  EXPECT_EQ(ValuesOf<int64_t>(*bytes, "i"), (std::vector<int64_t>{7, 8}));
  EXPECT_EQ(ValuesOf<std::string>(*bytes, "b"), std::vector<std::string>{"abc"});
  EXPECT_EQ(ValuesOf<float>(*bytes, "f"), std::vector<float>{0.5f});
  for (const char* json : {"", "{", "[]", R"({"feature": 3})", R"({"features": {"feature": 3}})"})
    EXPECT_EQ(ExampleFromJson(json).status().code(), absl::StatusCode::kInvalidArgument) << json;
}

TEST(ExampleWire, PassesOverFieldsThatAreNotKnown) {
  const std::string bytes = "\x78\x01" + Sample().SerializeAsString() + "\x7a\x03xyz";
  EXPECT_EQ(CountsOf(bytes).size(), 5u);
}

}  // namespace
}  // namespace headrace
