#include "headrace/io/wav.h"

#include <vector>

#include "gmock/gmock.h"

namespace headrace {
namespace {

TEST(Wav, SixteenBitsLittleEndian) {
  const StatusOr<std::string> wav =
      EncodeWav(std::vector<float>{0, 0.5f, -1, 2}, /*sample_rate=*/8000, /*channels=*/2);
  ASSERT_TRUE(wav.ok()) << wav.status();
  // What TensorFlow 1.15's encode_wav gives.
  const std::string expected(
      "RIFF\x2c\0\0\0WAVEfmt \x10\0\0\0\x01\0\x02\0\x40\x1f\0\0\0\x7d\0\0\x04\0\x10\0data\x08\0\0\0"
      "\0\0\0\x40\0\x80\xff\x7f",
      52);
  EXPECT_EQ(*wav, expected);
}

TEST(Wav, RefusesWhatTheFormatCannotState) {
  const std::vector<float> three(3);
  EXPECT_EQ(EncodeWav(three, 8000, 2).status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(EncodeWav(three, 0, 1).status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(EncodeWav(three, 8000, 0).status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(EncodeWav(three, int64_t{1} << 40, 1).status().code(),
            absl::StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace headrace
