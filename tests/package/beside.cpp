// What tests/package_test.sh puts after the trainer of README.md: runs it in a program that uses protocol buffers and zlib
// itself, as an application does that links the engine beside other libraries.
#include <google/protobuf/timestamp.pb.h>
#include <zlib.h>

#include <cstdio>

int main() {
  google::protobuf::Timestamp sent, received;
  sent.set_seconds(1234567890);
  if (!received.ParseFromString(sent.SerializeAsString()) || received.seconds() != sent.seconds()) return 1;

  constexpr int64_t kRows = 20;
  std::vector<float> pixels(kRows * 784);
  for (size_t i = 0; i < pixels.size(); ++i) pixels[i] = static_cast<float>(i * 31 % 97) / 97;
  std::vector<int64_t> classes(kRows);
  for (int64_t i = 0; i < kRows; ++i) classes[i] = i % 10;
  const Status status = Train(Tensor::Of<float>(pixels, {kRows, 784}), Tensor::Of<int64_t>(classes, {kRows}));
  if (!status.ok()) return std::fprintf(stderr, "%s\n", status.ToString().c_str()), 1;

  const unsigned char text[] = "123456789";
  return crc32(0, text, 9) == 0xcbf43926 ? 0 : 1;
}
