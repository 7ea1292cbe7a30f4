#include "headrace/io/event_log.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <thread>

#include "headrace/base/file.h"
#include "headrace/base/strings.h"
#include "headrace/io/event_reader.h"
#include "headrace/io/histogram.h"
#include "headrace/io/png.h"
#include "headrace/io/proto/config.pb.h"
#include "headrace/io/proto/event.pb.h"
#include "headrace/io/proto/meta_graph.pb.h"
#include "headrace/io/proto_convert.h"
#include "headrace/tensor/dispatch.h"

namespace headrace {
namespace {

using ::testing::HasSubstr;

const std::string kGolden = HEADRACE_SOURCE_DIR "/tests/golden/events/";

nlohmann::json GoldenJson() {
  return nlohmann::json::parse(*ReadFile(kGolden + "events.json"));
}

class TempFolder {
 public:
  TempFolder() : path_(StrCat(::testing::TempDir(), "/events", ::getpid(), "_", count_++)) {
    std::filesystem::remove_all(path_);
  }
  ~TempFolder() { std::filesystem::remove_all(path_); }
  const std::string& path() const { return path_; }

 private:
  static inline int count_ = 0;
  std::string path_;
};

std::vector<proto::Event> ReadEvents(const std::string& path) {
  std::vector<proto::Event> events;
  auto reader = EventReader::Open(path);
  EXPECT_TRUE(reader.ok()) << reader.status();
  proto::Event event;
  while (reader.ok()) {
    auto more = (*reader)->Next(&event);
    EXPECT_TRUE(more.ok()) << more.status();
    if (!more.ok() || !*more) break;
    events.push_back(event);
  }
  return events;
}

double NumberOf(const nlohmann::json& x) {
  return !x.is_string() ? x.get<double>()
         : x == "nan"   ? std::nan("")
                        : *ParseDouble(x.get<std::string>());
}

Tensor FromJson(const nlohmann::json& value) {
  const auto dims = value["shape"].get<std::vector<int64_t>>();
  Tensor tensor(*ParseDType(value["dtype"].get<std::string>()),
                Shape(std::span<const int64_t>(dims)));
  DispatchDType<kRealTypes>(tensor.dtype(), [&]<class T>() {
    for (int64_t i = 0; i < tensor.num_elements(); ++i) {
      const auto& x = value["data"][static_cast<size_t>(i)];
      if constexpr (std::is_integral_v<T>) {
        tensor.data<T>()[i] = x.get<T>();
      } else {
        tensor.data<T>()[i] = static_cast<T>(NumberOf(x));
      }
    }
  });
  return tensor;
}

TEST(EventReader, ReadsTensorFlowsFile) {
  const auto golden = GoldenJson()["events"];
  const auto events = ReadEvents(kGolden + "events.out.tfevents.1500000000.golden");
  ASSERT_EQ(events.size(), golden.size());
  for (size_t i = 0; i < events.size(); ++i) {
    const auto& expected = golden[i];
    EXPECT_EQ(events[i].step(), expected["step"].get<int64_t>());
    EXPECT_EQ(events[i].ByteSizeLong(), expected["bytes"].get<size_t>());
    const std::string what = expected["what"];
    if (what == "file_version") {
      EXPECT_EQ(events[i].file_version(), expected["file_version"].get<std::string>());
    } else if (what == "graph_def") {
      proto::GraphDef graph;
      ASSERT_TRUE(ParseBinary(events[i].graph_def(), "graph", &graph).ok());
      EXPECT_EQ(graph.node_size(), expected["node_count"].get<int>());
    } else if (what == "meta_graph_def") {
      proto::MetaGraphDef graph;
      ASSERT_TRUE(ParseBinary(events[i].meta_graph_def(), "graph", &graph).ok());
      EXPECT_EQ(graph.graph_def().node_size(), expected["node_count"].get<int>());
    } else if (what == "tagged_run_metadata") {
      proto::RunMetadata metadata;
      ASSERT_TRUE(
          ParseBinary(events[i].tagged_run_metadata().run_metadata(), "run", &metadata).ok());
      EXPECT_EQ(events[i].tagged_run_metadata().tag(), expected["tag"].get<std::string>());
      EXPECT_EQ(metadata.step_stats().dev_stats_size(),
                static_cast<int>(expected["devices"].size()));
    } else if (what == "summary") {
      ASSERT_EQ(events[i].summary().value_size(), static_cast<int>(expected["values"].size()));
      for (int k = 0; k < events[i].summary().value_size(); ++k) {
        EXPECT_EQ(events[i].summary().value(k).tag(),
                  expected["values"][static_cast<size_t>(k)]["tag"]);
      }
    }
  }
}

TEST(Histogram, EqualsTensorFlows) {
  const auto golden = GoldenJson()["histograms"];
  ASSERT_GE(golden.size(), 10u);
  int compared = 0;
  for (const auto& c : golden) {
    Tensor input = FromJson(c["input"]);
    if (input.dtype() == DType::kFloat32) {  // the threads of TensorFlow take denormals as zero
      for (float& x : input.flat<float>()) x = std::fpclassify(x) == FP_SUBNORMAL ? 0 : x;
    }
    SummaryBuilder summary;
    ASSERT_TRUE(summary.AddHistogram("h", input).ok()) << c["name"];
    proto::Summary message;
    ASSERT_TRUE(ParseBinary(summary.Serialize(), "s", &message).ok());
    const auto& histo = message.value(0).histo();
    const auto& expected = c["histo"];
    EXPECT_EQ(message.value(0).tag(), "h");
    EXPECT_EQ(histo.min(), NumberOf(expected["min"])) << c["name"];
    EXPECT_EQ(histo.max(), NumberOf(expected["max"])) << c["name"];
    EXPECT_EQ(histo.num(), NumberOf(expected["num"])) << c["name"];
    EXPECT_EQ(histo.sum(), NumberOf(expected["sum"])) << c["name"];
    EXPECT_EQ(histo.sum_squares(), NumberOf(expected["sum_squares"])) << c["name"];
    ASSERT_EQ(histo.bucket_size(), static_cast<int>(expected["bucket"].size())) << c["name"];
    for (int i = 0; i < histo.bucket_size(); ++i) {
      EXPECT_EQ(histo.bucket(i), NumberOf(expected["bucket"][static_cast<size_t>(i)])) << c["name"];
      EXPECT_EQ(histo.bucket_limit(i), NumberOf(expected["bucket_limit"][static_cast<size_t>(i)]))
          << c["name"];
    }
    ++compared;
  }
  EXPECT_GE(compared, 10);
}

TEST(Histogram, LimitsAreSortedAndSymmetric) {
  const auto limits = Histogram::limits();
  EXPECT_EQ(limits.size(), 1551u);
  EXPECT_TRUE(std::ranges::is_sorted(limits));
  for (size_t i = 0; i < limits.size(); ++i) EXPECT_EQ(limits[i], -limits[limits.size() - 1 - i]);
  Histogram h;
  h.Add(std::numeric_limits<double>::max());
  h.Add(std::numeric_limits<double>::lowest());
  EXPECT_EQ(h.num(), 2);
  EXPECT_EQ(h.buckets().back().count, 1);
}

TEST(SummaryBuilder, HistogramRefusesWhatIsNotFinite) {
  SummaryBuilder summary;
  const Status nan = summary.AddHistogram("w", Tensor::Of<float>({1, NAN}));
  EXPECT_EQ(nan, InvalidArgument("Nan in summary histogram for: w"));
  EXPECT_EQ(summary.AddHistogram("w", Tensor::Of<double>({-INFINITY})),
            InvalidArgument("Infinity in summary histogram for: w"));
  EXPECT_FALSE(summary.AddHistogram("w", Tensor::Of<bool>({true})).ok());
  EXPECT_EQ(summary.Serialize(), "");
}

TEST(SummaryBuilder, ImagesEqualTensorFlows) {
  const auto golden = GoldenJson()["images"];
  ASSERT_GE(golden.size(), 5u);
  for (const auto& c : golden) {
    SummaryBuilder summary;
    const Status status = summary.AddImages("im", FromJson(c["input"]));
    ASSERT_TRUE(status.ok()) << status;
    proto::Summary message;
    ASSERT_TRUE(ParseBinary(summary.Serialize(), "s", &message).ok());
    ASSERT_EQ(message.value_size(), static_cast<int>(c["outputs"].size()));
    for (int i = 0; i < message.value_size(); ++i) {
      const auto& expected = c["outputs"][static_cast<size_t>(i)];
      const auto& image = message.value(i).image();
      EXPECT_EQ(message.value(i).tag(), expected["tag"].get<std::string>());
      EXPECT_EQ(image.height(), expected["height"].get<int>());
      EXPECT_EQ(image.width(), expected["width"].get<int>());
      EXPECT_EQ(image.colorspace(), expected["colorspace"].get<int>());
      const Tensor pixels = *DecodePng(image.encoded_image_string());
      std::vector<int> flat;
      for (const auto& row : expected["pixels"]) {
        for (const auto& pixel : row) {
          if (pixel.is_array()) {
            for (const auto& v : pixel) flat.push_back(v.get<int>());
          } else {
            flat.push_back(pixel.get<int>());
          }
        }
      }
      EXPECT_TRUE(std::ranges::equal(pixels.flat<uint8_t>(), flat))
          << c["name"] << pixels.ToString(100);
    }
  }
}

TEST(SummaryBuilder, ImageTagsAndErrors) {
  SummaryBuilder summary;
  ASSERT_TRUE(
      summary.AddImages("one", Tensor(DType::kUInt8, Shape{2, 1, 1, 1}), {.max_images = 1}).ok());
  proto::Summary message;
  ASSERT_TRUE(ParseBinary(summary.Serialize(), "s", &message).ok());
  ASSERT_EQ(message.value_size(), 1);
  EXPECT_EQ(message.value(0).tag(), "one/image");
  EXPECT_FALSE(summary.AddImages("x", Tensor(DType::kUInt8, Shape{1, 1, 1, 2})).ok());
  EXPECT_FALSE(summary.AddImages("x", Tensor(DType::kUInt8, Shape{1, 1, 1})).ok());
  EXPECT_FALSE(summary.AddImages("x", Tensor(DType::kInt32, Shape{1, 1, 1, 1})).ok());
}

TEST(SummaryBuilder, MergeRefusesATagTwice) {
  SummaryBuilder a, b;
  a.AddScalar("x", 1);
  b.AddScalar("y", 2);
  ASSERT_TRUE(b.AddTensor("note", Tensor::Scalar<std::string>("hello"), "text").ok());
  ASSERT_TRUE(a.Merge(b.Serialize()).ok());
  EXPECT_EQ(a.Merge(b.Serialize()), InvalidArgument("Duplicate tag y found in summary inputs"));
  EXPECT_EQ(a.Merge("\x0a\x7f").code(), absl::StatusCode::kDataLoss);
  proto::Summary message;
  ASSERT_TRUE(ParseBinary(a.Serialize(), "s", &message).ok());
  EXPECT_EQ(message.value_size(), 3);
  EXPECT_EQ(message.value(2).metadata().plugin_data().plugin_name(), "text");
}

TEST(EventWriter, WritesEveryKindOfEvent) {
  TempFolder folder;
  auto writer = EventWriter::Open(folder.path() + "/sub", {.suffix = ".v2"});
  ASSERT_TRUE(writer.ok()) << writer.status();
  EXPECT_THAT((*writer)->path(), HasSubstr("/sub/events.out.tfevents."));
  EXPECT_TRUE((*writer)->path().ends_with(".v2"));
  ASSERT_TRUE((*writer)->AddScalar("loss", 0.25f, 7).ok());
  ASSERT_TRUE((*writer)->AddHistogram("h", Tensor::Of<float>({1, 2}), 8).ok());
  ASSERT_TRUE((*writer)->AddImages("i", Tensor::Of<uint8_t>({1, 2}, Shape{1, 1, 2, 1}), 9).ok());
  proto::GraphDef graph;
  graph.add_node()->set_name("n");
  ASSERT_TRUE((*writer)->AddGraph(graph.SerializeAsString()).ok());
  ASSERT_TRUE((*writer)->AddMetaGraph("m").ok());
  ASSERT_TRUE((*writer)->AddRunMetadata("step10", "run", 10).ok());
  EXPECT_EQ((*writer)->AddRunMetadata("step10", "run", 11).code(),
            absl::StatusCode::kInvalidArgument);
  ASSERT_TRUE((*writer)
                  ->AddSessionLog(EventWriter::SessionStatus::kCheckpoint, 12, "logs/m-12", "saved")
                  .ok());
  SummaryBuilder summary;
  summary.AddScalar("a", 1);
  ASSERT_TRUE((*writer)->AddSummary(summary.Serialize(), 13).ok());
  EXPECT_EQ((*writer)->AddSummary("\x0a\x7f", 13).code(), absl::StatusCode::kDataLoss);
  ASSERT_TRUE((*writer)->Close().ok());
  EXPECT_TRUE((*writer)->Close().ok());
  EXPECT_EQ((*writer)->AddScalar("loss", 1, 1).code(), absl::StatusCode::kFailedPrecondition);

  const auto events = ReadEvents((*writer)->path());
  ASSERT_EQ(events.size(), 9u);
  EXPECT_EQ(events[0].file_version(), "brain.Event:2");
  const double now =
      std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
  EXPECT_NEAR(events[1].wall_time(), now, 60);
  EXPECT_EQ(events[1].step(), 7);
  EXPECT_EQ(events[1].summary().value(0).tag(), "loss");
  EXPECT_EQ(events[1].summary().value(0).simple_value(), 0.25f);
  EXPECT_EQ(events[2].summary().value(0).histo().num(), 2);
  EXPECT_EQ(events[3].summary().value(0).image().width(), 2);
  EXPECT_EQ(events[4].graph_def(), graph.SerializeAsString());
  EXPECT_EQ(events[5].meta_graph_def(), "m");
  EXPECT_EQ(events[6].tagged_run_metadata().tag(), "step10");
  EXPECT_EQ(events[7].session_log().status(), proto::SessionLog::CHECKPOINT);
  EXPECT_EQ(events[7].session_log().checkpoint_path(), "logs/m-12");
  EXPECT_EQ(events[8].summary().value(0).tag(), "a");
}

// Events of TensorFlow's file through our writer: the same bytes come out.
TEST(EventWriter, CopiesTensorFlowsFileByteForByte) {
  TempFolder folder;
  const std::string golden = kGolden + "events.out.tfevents.1500000000.golden";
  auto records = RecordReader::Open(golden);
  ASSERT_TRUE(records.ok());
  auto writer = EventWriter::Open(folder.path());
  std::string record, expected;
  for (bool first = true; *(*records)->Next(&record); first = false) {
    if (first) continue;
    ASSERT_TRUE((*writer)->AddEvent(record).ok());
  }
  ASSERT_TRUE((*writer)->Close().ok());
  const std::string ours = *ReadFile((*writer)->path()), theirs = *ReadFile(golden);
  const size_t first_record = 24 + 16;  // the version, with the time of its writing
  EXPECT_EQ(ours.substr(first_record), theirs.substr(first_record));
  EXPECT_EQ(ours.substr(21, 15), theirs.substr(21, 15));
}

TEST(EventWriter, FlushesOnATimer) {
  TempFolder folder;
  auto writer = EventWriter::Open(folder.path(), {.flush_interval = std::chrono::milliseconds(20)});
  ASSERT_TRUE((*writer)->AddScalar("a", 1, 1).ok());
  size_t seen = 0;
  for (int i = 0; i < 500 && seen < 2; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
    seen = ReadEvents((*writer)->path()).size();
  }
  EXPECT_EQ(seen, 2u);
}

TEST(EventWriter, FlushesWhenAskedAndByTheDestructor) {
  TempFolder folder;
  auto writer = EventWriter::Open(folder.path());
  const std::string path = (*writer)->path();
  EXPECT_EQ(ReadEvents(path).size(), 1u);
  ASSERT_TRUE((*writer)->AddScalar("a", 1, 1).ok());
  ASSERT_TRUE((*writer)->Flush().ok());
  EXPECT_EQ(ReadEvents(path).size(), 2u);
  ASSERT_TRUE((*writer)->AddScalar("a", 2, 2).ok());
  writer->reset();
  EXPECT_EQ(ReadEvents(path).size(), 3u);
}

TEST(EventWriter, WritersInTheSameSecondHaveTheirOwnFiles) {
  TempFolder folder;
  std::vector<std::unique_ptr<EventWriter>> writers;
  for (int i = 0; i < 4; ++i) writers.push_back(*EventWriter::Open(folder.path()));
  EXPECT_EQ(ListEventFiles(folder.path())->size(), 4u);
}

TEST(EventWriter, RotatesAtTheSizeLimit) {
  TempFolder folder;
  auto writer = EventWriter::Open(folder.path(), {.max_file_bytes = 2000});
  for (int i = 0; i < 200; ++i)
    ASSERT_TRUE((*writer)->AddScalar("a", static_cast<float>(i), i).ok());
  ASSERT_TRUE((*writer)->Close().ok());
  size_t events = 0;
  const auto files = *ListEventFiles(folder.path());
  EXPECT_GT(files.size(), 3u);
  for (const std::string& path : files) {
    const auto some = ReadEvents(path);
    EXPECT_EQ(some[0].file_version(), "brain.Event:2");
    EXPECT_LT(std::filesystem::file_size(path), 2100u);
    events += some.size() - 1;
  }
  EXPECT_EQ(events, 200u);
}

TEST(EventWriter, ThreadsMayShareOne) {
  TempFolder folder;
  auto writer = EventWriter::Open(folder.path(), {.flush_interval = std::chrono::milliseconds(1)});
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < 250; ++i) EXPECT_TRUE((*writer)->AddScalar(StrCat("t", t), 0, i).ok());
    });
  }
  for (auto& thread : threads) thread.join();
  ASSERT_TRUE((*writer)->Close().ok());
  EXPECT_EQ(ReadEvents((*writer)->path()).size(), 1001u);
}

