#include "headrace/ops/data/reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include "headrace/base/file.h"
#include "headrace/base/strings.h"
#include "headrace/io/record_file.h"
#include "headrace/ops/array/constant.h"
#include "headrace/ops/data/files.h"
#include "headrace/ops/data/queue.h"
#include "headrace/ops/data/reader_resource.h"
#include "headrace/ops/data/record_input.h"
#include "headrace/ops/testing/graph_runner.h"

namespace headrace {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class ReaderTest : public ::testing::Test {
 protected:
  ReaderTest() { EXPECT_TRUE(MakeFolders(folder_).ok()); }
  ~ReaderTest() override { std::filesystem::remove_all(folder_); }

  std::string File(std::string_view name, std::string_view contents) {
    const std::string path = JoinPath(folder_, name);
    EXPECT_TRUE(WriteFileAtomically(path, contents).ok());
    return path;
  }
  // A queue of these names that is closed.
  Output Queue(const std::vector<std::string>& names) {
    const Output queue = FIFOQueue(g_, {DType::kString}, {.shapes = {Shape()}});
    const Tensor all = Tensor::Of<std::string>(names, {static_cast<int64_t>(names.size())});
    EXPECT_TRUE(runner_.RunNode(QueueEnqueueMany(queue, std::vector<Output>{Const(g_, all)})).ok());
    EXPECT_TRUE(runner_.RunNode(QueueClose(queue)).ok());
    return queue;
  }
  // "value" of the next record, or the error.
  std::string Next(const ReadRecord& record) {
    const auto out = runner_.Run({record.key, record.value});
    if (!out.ok()) return std::string(Message(out.status()));
    return (*out)[1].scalar<std::string>();
  }

  const std::string folder_ = StrCat(::testing::TempDir(), "/reader_test_", ::getpid());
  Graph g_;
  testing::GraphRunner runner_;
};

TEST_F(ReaderTest, GoesFromFileToFile) {
  const Output files = Queue({File("a", "1\n2"), File("none", ""), File("b", "3\n")});
  const Output reader = TextLineReader(g_);
  const ReadRecord record = ReaderRead(reader, files);
  for (const char* line : {"1", "2", "3"}) EXPECT_EQ(Next(record), line);
  EXPECT_THAT(Next(record), HasSubstr("is closed and has insufficient elements"));
  const auto counts =
      runner_.Run({ReaderNumRecordsProduced(reader), ReaderNumWorkUnitsCompleted(reader)});
  EXPECT_EQ((*counts)[0].scalar<int64_t>(), 3);
  EXPECT_EQ((*counts)[1].scalar<int64_t>(), 3);
}

TEST_F(ReaderTest, PassesOverManyEmptyFiles) {
  std::vector<std::string> names(50000, File("none", ""));
  names.push_back(File("a", "last"));
  EXPECT_EQ(Next(ReaderRead(TextLineReader(g_), Queue(names))), "last");
}

TEST_F(ReaderTest, DeliversWhatPrecedesADamagedRecord) {
  const std::string path = JoinPath(folder_, "r");
  auto writer = RecordWriter::Create(path).value();
  for (const char* text : {"one", "two", "three"}) ASSERT_TRUE(writer->Append(text).ok());
  ASSERT_TRUE(writer->Close().ok());
  std::string bytes = ReadFile(path).value();
  bytes[bytes.size() - 6] ^= 1;
  const std::string damaged = File("damaged", bytes);
  const Output files = Queue({damaged});
  const ReadRecord all = ReaderReadUpTo(TFRecordReader(g_), files, Const(g_, int64_t{10}));
  const auto out = runner_.Run({all.key, all.value});
  ASSERT_TRUE(out.ok()) << out.status();
  EXPECT_THAT((*out)[1].flat<std::string>(), ElementsAre("one", "two"));
  const Status status = runner_.Run({all.value}).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kDataLoss);
  EXPECT_THAT(std::string(Message(status)),
              HasSubstr(StrCat("'", damaged, "', record 2 at byte 38")));
}

TEST_F(ReaderTest, AFileThatIsNotThereIsPassedOverByTheNextCall) {
  const ReadRecord record =
      ReaderRead(WholeFileReader(g_), Queue({JoinPath(folder_, "gone"), File("a", "text")}));
  EXPECT_THAT(Next(record), HasSubstr("gone"));
  EXPECT_EQ(Next(record), "text");
}

