#include "headrace/io/text_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <zlib.h>

#include "headrace/base/strings.h"

namespace headrace {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string Gzip(std::string_view text) {
  z_stream stream{};
  EXPECT_EQ(deflateInit2(&stream, 6, Z_DEFLATED, MAX_WBITS + 16, 8, Z_DEFAULT_STRATEGY), Z_OK);
  std::string packed(deflateBound(&stream, text.size()), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_out = static_cast<uInt>(packed.size());
  EXPECT_EQ(deflate(&stream, Z_FINISH), Z_STREAM_END);
  packed.resize(packed.size() - stream.avail_out);
  deflateEnd(&stream);
  return packed;
}

template <class Reader>
std::vector<std::string> ReadAll(Reader& reader, Status* status = nullptr) {
  std::vector<std::string> all;
  std::string_view next;
  for (;;) {
    auto more = reader.Next(&next);
    if (status != nullptr) *status = more.status();
    if (!more.ok() || !*more) return all;
    all.emplace_back(next);
  }
}

std::vector<std::string> Lines(const std::string& text) {
  return ReadAll(*LineReader::FromBytes(text, "t.txt", {}));
}

TEST(LineReader, GivesLinesWithoutTheirEnds) {
  EXPECT_THAT(Lines("one\ntwo\n"), ElementsAre("one", "two"));
  EXPECT_THAT(Lines("one\n\nlast"), ElementsAre("one", "", "last"));
  EXPECT_THAT(Lines("\n"), ElementsAre(""));
  EXPECT_THAT(Lines(""), ElementsAre());
}

TEST(LineReader, LeavesCarriageReturnsOut) {
  EXPECT_THAT(Lines("a\r\nb\rc\r\n\r\n\r"), ElementsAre("a", "bc", ""));
}

TEST(LineReader, ReadsLinesLongerThanItsBuffer) {
  std::vector<std::string> lines;
  for (const size_t size : {0, 5, 4095, 4096, 262143, 262144, 262145, 1000000, 1})
    lines.emplace_back(size, static_cast<char>('a' + lines.size()));
  const std::string text = StrJoin(lines, "\n");
  EXPECT_EQ(Lines(text), lines);
  EXPECT_EQ(ReadAll(*LineReader::FromBytes(Gzip(text), "t.gz", {Compression::kGzip})), lines);
}

TEST(LineReader, OffsetIsWhereALineBegins) {
  const std::string text = "one\ntwo\r\nthree";
  auto lines = LineReader::FromBytes(text, "t", {});
  std::string_view line;
  ASSERT_TRUE(lines->Next(&line).value());
  ASSERT_TRUE(lines->Next(&line).value());
  EXPECT_EQ(lines->offset(), 9);
  auto rest = LineReader::FromBytes(text, "t", {.start_offset = lines->offset()});
  EXPECT_THAT(ReadAll(*rest), ElementsAre("three"));
}

TEST(LineReader, DamagedDataEndsWithTheFileAndThePlace) {
  std::string packed = Gzip("first\nsecond\n");
  packed.resize(packed.size() - 6);
  Status status;
  auto lines = LineReader::FromBytes(packed, "t.gz", {Compression::kGzip});
  ReadAll(*lines, &status);
  EXPECT_EQ(status.code(), absl::StatusCode::kDataLoss);
  EXPECT_THAT(std::string(Message(status)), HasSubstr("file 't.gz' at byte 0"));
  std::string_view line;
  EXPECT_EQ(lines->Next(&line).status(), status);
}

std::vector<std::string> Records(const std::string& bytes, FixedRecordReader::Options options) {
  auto reader = FixedRecordReader::FromBytes(bytes, "r", options);
  EXPECT_TRUE(reader.ok()) << reader.status();
  return ReadAll(**reader);
}

TEST(FixedRecordReader, LeavesHeaderFooterAndRestOut) {
  EXPECT_THAT(Records("HHaabbFF", {.record_bytes = 2, .header_bytes = 2, .footer_bytes = 2}),
              ElementsAre("aa", "bb"));
  EXPECT_THAT(Records("aabbc", {.record_bytes = 2}), ElementsAre("aa", "bb"));
  EXPECT_THAT(Records("a", {.record_bytes = 2}), ElementsAre());
  EXPECT_THAT(Records("a", {.record_bytes = 2, .header_bytes = 9}), ElementsAre());
}

TEST(FixedRecordReader, HopsFromRecordToRecord) {
  EXPECT_THAT(Records("abcdef", {.record_bytes = 3, .hop_bytes = 1}),
              ElementsAre("abc", "bcd", "cde", "def"));
  EXPECT_THAT(Records("abcdefgh", {.record_bytes = 1, .footer_bytes = 1, .hop_bytes = 3}),
              ElementsAre("a", "d", "g"));
  EXPECT_THAT(Records(Gzip("HabcdF"), {.record_bytes = 2,
                                       .header_bytes = 1,
                                       .footer_bytes = 1,
                                       .hop_bytes = 1,
                                       .compression = Compression::kGzip}),
              ElementsAre("ab", "bc", "cd"));
}

TEST(FixedRecordReader, TellsWhatIsLeft) {
  auto reader = FixedRecordReader::FromBytes("Haabbc", "r", {.record_bytes = 2, .header_bytes = 1});
  ReadAll(**reader);
  EXPECT_EQ((*reader)->left_bytes(), 1);
  EXPECT_EQ((*reader)->offset(), 5);
}

TEST(FixedRecordReader, RefusesSizesOutOfRange) {
  for (const FixedRecordReader::Options options : {FixedRecordReader::Options{.record_bytes = 0},
                                                   {.record_bytes = 1, .header_bytes = -1},
                                                   {.record_bytes = int64_t{1} << 60},
                                                   {.record_bytes = 1, .hop_bytes = -1}}) {
    EXPECT_EQ(FixedRecordReader::FromBytes("abc", "r", options).status().code(),
              absl::StatusCode::kInvalidArgument);
  }
  EXPECT_THAT(Records("abc", {.record_bytes = int64_t{1} << 40}), ElementsAre());
}

}  // namespace
}  // namespace headrace