TEST(EventWriter, ForkedChildNeitherHangsNorWrites) {
  TempFolder folder;
  auto writer = EventWriter::Open(folder.path());
  ASSERT_TRUE((*writer)->AddScalar("a", 1, 1).ok());
  const pid_t child = ::fork();
  if (child == 0) {
    ::alarm(10);
    writer->reset();
    ::_exit(0);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  ASSERT_TRUE((*writer)->Close().ok());
  EXPECT_EQ(ReadEvents((*writer)->path()).size(), 2u);
}

TEST(EventWriter, UnwritableFolderIsAnError) {
  const Status status = EventWriter::Open("/proc/nowhere").status();
  EXPECT_FALSE(status.ok());
  EXPECT_THAT(std::string(Message(status)), HasSubstr("/proc/nowhere"));
}

TEST(EventReader, TruncatedFileGivesWhatPrecedes) {
  TempFolder folder;
  auto writer = EventWriter::Open(folder.path());
  for (int i = 0; i < 3; ++i) ASSERT_TRUE((*writer)->AddScalar("a", 1, i).ok());
  ASSERT_TRUE((*writer)->Close().ok());
  std::filesystem::resize_file((*writer)->path(),
                               std::filesystem::file_size((*writer)->path()) - 3);
  auto reader = EventReader::Open((*writer)->path());
  proto::Event event;
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(*(*reader)->Next(&event));
  EXPECT_EQ((*reader)->Next(&event).status().code(), absl::StatusCode::kDataLoss);
}

}  // namespace
}  // namespace headrace
