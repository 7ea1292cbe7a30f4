#include "headrace/kernel/resource.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "headrace/device/pool_allocator.h"

namespace headrace {
namespace {

class Box final : public Resource {
 public:
  std::string_view kind() const override { return "box"; }
  int64_t memory_bytes() const override { return 7; }
};
class Other final : public Resource {
 public:
  std::string_view kind() const override { return "other"; }
};

StatusOr<std::shared_ptr<Box>> MakeBox() {
  return std::make_shared<Box>();
}

TEST(ResourceStore, CreatesOnceAndFindsAgain) {
  ResourceStore store;
  EXPECT_EQ(store.Lookup<Box>("", "b").status().code(), absl::StatusCode::kNotFound);
  auto made = store.LookupOrCreate<Box>("", "b", MakeBox);
  ASSERT_TRUE(made.ok());
  EXPECT_EQ(*store.LookupOrCreate<Box>("", "b", MakeBox), *made);
  EXPECT_EQ(*store.Lookup<Box>("", "b"), *made);
  EXPECT_NE(*store.LookupOrCreate<Box>("c", "b", MakeBox), *made);
  auto wrong = store.Lookup<Other>("", "b");
  EXPECT_EQ(wrong.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(Message(wrong.status()), "resource 'b' is a box");
  EXPECT_EQ(store.memory_bytes(), 14);
  ASSERT_EQ(store.List().size(), 2u);
  EXPECT_EQ(store.List()[1].first, "c/b");
}

TEST(ResourceStore, FailedCreationLeavesNothing) {
  ResourceStore store;
  auto failed = store.LookupOrCreate<Box>(
      "", "b", []() -> StatusOr<std::shared_ptr<Box>> { return Internal("no"); });
  EXPECT_EQ(Message(failed.status()), "no");
  EXPECT_FALSE(store.Lookup<Box>("", "b").ok());
}

TEST(ResourceStore, RemovesOneOrAContainer) {
  ResourceStore store;
  for (const char* container : {"", "a", "ab"}) {
    for (const char* name : {"x", "y"})
      ASSERT_TRUE(store.LookupOrCreate<Box>(container, name, MakeBox).ok());
  }
  EXPECT_TRUE(store.Remove("", "x").ok());
  EXPECT_EQ(store.Remove("", "x").code(), absl::StatusCode::kNotFound);
  store.RemoveContainer("a");
  EXPECT_EQ(store.List().size(), 3u);  // y, ab/x, ab/y
  std::shared_ptr<Box> held = *store.Lookup<Box>("ab", "x");
  store.Clear();
  EXPECT_TRUE(store.List().empty());
  EXPECT_EQ(held.use_count(), 1);
}

VariableResource Variable() {
  return VariableResource("w", DType::kFloat32, {2}, HostAllocator(), Location::Of("net.cpp", 12));
}

TEST(VariableResource, UninitializedHasTensorFlowsText) {
  VariableResource w = Variable();
  EXPECT_FALSE(w.initialized());
  EXPECT_EQ(w.Read().status().code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_EQ(Message(w.Read().status()),
            "Attempting to use uninitialized value w (made at net.cpp:12)");
  EXPECT_FALSE(w.ReadOrInvalid().valid());
  EXPECT_EQ(w.Update([](Tensor&) { return absl::OkStatus(); }).code(),
            absl::StatusCode::kFailedPrecondition);
  EXPECT_EQ(w.version(), 0);
  EXPECT_EQ(w.memory_bytes(), 0);
}

// A store may be shared by sessions: the one that made a variable may end, and its devices with it, before another
// gives the variable its first value.
TEST(VariableResource, OutlivesTheDeviceItWasMadeFor) {
  auto pool = PoolAllocator::Create(MakeHostRange(1 << 20), {.name = "gpu"});
  ASSERT_TRUE(pool.ok()) << pool.status();
  VariableResource w("w", DType::kFloat32, {2}, **pool);
  const std::weak_ptr<PoolAllocator> watched = *pool;
  pool->reset();
  ASSERT_TRUE(w.Assign(Tensor::Of<float>({1, 2})).ok());
  EXPECT_EQ(w.Read()->flat<float>()[1], 2);
  EXPECT_FALSE(watched.expired());
}

TEST(VariableResource, AssignChecksDtypeAndShape) {
  VariableResource w = Variable();
  EXPECT_EQ(w.Assign(Tensor::Of<int32_t>({1, 2})).code(), absl::StatusCode::kInvalidArgument);
  const Status shape = w.Assign(Tensor::Of<float>({1, 2, 3}));
  EXPECT_EQ(shape.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(Message(shape),
            "Assign requires shapes of both tensors to match. lhs shape= [2] rhs shape= [3] "
            "(variable 'w')");
  EXPECT_FALSE(w.initialized());
  EXPECT_TRUE(w.Assign(Tensor::Of<float>({1, 2, 3}), /*validate_shape=*/false).ok());
  EXPECT_EQ(w.Read()->shape(), Shape({3}));
  // From now on the shape it has counts.
  EXPECT_FALSE(w.Assign(Tensor::Of<float>({1, 2})).ok());
  EXPECT_EQ(w.version(), 1);
}

TEST(VariableResource, WritesInPlaceWithoutReaders) {
  VariableResource w = Variable();
  const Tensor first = Tensor::Of<float>({1, 2}), again = first;
  ASSERT_TRUE(w.Assign(first).ok());
  const void* bytes = w.Read()->raw_data();
  EXPECT_NE(bytes, first.raw_data());  // two hold the value: copied
  const int64_t allocations = HostAllocator().stats().allocations;
  ASSERT_TRUE(w.Update([](Tensor& value) {
                 value.data<float>()[0] = 5;
                 return absl::OkStatus();
               }).ok());
  float more[2] = {7, 8};
  ASSERT_TRUE(w.Assign(Tensor::View(DType::kFloat32, {2}, more)).ok());
  EXPECT_EQ(w.Read()->raw_data(), bytes);
  EXPECT_EQ(w.Read()->flat<float>()[1], 8);
  EXPECT_EQ(HostAllocator().stats().allocations, allocations);
  EXPECT_EQ(w.version(), 3);
}

TEST(VariableResource, AReaderNeverSeesAChange) {
  VariableResource w = Variable();
  ASSERT_TRUE(w.Assign(Tensor::Of<float>({1, 2})).ok());
  const Tensor before = *w.Read();
  ASSERT_TRUE(w.Update([](Tensor& value) {
                 value.data<float>()[0] = 5;
                 return absl::OkStatus();
               }).ok());
  const Tensor between = *w.Read();
  ASSERT_TRUE(w.Assign(Tensor::Of<float>({8, 9})).ok());
  EXPECT_EQ(before.flat<float>()[0], 1);
  EXPECT_EQ(between.flat<float>()[0], 5);
  EXPECT_EQ(w.Read()->flat<float>()[0], 8);
}

TEST(VariableResource, TakesOverAnOwnedValue) {
  VariableResource w = Variable();
  Tensor value = Tensor::Of<float>({3, 4});
  const void* bytes = value.raw_data();
  ASSERT_TRUE(w.Assign(value).ok());
  EXPECT_EQ(w.Read()->raw_data(), bytes);
  // The giver's handle counts as a reader until it goes.
  ASSERT_TRUE(w.Update([](Tensor& t) {
                 t.data<float>()[0] = 9;
                 return absl::OkStatus();
               }).ok());
  EXPECT_EQ(value.flat<float>()[0], 3);
  // Part of a buffer would keep all of it alive: copied.
  Tensor big = Tensor::Of<float>({1, 2, 3, 4}, {2, 2});
  Tensor row = big.SliceDim0(1, 2).Reshaped({2});
  big = Tensor();
  ASSERT_TRUE(w.Assign(row).ok());
  EXPECT_NE(w.Read()->raw_data(), row.raw_data());
  EXPECT_EQ(w.Read()->flat<float>()[1], 4);
}

TEST(VariableResource, FailedUpdateIsNoNewVersion) {
  VariableResource w = Variable();
  ASSERT_TRUE(w.Assign(Tensor::Of<float>({1, 2})).ok());
  EXPECT_EQ(Message(w.Update([](Tensor&) { return Internal("no"); })), "no");
  EXPECT_EQ(w.version(), 1);
}

TEST(VariableResource, StringsAreAssigned) {
  VariableResource w("s", DType::kString, {2}, HostAllocator());
  ASSERT_TRUE(w.Assign(Tensor::Of<std::string>({"a", "b"})).ok());
  const Tensor held = *w.Read();
  ASSERT_TRUE(w.Assign(Tensor::Of<std::string>({"c", "d"})).ok());
  EXPECT_EQ(held.flat<std::string>()[0], "a");
  EXPECT_EQ(w.Read()->flat<std::string>()[1], "d");
}

// Writers keep both halves of the value equal; readers must never see them differ.
TEST(VariableResource, ReadersAndWritersOnManyThreads) {
  constexpr int kSize = 512, kUpdates = 400;
  VariableResource w("w", DType::kInt64, {kSize}, HostAllocator());
  ASSERT_TRUE(w.Assign(Tensor::Of<int64_t>(std::vector<int64_t>(kSize, 0), {kSize})).ok());
  std::atomic<bool> stop{false};
  std::atomic<int> torn{0};
  std::vector<std::thread> readers, writers;
  for (int t = 0; t < 2; ++t) {
    readers.emplace_back([&] {
      while (!stop) {
        const Tensor value = *w.Read();
        const int64_t seen = value.flat<int64_t>()[0];
        for (int64_t x : value.flat<int64_t>()) torn += x != seen;
      }
    });
    writers.emplace_back([&] {
      for (int i = 0; i < kUpdates; ++i) {
        EXPECT_TRUE(w.Update([](Tensor& value) {
                       for (int64_t& x : value.flat<int64_t>()) ++x;
                       return absl::OkStatus();
                     }).ok());
      }
    });
  }
  for (std::thread& thread : writers) thread.join();
  stop = true;
  for (std::thread& thread : readers) thread.join();
  EXPECT_EQ(torn, 0);
  EXPECT_EQ(w.Read()->flat<int64_t>()[kSize - 1], 2 * kUpdates);
  EXPECT_EQ(w.version(), 2 * kUpdates + 1);
}

}  // namespace
}  // namespace headrace
