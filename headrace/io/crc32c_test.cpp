#include "headrace/io/crc32c.h"

#include <gtest/gtest.h>

#include <numeric>
#include <string>
#include <vector>

namespace headrace {
namespace {

// RFC 3720, appendix B.4.
TEST(Crc32c, KnownValues) {
  std::string bytes(32, '\0');
  EXPECT_EQ(Crc32c(bytes), 0x8a9136aau);
  bytes.assign(32, '\xff');
  EXPECT_EQ(Crc32c(bytes), 0x62a8ab43u);
  std::iota(bytes.begin(), bytes.end(), '\0');
  EXPECT_EQ(Crc32c(bytes), 0x46dd794eu);
  EXPECT_EQ(Crc32c("123456789"), 0xe3069283u);
  EXPECT_EQ(Crc32c(""), 0u);
}

TEST(Crc32c, InstructionAndTablesAgreeAtEverySizeAndOffset) {
  std::vector<uint8_t> data(60000);
  uint32_t x = 1;
  for (uint8_t& b : data) b = static_cast<uint8_t>((x = x * 1664525 + 1013904223) >> 24);
  std::vector<size_t> sizes;
  for (size_t n = 0; n < 40; ++n) sizes.push_back(n);
  for (size_t n : {255, 767, 768, 769, 1535, 1536, 12287, 12288, 12289, 24576, 50001})
    sizes.push_back(n);
  for (size_t offset : {0, 1, 7}) {
    for (size_t n : sizes) {
      EXPECT_EQ(ExtendCrc32c(77, &data[offset], n),
                internal::ExtendCrc32cPortable(77, &data[offset], n))
          << n;
    }
  }
}

TEST(Crc32c, ExtendContinues) {
  const std::string bytes(20000, 'x');
  for (size_t cut : {0, 1, 300, 12288, 20000}) {
    EXPECT_EQ(ExtendCrc32c(Crc32c(bytes.data(), cut), bytes.data() + cut, bytes.size() - cut),
              Crc32c(bytes));
  }
}

TEST(Crc32c, MaskIsUndone) {
  for (uint32_t crc : {0u, 1u, 0xe3069283u, 0xffffffffu}) {
    EXPECT_NE(MaskCrc32c(crc), crc);
    EXPECT_EQ(UnmaskCrc32c(MaskCrc32c(crc)), crc);
  }
}

}  // namespace
}  // namespace headrace
