#include "headrace/ops/summary/summary.h"

#include <cmath>
#include <fstream>

#include "gmock/gmock.h"
#include "headrace/base/strings.h"
#include "headrace/io/proto/event.pb.h"
#include "headrace/ops/array/constant.h"
#include "headrace/ops/array/placeholder.h"
#include "headrace/ops/testing/graph_runner.h"
#include "headrace/tensor/dispatch.h"
#include "nlohmann/json.hpp"

namespace headrace {
namespace {

using nlohmann::json;
using testing::GraphRunner;
using ::testing::HasSubstr;

const json& Golden() {
  static const json doc = [] {
    std::ifstream file(HEADRACE_SOURCE_DIR "/tests/golden/events/events.json");
    return json::parse(file);
  }();
  return doc;
}

proto::Summary ValueOf(Output summary, const testing::Feeds& feeds = {}) {
  proto::Summary message;
  EXPECT_TRUE(summary.valid());
  if (!summary.valid()) return message;
  const Tensor value = testing::Evaluate(summary, feeds);
  EXPECT_TRUE(value.valid() && message.ParseFromString(value.scalar<std::string>()));
  return message;
}

double NumberOf(const json& value) {
  if (value.is_boolean()) return value.get<bool>() ? 1 : 0;
  if (!value.is_string()) return value.get<double>();
  return value == "nan" ? std::nan("") : value == "inf" ? INFINITY : -INFINITY;
}

Tensor TensorOf(const json& value) {
  const auto dims = value["shape"].get<std::vector<int64_t>>();
  const StatusOr<DType> dtype = ParseDType(value["dtype"].get<std::string>());
  EXPECT_TRUE(dtype.ok());
  Tensor tensor(*dtype, Shape(std::span<const int64_t>(dims)));
  DispatchDType<kRealTypes>(*dtype, [&]<class T>() {
    for (size_t i = 0; i < value["data"].size(); ++i)
      tensor.data<T>()[i] = static_cast<T>(NumberOf(value["data"][i]));
  });
  return tensor;
}

TEST(Summary, ScalarTagsAndNodesAreThoseOfTensorFlow) {
  Graph g;
  Output x = Placeholder(g, DType::kFloat32, Shape(), {.name = "x"});
  {
    NameScope scope(g, "train");
    ScalarSummary("loss", x);
    ScalarSummary("bad name: x", x);
    ScalarSummary("loss", x);
  }
  ScalarSummary("int", Const(g, 7));
  Output all = MergeAllSummaries(g);
  ASSERT_TRUE(all.valid()) << g.status();
  EXPECT_EQ(all.node->name(), "Merge/MergeSummary");
  std::vector<std::string> expected;
  for (const json& node : Golden()["summary_nodes"]) expected.push_back(node[0].get<std::string>());
  for (const char* name :
       {"train/loss/tags", "train/loss", "train/bad_name__x/tags", "train/bad_name__x",
        "train/loss_1/tags", "train/loss_1", "int/tags", "int"}) {
    EXPECT_NE(g.FindNode(name), nullptr) << name;
    EXPECT_THAT(expected, ::testing::Contains(name));
  }
  const proto::Summary summary = ValueOf(all, {{x, Tensor::Scalar(0.5f)}});
  ASSERT_EQ(summary.value_size(), 4);
  const json& values = Golden()["events"][3]["values"];
  for (int i = 0; i < 4; ++i)
    EXPECT_EQ(summary.value(i).tag(), values[static_cast<size_t>(i)]["tag"].get<std::string>());
  EXPECT_EQ(summary.value(1).simple_value(), 0.5f);
  EXPECT_EQ(summary.value(3).simple_value(), 7);
}

TEST(Summary, HistogramsEqualTensorFlow) {
  for (const json& golden : Golden()["histograms"]) {
    SCOPED_TRACE(golden["name"].get<std::string>());
    Graph g;
    const proto::Summary summary =
        ValueOf(HistogramSummary("h", Const(g, TensorOf(golden["input"]))));
    ASSERT_EQ(summary.value_size(), 1);
    const proto::HistogramProto& histo = summary.value(0).histo();
    const json& expected = golden["histo"];
    // TensorFlow flushes denormal inputs to zero.
    const double sum = expected["sum"].get<double>();
    EXPECT_NEAR(histo.sum(), sum, std::abs(sum) * 1e-15 + 1e-39);
    EXPECT_EQ(histo.num(), expected["num"].get<double>());
    const std::vector<double> limits(histo.bucket_limit().begin(), histo.bucket_limit().end());
    const std::vector<double> counts(histo.bucket().begin(), histo.bucket().end());
    EXPECT_EQ(limits, expected["bucket_limit"].get<std::vector<double>>());
    EXPECT_EQ(counts, expected["bucket"].get<std::vector<double>>());
  }
}

TEST(Summary, ImageTagsAndSizesEqualTensorFlow) {
  for (const json& golden : Golden()["images"]) {
    SCOPED_TRACE(golden["name"].get<std::string>());
    Graph g;
    const int outputs = static_cast<int>(golden["outputs"].size());
    const proto::Summary summary = ValueOf(ImageSummary("im", Const(g, TensorOf(golden["input"]))));
    ASSERT_EQ(summary.value_size(), outputs);
    for (int i = 0; i < outputs; ++i) {
      const json& expected = golden["outputs"][static_cast<size_t>(i)];
      EXPECT_EQ(summary.value(i).tag(), expected["tag"].get<std::string>());
      EXPECT_EQ(summary.value(i).image().height(), expected["height"].get<int>());
      EXPECT_EQ(summary.value(i).image().colorspace(), expected["colorspace"].get<int>());
      EXPECT_THAT(summary.value(i).image().encoded_image_string(), HasSubstr("PNG"));
    }
  }
}

TEST(Summary, AudioIsOneFileAClip) {
  Graph g;
  Output clips = Const(g, Tensor::Of<float>({0, 0.5f, -1, 2, 0.25f, -0.25f}).Reshaped({3, 1, 2}));
  const proto::Summary summary = ValueOf(AudioSummary("au", clips, 8000, {.max_outputs = 2}));
  ASSERT_EQ(summary.value_size(), 2);
  EXPECT_EQ(summary.value(1).tag(), "au/audio/1");
  const proto::Summary::Audio& audio = summary.value(1).audio();
  EXPECT_EQ(audio.sample_rate(), 8000);
  EXPECT_EQ(audio.num_channels(), 2);
  EXPECT_EQ(audio.length_frames(), 1);
  EXPECT_EQ(audio.content_type(), "audio/wav");
  EXPECT_TRUE(audio.encoded_audio_string().ends_with(std::string("\0\x80\xff\x7f", 4)));
  EXPECT_FALSE(AudioSummary("one", Const(g, 1.0f), 8000).valid());
  EXPECT_THAT(std::string(Message(g.TakeStatus())), HasSubstr("[N, frames]"));
}

TEST(Summary, TextIsATensorOfThePlugin) {
  Graph g;
  const proto::Summary summary = ValueOf(TextSummary("txt", Const(g, "some text")));
  ASSERT_EQ(summary.value_size(), 1);
  EXPECT_EQ(summary.value(0).tag(), "txt");
  EXPECT_EQ(summary.value(0).metadata().plugin_data().plugin_name(), "text");
  EXPECT_EQ(summary.value(0).tensor().string_val(0), "some text");
}

TEST(Summary, FamilyGoesIntoTheTag) {
  Graph g;
  NameScope scope(g, "outer");
  const proto::Summary summary = ValueOf(ScalarSummary("loss", Const(g, 1.0f), {.family = "fam"}));
  EXPECT_EQ(summary.value(0).tag(), "fam/outer/fam/loss");
}

TEST(Summary, SaysWhatIsWrong) {
  {
    Graph g;
    GraphRunner runner;
    Output s = ScalarSummary("s", Const(g, {1.0f, 2.0f}));
    EXPECT_THAT(std::string(Message(runner.Run({s}).status())),
                HasSubstr("tags and values not the same shape: [] != [2] (tag 's')"));
  }
  {
    Graph g;
    GraphRunner runner;
    Output h = HistogramSummary("h", Const(g, {std::nanf("")}));
    EXPECT_THAT(std::string(Message(runner.Run({h}).status())),
                HasSubstr("Nan in summary histogram for: h"));
  }
  {
    Graph g;
    GraphRunner runner;
    Output s = ScalarSummary("s", Const(g, 1.0f));
    const Output twice[] = {s, s};
    EXPECT_THAT(std::string(Message(runner.Run({MergeSummary(twice)}).status())),
                HasSubstr("Duplicate tag s"));
  }
}

}  // namespace
}  // namespace headrace
