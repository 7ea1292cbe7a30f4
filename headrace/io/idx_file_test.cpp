#include "headrace/io/idx_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>
#include <zlib.h>

#include "headrace/base/file.h"
#include "headrace/base/strings.h"

namespace headrace {
namespace {

using ::testing::HasSubstr;

std::string Gzip(const std::string& bytes) {
  z_stream stream{};
  EXPECT_EQ(deflateInit2(&stream, 6, Z_DEFLATED, MAX_WBITS + 16, 8, Z_DEFAULT_STRATEGY), Z_OK);
  std::string out(bytes.size() + 1000, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  stream.avail_in = static_cast<uInt>(bytes.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  EXPECT_EQ(deflate(&stream, Z_FINISH), Z_STREAM_END);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

std::string Bytes(std::initializer_list<int> values) {
  std::string bytes;
  for (int v : values) bytes.push_back(static_cast<char>(v));
  return bytes;
}

const std::string kSmall = Bytes({0, 0, 8, 2, 0, 0, 0, 2, 0, 0, 0, 3, 1, 2, 3, 250, 251, 252});

std::string ErrorOf(const std::string& bytes) {
  auto tensor = ParseIdx(bytes, "x.idx");
  EXPECT_FALSE(tensor.ok());
  return std::string(Message(tensor.status()));
}

TEST(IdxFile, ReadsBytes) {
  for (const std::string& bytes : {kSmall, Gzip(kSmall)}) {
    auto tensor = ParseIdx(bytes, "x");
    ASSERT_TRUE(tensor.ok()) << tensor.status();
    EXPECT_EQ(tensor->ToString(), "uint8 [2,3] {1, 2, 3, 250, 251, 252}");
  }
}

TEST(IdxFile, ReadsGzipMembersInARow) {
  auto tensor = ParseIdx(Gzip(kSmall.substr(0, 7)) + Gzip(kSmall.substr(7)), "x");
  ASSERT_TRUE(tensor.ok()) << tensor.status();
  EXPECT_EQ(tensor->ToString(), "uint8 [2,3] {1, 2, 3, 250, 251, 252}");
}

TEST(IdxFile, ReadsBigEndianTypes) {
  EXPECT_EQ(ParseIdx(Bytes({0, 0, 9, 1, 0, 0, 0, 1, 255}), "x")->ToString(), "int8 [1] {-1}");
  EXPECT_EQ(ParseIdx(Bytes({0, 0, 11, 1, 0, 0, 0, 2, 255, 254, 1, 0}), "x")->ToString(),
            "int16 [2] {-2, 256}");
  EXPECT_EQ(ParseIdx(Bytes({0, 0, 12, 1, 0, 0, 0, 1, 0, 1, 0, 2}), "x")->ToString(),
            "int32 [1] {65538}");
  EXPECT_EQ(ParseIdx(Bytes({0, 0, 13, 1, 0, 0, 0, 1, 0x3f, 0xc0, 0, 0}), "x")->ToString(),
            "float32 [1] {1.5}");
  EXPECT_EQ(
      ParseIdx(Bytes({0, 0, 14, 1, 0, 0, 0, 1, 0xbf, 0xf8, 0, 0, 0, 0, 0, 0}), "x")->ToString(),
      "float64 [1] {-1.5}");
}

TEST(IdxFile, ErrorsSayWhatIsWrong) {
  EXPECT_THAT(ErrorOf(Bytes({1, 0, 8, 1, 0, 0, 0, 0})), HasSubstr("starts with bytes 1 0 8 1"));
  EXPECT_THAT(ErrorOf(Bytes({0, 0, 10, 1, 0, 0, 0, 0})), HasSubstr("not an IDX file"));
  EXPECT_THAT(ErrorOf(Bytes({0, 0, 8, 9, 0, 0, 0, 0})), HasSubstr("rank from 1 to 8"));
  EXPECT_THAT(ErrorOf(""), HasSubstr("cut short: 0 bytes of magic number"));
  EXPECT_THAT(ErrorOf(kSmall.substr(0, 10)),
              HasSubstr("cut short: 6 bytes of dimensions, 8 expected"));
  EXPECT_THAT(ErrorOf(kSmall.substr(0, 17)), HasSubstr("cut short"));
  EXPECT_THAT(ErrorOf(kSmall + "x"), HasSubstr("uint8 [2,3]: it has more data"));
  EXPECT_THAT(ErrorOf(Gzip(kSmall + "x")), HasSubstr("it has more data"));
  EXPECT_THAT(ErrorOf(Gzip(kSmall) + "x"), HasSubstr("it has more data"));
  EXPECT_THAT(
      ErrorOf(Bytes({0, 0, 14, 3, 127, 255, 255, 255, 127, 255, 255, 255, 127, 255, 255, 255})),
      HasSubstr("more than 2^63 elements"));
}

TEST(IdxFile, MissingFileNamesBothSpellings) {
  auto tensor = ReadIdxFile("/nonexistent/train-images-idx3-ubyte");
  EXPECT_EQ(tensor.status().code(), absl::StatusCode::kNotFound);
  EXPECT_THAT(std::string(Message(tensor.status())),
              HasSubstr("'/nonexistent/train-images-idx3-ubyte'"));
  EXPECT_THAT(std::string(Message(tensor.status())),
              HasSubstr("'/nonexistent/train-images-idx3-ubyte.gz'"));
}

TEST(IdxFile, FindsTheFileUnderEitherName) {
  const std::string path = StrCat(::testing::TempDir(), "/small", ::getpid(), ".idx");
  ASSERT_TRUE(WriteFileAtomically(path + ".gz", Gzip(kSmall)).ok());
  EXPECT_TRUE(ReadIdxFile(path).ok());
  ASSERT_TRUE(RemoveFile(path + ".gz").ok());
  ASSERT_TRUE(WriteFileAtomically(path, kSmall).ok());
  EXPECT_TRUE(ReadIdxFile(path + ".gz").ok());
  ASSERT_TRUE(RemoveFile(path).ok());
}

// A gzip file has a checksum: whatever byte is changed, the data is right or there is an error.
TEST(IdxFile, DamagedGzipIsNeverTakenForData) {
  const std::string good = Gzip(kSmall);
  const Tensor expected = *ParseIdx(kSmall, "x");
  int errors = 0;
  for (size_t i = 0; i < good.size(); ++i) {
    for (int bit = 0; bit < 8; ++bit) {
      std::string bad = good;
      bad[i] = static_cast<char>(bad[i] ^ (1 << bit));
      auto tensor = ParseIdx(bad, "x");
      errors += !tensor.ok();
      if (tensor.ok()) {
        EXPECT_EQ(tensor->ToString(), expected.ToString()) << "byte " << i << " bit " << bit;
      }
    }
    EXPECT_FALSE(ParseIdx(good.substr(0, i), "x").ok()) << "cut at " << i;
  }
  EXPECT_GT(errors, 100);
}

TEST(IdxFile, DamagedPlainFileNeverCrashes) {
  for (size_t i = 0; i < kSmall.size(); ++i) {
    for (int change = 1; change < 256; ++change) {
      std::string bad = kSmall;
      bad[i] = static_cast<char>(bad[i] ^ change);
      auto tensor = ParseIdx(bad, "x");
      if (i < 12) {
        EXPECT_TRUE(!tensor.ok() || tensor->size_bytes() == 6) << i;
      } else {
        EXPECT_TRUE(tensor.ok());
      }
    }
    EXPECT_FALSE(ParseIdx(kSmall.substr(0, i), "x").ok());
  }
}

}  // namespace
}  // namespace headrace
