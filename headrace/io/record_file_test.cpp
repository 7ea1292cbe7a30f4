#include "headrace/io/record_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "absl/strings/escaping.h"
#include "headrace/base/file.h"
#include "headrace/base/strings.h"
#include "headrace/io/crc32c.h"
#include "headrace/io/proto/example.pb.h"
#include "headrace/io/proto_convert.h"

namespace headrace {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAreArray;
using ::testing::HasSubstr;

const std::string kGolden = HEADRACE_SOURCE_DIR "/tests/golden/events/";

class TempFile {
 public:
  explicit TempFile(const std::string& name)
      : path_(StrCat(::testing::TempDir(), "/", ::getpid(), name)) {}
  ~TempFile() { std::filesystem::remove(path_); }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

struct Result {
  std::vector<std::string> records;
  Status status;
};

Result ReadAll(RecordReader& reader) {
  Result result;
  std::string record;
  for (;;) {
    auto more = reader.Next(&record);
    result.status = more.status();
    if (!more.ok() || !*more) return result;
    result.records.push_back(record);
  }
}

Result ReadAll(const std::string& bytes, Compression compression = Compression::kNone) {
  return ReadAll(*RecordReader::FromBytes(bytes, "r.tfrecord", {.compression = compression}));
}

std::string Write(const std::vector<std::string>& records,
                  const RecordWriter::Options& options = {}) {
  TempFile file("w.tfrecord");
  auto writer = RecordWriter::Create(file.path(), options);
  EXPECT_TRUE(writer.ok());
  for (const std::string& r : records) EXPECT_TRUE((*writer)->Append(r).ok());
  EXPECT_TRUE((*writer)->Close().ok());
  return *ReadFile(file.path());
}

std::vector<std::string> GoldenRecords() {
  std::vector<std::string> records;
  const auto json = nlohmann::json::parse(*ReadFile(kGolden + "events.json"));
  for (const auto& base64 : json["records"]) {
    std::string bytes;
    EXPECT_TRUE(absl::Base64Unescape(base64.get<std::string>(), &bytes));
    records.push_back(bytes);
  }
  return records;
}

TEST(RecordFile, ReadsAndWritesTensorFlowsBytes) {
  const auto records = GoldenRecords();
  ASSERT_GE(records.size(), 4u);
  const std::string golden = *ReadFile(kGolden + "examples.tfrecord");
  const Result result = ReadAll(golden);
  EXPECT_TRUE(result.status.ok()) << result.status;
  EXPECT_THAT(result.records, ElementsAreArray(records));
  EXPECT_EQ(Write(records), golden);
  proto::Example example;
  ASSERT_TRUE(ParseBinary(records.back(), "example", &example).ok());
  EXPECT_GT(example.features().feature_size(), 0);
}

TEST(RecordFile, ReadsTensorFlowsCompressedFile) {
  const Result result =
      ReadAll(*ReadFile(kGolden + "examples.zlib.tfrecord"), Compression::kZlib);
  EXPECT_TRUE(result.status.ok()) << result.status;
  EXPECT_THAT(result.records, ElementsAreArray(GoldenRecords()));
}

TEST(RecordFile, RoundTripsSizesAndCompressions) {
  std::vector<std::string> records;
  for (size_t size : {0, 1, 11, 12, 100, 65535, 65536, 262143, 262144, 300000, 0, 5000000, 7}) {
    records.emplace_back(size, static_cast<char>('a' + size % 26));
  }
  for (const auto compression :
       {Compression::kNone, Compression::kZlib, Compression::kGzip}) {
    TempFile file("sizes.tfrecord");
    auto writer = RecordWriter::Create(file.path(), {.compression = compression, .level = 1});
    for (const std::string& r : records) ASSERT_TRUE((*writer)->Append(r).ok());
    ASSERT_TRUE((*writer)->Close().ok());
    auto reader = RecordReader::Open(file.path(), {.compression = compression});
    ASSERT_TRUE(reader.ok());
    const Result result = ReadAll(**reader);
    EXPECT_TRUE(result.status.ok()) << result.status;
    EXPECT_TRUE(result.records == records);
    EXPECT_EQ((*reader)->records_read(), static_cast<int64_t>(records.size()));
  }
}

TEST(RecordFile, OffsetsAreWhereRecordsBegin) {
  const std::string bytes = Write({"one", "two", "three"});
  auto reader = RecordReader::FromBytes(bytes, "r", {});
  std::string_view record;
  ASSERT_TRUE(*reader->Next(&record));
  EXPECT_EQ(reader->offset(), 19);
  auto second = RecordReader::FromBytes(bytes, "r", {.start_offset = 19});
  EXPECT_EQ(ReadAll(*second).records, (std::vector<std::string>{"two", "three"}));
  EXPECT_EQ(second->offset(), static_cast<int64_t>(bytes.size()));
}

TEST(RecordFile, FlushMakesRecordsVisible) {
  for (const auto compression : {Compression::kNone, Compression::kGzip}) {
    TempFile file("flush.tfrecord");
    auto writer = RecordWriter::Create(file.path(), {.compression = compression});
    ASSERT_TRUE((*writer)->Append("hello").ok());
    ASSERT_TRUE((*writer)->Flush().ok());
    auto reader = RecordReader::Open(file.path(), {.compression = compression});
    std::string record;
    auto more = (*reader)->Next(&record);
    if (compression == Compression::kNone) {
      ASSERT_TRUE(more.ok() && *more);
      EXPECT_EQ(record, "hello");
    }
    EXPECT_GT(std::filesystem::file_size(file.path()), 5u);
  }
}

TEST(RecordFile, AppendsToAnExistingFile) {
  TempFile file("append.tfrecord");
  for (const char* text : {"a", "b"}) {
    auto writer = RecordWriter::Create(file.path(), {.append = true});
    ASSERT_TRUE((*writer)->Append(text).ok());
  }
  EXPECT_EQ(ReadAll(**RecordReader::Open(file.path())).records,
            (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(RecordWriter::Create(file.path(), {.must_be_new = true}).status().code(),
            absl::StatusCode::kAlreadyExists);
}

TEST(RecordFile, ClosedWriterRefuses) {
  TempFile file("closed.tfrecord");
  auto writer = RecordWriter::Create(file.path());
  ASSERT_TRUE((*writer)->Close().ok());
  EXPECT_TRUE((*writer)->Close().ok());
  EXPECT_EQ((*writer)->Append("x").code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_EQ((*writer)->Flush().code(), absl::StatusCode::kFailedPrecondition);
}

TEST(RecordFile, FullDiskIsReportedAndStays) {
  if (!FileExists("/dev/full")) GTEST_SKIP() << "no /dev/full here";
  auto writer = RecordWriter::Create("/dev/full");
  ASSERT_TRUE(writer.ok());
  const Status status = (*writer)->Append(std::string(1 << 20, 'x'));
  EXPECT_EQ(status.code(), absl::StatusCode::kResourceExhausted);
  EXPECT_THAT(std::string(Message(status)), HasSubstr("'/dev/full'"));
  EXPECT_EQ((*writer)->Append("y"), status);
  EXPECT_EQ((*writer)->Close(), status);
}

TEST(RecordFile, CutAnywhereDeliversWhatPrecedes) {
  const std::vector<std::string> records{"one", "", "three"};
  const std::string bytes = Write(records);
  const size_t ends[] = {0, 19, 35, 56};
  ASSERT_EQ(bytes.size(), 56u);
  for (size_t cut = 0; cut < bytes.size(); ++cut) {
    const Result result = ReadAll(bytes.substr(0, cut));
    const size_t whole = static_cast<size_t>(std::upper_bound(ends, ends + 4, cut) - ends) - 1;
    EXPECT_EQ(result.records.size(), whole) << cut;
    EXPECT_EQ(result.status.ok(), cut == ends[whole]) << cut;
    if (!result.status.ok()) {
      EXPECT_EQ(result.status.code(), absl::StatusCode::kDataLoss);
      EXPECT_THAT(std::string(Message(result.status)),
                  AllOf(HasSubstr("'r.tfrecord'"), HasSubstr(StrCat("at byte ", ends[whole])),
                        HasSubstr("cut short")));
    }
  }
}

TEST(RecordFile, EveryChangedByteIsFound) {
  const std::vector<std::string> records{"one", "", "three"};
  const std::string bytes = Write(records);
  for (size_t i = 0; i < bytes.size(); ++i) {
    for (int change = 1; change < 256; ++change) {
      std::string bad = bytes;
      bad[i] = static_cast<char>(bad[i] ^ change);
      const Result result = ReadAll(bad);
      EXPECT_EQ(result.status.code(), absl::StatusCode::kDataLoss) << i;
      EXPECT_LT(result.records.size(), 3u);
      for (size_t k = 0; k < result.records.size(); ++k) EXPECT_EQ(result.records[k], records[k]);
    }
  }
}

TEST(RecordFile, DamagedCompressedFilesAreErrors) {
  const std::vector<std::string> records{"one", std::string(1000, 'x'), "three"};
  for (const auto compression : {Compression::kZlib, Compression::kGzip}) {
    const std::string bytes = Write(records, {.compression = compression});
    for (size_t i = 0; i < bytes.size(); ++i) {
      EXPECT_FALSE(ReadAll(bytes.substr(0, i), compression).status.ok() && i > 0) << i;
      for (const int change : {1, 0x10, 0xff}) {
        std::string bad = bytes;
        bad[i] = static_cast<char>(bad[i] ^ change);
        const Result result = ReadAll(bad, compression);
        for (size_t k = 0; k < result.records.size(); ++k) EXPECT_EQ(result.records[k], records[k]);
        if (result.status.ok()) {
          EXPECT_EQ(result.records.size(), 3u) << i;
        }
      }
    }
    EXPECT_FALSE(ReadAll(bytes + "x", compression).status.ok());
  }
}

TEST(RecordFile, HugeLengthTakesNoMemory) {
  for (const uint64_t length :
       {uint64_t{1} << 40, uint64_t{1} << 62, ~uint64_t{0}, ~uint64_t{0} - 15}) {
    std::string header(12, '\0');
    std::memcpy(header.data(), &length, 8);
    const uint32_t crc = MaskCrc32c(Crc32c(header.data(), 8));
    std::memcpy(header.data() + 8, &crc, 4);
    const Result result = ReadAll(header + "some data");
    EXPECT_EQ(result.status.code(), absl::StatusCode::kDataLoss);
    EXPECT_THAT(std::string(Message(result.status)), HasSubstr("9 bytes follow"));
  }
}

TEST(RecordFile, ErrorStays) {
  const std::string bytes = Write({"one", "two"});
  auto reader = RecordReader::FromBytes(bytes.substr(0, 25), "r", {});
  std::string record;
  EXPECT_TRUE(*reader->Next(&record));
  const Status first = reader->Next(&record).status();
  EXPECT_FALSE(first.ok());
  EXPECT_EQ(reader->Next(&record).status(), first);
}

TEST(RecordFile, MissingFileIsNamed) {
  const Status status = RecordReader::Open("/nonexistent/x.tfrecord").status();
  EXPECT_EQ(status.code(), absl::StatusCode::kNotFound);
  EXPECT_THAT(std::string(Message(status)), HasSubstr("'/nonexistent/x.tfrecord'"));
}

}  // namespace
}  // namespace headrace
