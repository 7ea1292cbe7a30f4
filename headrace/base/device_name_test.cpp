#include "headrace/base/device_name.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "headrace/base/strings.h"

namespace headrace {
namespace {

using ::testing::HasSubstr;

std::string Canonical(std::string_view text) {
  const StatusOr<DeviceName> name = DeviceName::Parse(text);
  return name.ok() ? name->ToString() : std::string(Message(name.status()));
}

TEST(DeviceName, AcceptsTheUsualSpellings) {
  EXPECT_EQ(Canonical(""), "");
  EXPECT_EQ(Canonical("/"), "");
  EXPECT_EQ(Canonical("/cpu:0"), "/device:CPU:0");
  EXPECT_EQ(Canonical("/gpu:1"), "/device:GPU:1");
  EXPECT_EQ(Canonical("gpu:1"), "/device:GPU:1");
  EXPECT_EQ(Canonical("/GPU:1"), "/device:GPU:1");
  EXPECT_EQ(Canonical("/gpu"), "/device:GPU:*");
  EXPECT_EQ(Canonical("/device:gpu:1"), "/device:GPU:1");
  EXPECT_EQ(Canonical("/device:GPU:*"), "/device:GPU:*");
  EXPECT_EQ(Canonical("/device:*:3"), "/device:*:3");
  EXPECT_EQ(Canonical("/device:XLA_CPU:0"), "/device:XLA_CPU:0");
  EXPECT_EQ(Canonical("/job:ps/task:1"), "/job:ps/task:1");
  EXPECT_EQ(Canonical("/task:1/job:ps/cpu:0/replica:2"), "/job:ps/replica:2/task:1/device:CPU:0");
  EXPECT_EQ(Canonical("/job:Worker"), "/job:Worker");  // the job's case is kept
  EXPECT_EQ(Canonical("/task:*"), "");
}

TEST(DeviceName, RejectsWhatIsNone) {
  EXPECT_THAT(Canonical("/foo:0"), HasSubstr("Unknown attribute: 'foo' in '/foo:0'"));
  EXPECT_THAT(Canonical("/gpu:0/cpu:0"),
              HasSubstr("Cannot specify multiple device types: /gpu:0/cpu:0"));
  EXPECT_THAT(Canonical("/gpu:x"), HasSubstr("Could not parse 'gpu:x'"));
  EXPECT_THAT(Canonical("/gpu:-1"), HasSubstr("a number >= 0"));
  EXPECT_THAT(Canonical("/task:99999999999"), HasSubstr("Could not parse"));
  EXPECT_THAT(Canonical("/job"), HasSubstr("Unknown attribute"));
  EXPECT_THAT(Canonical("/device:GPU:0:1"), HasSubstr("Unknown attribute"));
}

TEST(DeviceName, MatchesPartByPart) {
  const DeviceName full = *DeviceName::Parse("/job:worker/replica:0/task:3/device:GPU:1");
  for (const char* pattern : {"", "/gpu:1", "/gpu:*", "/job:worker", "/job:worker/task:3/gpu:1"}) {
    EXPECT_TRUE(DeviceName::Parse(pattern)->Matches(full)) << pattern;
  }
  for (const char* pattern : {"/gpu:0", "/cpu:1", "/job:ps", "/task:2", "/replica:1"}) {
    EXPECT_FALSE(DeviceName::Parse(pattern)->Matches(full)) << pattern;
  }
}

TEST(DeviceName, InnerPartsWin) {
  auto merged = [](const char* inner, const char* outer) {
    return DeviceName::Parse(inner)->MergedOver(*DeviceName::Parse(outer)).ToString();
  };
  EXPECT_EQ(merged("/gpu:1", "/job:ps/task:2/cpu:0"), "/job:ps/task:2/device:GPU:1");
  EXPECT_EQ(merged("/job:worker", "/job:ps/task:2/cpu:0"), "/job:worker/task:2/device:CPU:0");
  EXPECT_EQ(merged("", "/cpu:3"), "/device:CPU:3");
  EXPECT_EQ(merged("/gpu", "/cpu:3"), "/device:GPU:*");  // the index was one of CPUs
  EXPECT_EQ(merged("/gpu", "/gpu:3"), "/device:GPU:3");
}

TEST(DeviceName, OfThisProcess) {
  EXPECT_EQ(DeviceName::Local("CPU", 0).ToString(), "/job:localhost/replica:0/task:0/device:CPU:0");
  EXPECT_FALSE(DeviceName::Local("CPU", 0).empty());
  EXPECT_TRUE(DeviceName().empty());
}

}  // namespace
}  // namespace headrace