TEST_F(ReaderTest, RefusesNumbersOutOfRange) {
  const auto message = [&](Output reader) {
    return std::string(Message(runner_.Run({reader}).status()));
  };
  EXPECT_THAT(message(FixedLengthRecordReader(g_, {.record_bytes = -1})),
              HasSubstr("record_bytes must be >= 0 got -1"));
  EXPECT_THAT(message(TextLineReader(g_, {.skip_header_lines = -2})),
              HasSubstr("skip_header_lines must be >= 0 not -2"));
  EXPECT_THAT(message(TFRecordReader(g_, {.compression_type = "LZ"})),
              HasSubstr("Unsupported compression_type: LZ"));
}

TEST_F(ReaderTest, MatchingFilesAreSorted) {
  for (const char* name : {"b.txt", "a.txt", "c.csv", ".hidden.txt"}) File(name, "");
  const Output pattern = Const(g_, JoinPath(folder_, "*.txt"));
  const auto out = runner_.Run({MatchingFiles(pattern)});
  EXPECT_THAT((*out)[0].flat<std::string>(),
              ElementsAre(JoinPath(folder_, ".hidden.txt"), JoinPath(folder_, "a.txt"),
                          JoinPath(folder_, "b.txt")));
}

TEST_F(ReaderTest, RecordInputGivesEachRecordOnceAnEpoch) {
  for (const char* file : {"a", "b", "c"}) {
    auto writer = RecordWriter::Create(JoinPath(folder_, file)).value();
    for (int i = 0; i < 10; ++i) ASSERT_TRUE(writer->Append(StrCat(file, i)).ok());
    ASSERT_TRUE(writer->Close().ok());
  }
  const Output batch = RecordInput(
      g_, JoinPath(folder_, "?"), {.file_buffer_size = 7, .file_parallelism = 2, .batch_size = 10});
  std::vector<std::string> epochs[2];
  for (auto& epoch : epochs) {
    for (int i = 0; i < 3; ++i) {
      const auto out = runner_.Run({batch});
      ASSERT_TRUE(out.ok()) << out.status();
      for (const std::string& record : (*out)[0].flat<std::string>()) epoch.push_back(record);
    }
  }
  EXPECT_NE(epochs[0], epochs[1]);
  std::ranges::sort(epochs[0]);
  std::ranges::sort(epochs[1]);
  EXPECT_EQ(epochs[0], epochs[1]);
  EXPECT_EQ(std::ranges::unique(epochs[0]).size(), 0u);
  EXPECT_THAT(std::string(Message(runner_.Run({RecordInput(g_, folder_ + "/none*")}).status())),
              HasSubstr("Found no files at"));
}

// ---------------------------------------------------------------- calls that wait

class OneRecord final : public WorkUnit {
 public:
  explicit OneRecord(std::string name) : name_(std::move(name)) {}
  StatusOr<bool> Next(Record& record) override {
    if (name_.empty()) return false;
    record = {"key", std::exchange(name_, {})};
    return true;
  }

 private:
  std::string name_;
};

class WaitingReaderTest : public ::testing::Test {
 protected:
  std::shared_ptr<Queue> queue_ = std::make_shared<Queue>(
      QueueOptions{.op = "FIFOQueue", .name = "q", .types = {DType::kString}}, MakeFifoOrder());
  std::shared_ptr<Reader> reader_ =
      std::make_shared<Reader>("reader", false, [](const std::string& name) {
        return StatusOr<std::unique_ptr<WorkUnit>>(std::make_unique<OneRecord>(name));
      });
  Cancellation step_, other_;

  void Enqueue(const std::string& name) {
    queue_->Enqueue({{Tensor::Scalar(name)}}, other_, [](Status) {});
  }
  // What a read gave: its value, or the error; empty while it waits.
  std::shared_ptr<std::string> Read(Cancellation& step) {
    auto result = std::make_shared<std::string>();
    reader_->Read(queue_, 1, step, [result](StatusOr<Reader::Records> records) {
      *result = records.ok() ? records->at(0).value : std::string(Message(records.status()));
    });
    return result;
  }
};

TEST_F(WaitingReaderTest, ServesCallsInTheirOrder) {
  const auto first = Read(step_), second = Read(step_);
  EXPECT_EQ(*first, "");
  Enqueue("a");
  EXPECT_EQ(*first, "a");
  EXPECT_EQ(*second, "");
  Enqueue("b");
  EXPECT_EQ(*second, "b");
}

TEST_F(WaitingReaderTest, ACallIsCancelledWhereverItWaits) {
  Cancellation first_step, second_step;
  const auto first = Read(first_step), second = Read(second_step), third = Read(step_);
  second_step.Cancel(absl::CancelledError("stop"));
  EXPECT_EQ(*second, "Read operation was cancelled");
  first_step.Cancel(absl::CancelledError("stop"));
  EXPECT_EQ(*first, "Dequeue operation was cancelled");
  Enqueue("a");
  EXPECT_EQ(*third, "a");
}

}  // namespace
}  // namespace headrace
