#include "headrace/base/file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>

#include "headrace/base/log.h"
#include "headrace/base/strings.h"

namespace headrace {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class FileTest : public ::testing::Test {
 protected:
  void SetUp() override { ASSERT_TRUE(MakeFolders(folder_).ok()); }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  const std::string folder_ = StrCat(::testing::TempDir(), "headrace_file_test_", ::getpid());
};

TEST_F(FileTest, WritesAndReads) {
  const std::string path = JoinPath(folder_, "a");
  const std::string contents(100000, '\0');
  EXPECT_FALSE(FileExists(path));
  ASSERT_TRUE(WriteFileAtomically(path, contents).ok());
  EXPECT_EQ(*ReadFile(path), contents);
  ASSERT_TRUE(WriteFileAtomically(path, "short").ok());
  EXPECT_EQ(*ReadFile(path), "short");
  ASSERT_TRUE(WriteFileAtomically(path, "").ok());
  EXPECT_EQ(*ReadFile(path), "");
  EXPECT_THAT(*ListFolder(folder_), ElementsAre("a"));  // no temporary file is left
  ASSERT_TRUE(RemoveFile(path).ok());
  EXPECT_FALSE(FileExists(path));
}

TEST_F(FileTest, ErrorsNameThePath) {
  const Status missing = ReadFile(JoinPath(folder_, "none")).status();
  EXPECT_EQ(missing.code(), absl::StatusCode::kNotFound);
  EXPECT_THAT(std::string(Message(missing)), HasSubstr("/none': No such file or directory"));
  EXPECT_EQ(ReadFile(folder_).status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(RemoveFile(JoinPath(folder_, "none")).code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(ListFolder(JoinPath(folder_, "none")).status().code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(WriteFileAtomically(JoinPath(folder_, "no/where"), "x").code(),
            absl::StatusCode::kNotFound);
  EXPECT_EQ(ErrnoError(ENOSPC, "cannot write", "p").code(), absl::StatusCode::kResourceExhausted);
}

TEST_F(FileTest, AFailedWriteKeepsTheOldContents) {
  const std::string path = JoinPath(folder_, "target");
  ASSERT_TRUE(MakeFolders(JoinPath(path, "full")).ok());  // a folder cannot be replaced by a file
  EXPECT_FALSE(WriteFileAtomically(path, "x").ok());
  EXPECT_THAT(*ListFolder(folder_), ElementsAre("target"));
  EXPECT_THAT(*ListFolder(path), ElementsAre("full"));
}

TEST_F(FileTest, FullDiskIsAnError) {
  if (!FileExists("/dev/full")) GTEST_SKIP();
  std::filesystem::create_symlink("/dev/full", JoinPath(folder_, StrCat("full.tmp", ::getpid())));
  const Status status = WriteFileAtomically(JoinPath(folder_, "full"), "x");
  EXPECT_EQ(status.code(), absl::StatusCode::kResourceExhausted) << status;
}

TEST_F(FileTest, FoldersAndPaths) {
  const std::string deep = JoinPath(folder_, "a/b/c");
  EXPECT_TRUE(MakeFolders(deep).ok());
  EXPECT_TRUE(MakeFolders(deep).ok());
  EXPECT_FALSE(MakeFolders("/proc/none/x").ok());
  EXPECT_EQ(JoinPath("a", "b"), "a/b");
  EXPECT_EQ(JoinPath("a/", "b"), "a/b");
  EXPECT_EQ(JoinPath("", "b"), "b");
  EXPECT_EQ(JoinPath("a", "/b"), "/b");
}

TEST(Log, GoesToTheSinkFromTheLevelOn) {
  std::vector<std::string> lines;
  SetLogSink([&](LogLevel, std::string_view message) { lines.emplace_back(message); });
  SetLogLevel(LogLevel::kWarning);
  Log(LogLevel::kInfo, "quiet");
  Log(LogLevel::kError, "loud");
  LogOnce(LogLevel::kWarning, "file_test key", "once");
  LogOnce(LogLevel::kWarning, "file_test key", "twice");
  SetLogLevel(LogLevel::kInfo);
  Log(LogLevel::kInfo, "now");
  SetLogLevel(LogLevel::kWarning);
  SetLogSink(nullptr);
  EXPECT_THAT(lines, ElementsAre("loud", "once", "now"));
}

}  // namespace
}  // namespace headrace
