#include "headrace/tensor/tensor.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <thread>

#include "headrace/base/strings.h"

// One test asks for more memory than there is; by default the sanitizers would end the program
// there.
extern "C" const char* __asan_default_options() {
  return "allocator_may_return_null=1";
}
extern "C" const char* __tsan_default_options() {
  return "allocator_may_return_null=1";
}

namespace headrace {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(Tensor, CopiesShareAndClonesDoNot) {
  Tensor x = Tensor::Of<float>({1, 2, 3, 4}, {2, 2});
  EXPECT_TRUE(x.unique());
  Tensor shared = x;
  EXPECT_FALSE(x.unique());
  EXPECT_TRUE(shared.SharesMemoryWith(x));
  Tensor clone = x.Clone();
  EXPECT_FALSE(clone.SharesMemoryWith(x));
  x.flat<float>()[3] = 5;
  EXPECT_EQ(shared.flat<float>()[3], 5);
  EXPECT_EQ(clone.flat<float>()[3], 4);
  EXPECT_EQ(clone.shape(), (Shape{2, 2}));
  shared = Tensor();
  EXPECT_TRUE(x.unique());
  EXPECT_FALSE(shared.valid());
}

TEST(Tensor, MovesAndAssignsToItself) {
  Tensor x = Tensor::Of<int32_t>({1, 2});
  Tensor moved = std::move(x);
  EXPECT_FALSE(x.valid());  // NOLINT: what is left behind is specified
  EXPECT_TRUE(moved.unique());
  Tensor& alias = moved;
  moved = alias;
  moved = std::move(alias);
  EXPECT_THAT(moved.flat<int32_t>(), ElementsAre(1, 2));
  EXPECT_TRUE(moved.unique());
}

TEST(Tensor, MemoryIsAlignedAndCounted) {
  const AllocatorStats before = HostAllocator().stats();
  {
    Tensor x(DType::kFloat32, {1000});
    EXPECT_EQ(reinterpret_cast<uintptr_t>(x.raw_data()) % Allocator::kAlignment, 0u);
    EXPECT_GE(HostAllocator().stats().bytes_in_use, before.bytes_in_use + 4000);
    EXPECT_EQ(HostAllocator().stats().allocations, before.allocations + 1);
    EXPECT_EQ(x.size_bytes(), 4000u);
  }
  EXPECT_EQ(HostAllocator().stats().bytes_in_use, before.bytes_in_use);
  EXPECT_GE(HostAllocator().stats().peak_bytes, before.bytes_in_use + 4000);
}

TEST(Tensor, EmptyOnesAreTensors) {
  Tensor none(DType::kFloat64, {0, 3});
  EXPECT_TRUE(none.valid());
  EXPECT_EQ(none.num_elements(), 0);
  EXPECT_TRUE(none.Clone().valid());
  EXPECT_EQ(none.ToString(), "float64 [0,3] {}");
}

TEST(Tensor, StringsOwnTheirText) {
  const std::string text(100, 'x');
  Tensor words = Tensor::Of<std::string>({text, "b", "c"});
  Tensor clone = words.Clone();
  words.data<std::string>()[0] = "changed";
  EXPECT_EQ(clone.data<std::string>()[0], text);
  Tensor tail = clone.SliceDim0(1, 3);
  clone = Tensor();
  EXPECT_THAT(tail.flat<std::string>(), ElementsAre("b", "c"));
  EXPECT_EQ(words.ToString(), "string [3] {\"changed\", \"b\", \"c\"}");
}

TEST(Tensor, ViewsOfTheSameBytes) {
  Tensor x = Tensor::Of<float>({1, 2, 3, 4, 5, 6}, {3, 2});
  Tensor rows = x.SliceDim0(1, 3);
  EXPECT_EQ(rows.shape(), (Shape{2, 2}));
  EXPECT_THAT(rows.flat<float>(), ElementsAre(3, 4, 5, 6));
  rows.flat<float>()[0] = 9;
  EXPECT_EQ(x.flat<float>()[2], 9);
  EXPECT_EQ(x.Reshaped({6}).shape(), Shape{6});
  EXPECT_EQ(x.Bitcast(DType::kInt32).flat<int32_t>()[0], 0x3f800000);
  EXPECT_EQ(x.SliceDim0(3, 3).num_elements(), 0);
  float memory[2] = {7, 8};
  Tensor view = Tensor::View(DType::kFloat32, {2}, memory);
  EXPECT_FALSE(view.owns_buffer());
  EXPECT_FALSE(view.unique());
  view.flat<float>()[1] = 1;
  EXPECT_EQ(memory[1], 1);
  EXPECT_TRUE(view.Clone().owns_buffer());
}

TEST(Tensor, WrappedMemoryIsReleasedOnce) {
  int released = 0;
  float memory[3] = {1, 2, 3};
  Buffer* buffer = Buffer::Wrap(
      memory, sizeof(memory), [](void* count) { ++*static_cast<int*>(count); }, &released);
  {
    Tensor x = Tensor::Adopt(DType::kFloat32, {3}, buffer);
    Tensor y = x.SliceDim0(1, 2);
    x = Tensor();
    EXPECT_EQ(released, 0);
    EXPECT_EQ(y.flat<float>()[0], 2);
  }
  EXPECT_EQ(released, 1);
}

TEST(Tensor, AllocateReportsWhatCannotBe) {
  EXPECT_EQ(Tensor::Allocate(HostAllocator(), DType::kInvalid, {1}).status().code(),
            absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(Tensor::Allocate(HostAllocator(), DType::kFloat64, {int64_t{1} << 61}).status().code(),
            absl::StatusCode::kInvalidArgument);
  const Status full =
      Tensor::Allocate(HostAllocator(), DType::kFloat32, {int64_t{1} << 55}, "MatMul 'y'").status();
  EXPECT_EQ(full.code(), absl::StatusCode::kResourceExhausted);
  EXPECT_THAT(std::string(Message(full)),
              HasSubstr("out of memory on host: 144115188075855872 bytes wanted for MatMul 'y'"));
}

TEST(Tensor, PrintsAFewElements) {
  EXPECT_EQ(Tensor().ToString(), "(no tensor)");
  EXPECT_EQ(Tensor::Of<float>({1, 2.5f, 3}).ToString(2), "float32 [3] {1, 2.5, ...}");
  EXPECT_EQ(Tensor::Of<bool>({true, false}).ToString(), "bool [2] {true, false}");
  EXPECT_EQ(Tensor::Of<uint8_t>({200}).ToString(), "uint8 [1] {200}");
  EXPECT_EQ(Tensor::Scalar<uint64_t>(std::numeric_limits<uint64_t>::max()).ToString(),
            "uint64 [] {18446744073709551615}");
  EXPECT_EQ(Tensor::Scalar(std::complex<float>(1, -2)).ToString(), "complex64 [] {1-2j}");
  EXPECT_EQ(Tensor::Scalar(Half(0.5f)).ToString(), "float16 [] {0.5}");
}

TEST(Tensor, CountsReferencesFromManyThreads) {
  Tensor x = Tensor::Of<std::string>({std::string(100, 'a')});
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([x] {
      for (int i = 0; i < 20000; ++i) {
        Tensor mine = x;
        Tensor part = mine.SliceDim0(0, 1);
        ASSERT_EQ(part.data<std::string>()->size(), 100u);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  threads.clear();
  EXPECT_TRUE(x.unique());
}

}  // namespace
}  // namespace headrace
