#include "headrace/ops/data/lookup.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>
#include <thread>

#include "headrace/base/strings.h"
#include "headrace/ops/array/constant.h"
#include "headrace/ops/data/lookup_table.h"
#include "headrace/ops/testing/graph_runner.h"

namespace headrace {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr TableTypes kInts{.key_type = DType::kInt64, .value_type = DType::kInt64};

Tensor Ints(std::vector<int64_t> values) {
  return Tensor::Of<int64_t>(values, {static_cast<int64_t>(values.size())});
}

int64_t Value(const LookupTable& table, int64_t key) {
  Tensor found(DType::kInt64, {1});
  EXPECT_TRUE(table.Find(Ints({key}), Tensor::Scalar(int64_t{-1}), found).ok());
  return *found.data<int64_t>();
}

std::shared_ptr<LookupTable> Dense() {
  return MakeDenseTable(kInts, {.empty_key = Tensor::Scalar(int64_t{-1}),
                                .deleted_key = Tensor::Scalar(int64_t{-2}),
                                .buckets = 4})
      .value();
}

// What tables hold after many changes is what a map would.
TEST(LookupTable, AgreesWithAMap) {
  for (const auto& table : {MakeMutableTable(kInts), Dense()}) {
    std::map<int64_t, int64_t> map;
    std::mt19937 random(7);
    for (int step = 0; step < 5000; ++step) {
      const auto key = static_cast<int64_t>(random() % 300), value = static_cast<int64_t>(step);
      if (random() % 3 == 0) {
        map.erase(key);
        ASSERT_TRUE(table->Remove(Ints({key})).ok());
      } else {
        map[key] = value;
        ASSERT_TRUE(table->Insert(Ints({key}), Ints({value})).ok());
      }
    }
    EXPECT_EQ(table->size(), static_cast<int64_t>(map.size()));
    for (int64_t key = 0; key < 300; ++key) {
      EXPECT_EQ(Value(*table, key), map.contains(key) ? map[key] : -1) << key;
    }
  }
}

TEST(LookupTable, ImportTakesWhatExportGave) {
  const auto from = Dense(), to = Dense();
  for (int64_t key = 0; key < 100; ++key)
    ASSERT_TRUE(from->Insert(Ints({key * 7}), Ints({key})).ok());
  ASSERT_TRUE(from->Remove(Ints({7, 14})).ok());
  const auto [keys, values] = from->Export();
  ASSERT_TRUE(to->Import(keys.Reshaped({keys.dim(0)}), values.Reshaped({values.dim(0)})).ok());
  EXPECT_EQ(to->size(), 98);
  EXPECT_EQ(Value(*to, 693), 99);
  EXPECT_EQ(Value(*to, 7), -1);
}

TEST(LookupTable, IsReadWhileItIsChanged) {
  for (const auto& table : {MakeMutableTable(kInts), Dense()}) {
    std::thread writer([&] {
      for (int64_t key = 0; key < 3000; ++key)
        table->Insert(Ints({key}), Ints({key})).IgnoreError();
    });
    for (int64_t key = 0; key < 3000; ++key) {
      const int64_t value = Value(*table, key);
      EXPECT_TRUE(value == key || value == -1);
    }
    writer.join();
    EXPECT_EQ(table->size(), 3000);
  }
}

TEST(LookupTable, AFailedInitializerLeavesTheTableEmpty) {
  const auto table = MakeStaticTable(kInts);
  EXPECT_EQ(table->Import(Ints({1, 1}), Ints({1, 2})).code(),
            absl::StatusCode::kFailedPrecondition);
  EXPECT_EQ(table->size(), 0);
  EXPECT_TRUE(table->Import(Ints({1, 2}), Ints({1, 2})).ok());
  EXPECT_EQ(Value(*table, 2), 2);
}

TEST(Lookup, BuildersAndKernelsAgree) {
  Graph g;
  const Output table = HashTable(g, DType::kString, DType::kInt64);
  const Output keys = Const(g, Tensor::Of<std::string>({"a", "b"}));
  Node* init = InitializeTable(table, keys, Const(g, Ints({5, 6})));
  const Output words = Const(g, Tensor::Of<std::string>({"b", "c"}));
  const Output found = LookupTableFind(table, words, Const(g, int64_t{-1}));
  ASSERT_TRUE(g.status().ok()) << g.status();
  EXPECT_EQ(found.shape().ToString(), "[2]");
  testing::GraphRunner runner;
  EXPECT_THAT(std::string(Message(runner.Run({found}).status())),
              HasSubstr("Table not initialized."));
  ASSERT_TRUE(runner.RunNode(init).ok());
  EXPECT_THAT(runner.Run({found}).value()[0].flat<int64_t>(), ElementsAre(6, -1));
  EXPECT_EQ(runner.Run({LookupTableSize(table)}).value()[0].scalar<int64_t>(), 2);
}

TEST(Lookup, RefusesTablesThatCannotBe) {
  Graph g;
  testing::GraphRunner runner;
  const auto message = [&](DenseHashTableOptions options, int64_t deleted) {
    const Output table = MutableDenseHashTable(Const(g, int64_t{0}), Const(g, deleted),
                                               DType::kInt64, std::move(options));
    return std::string(Message(runner.Run({LookupTableSize(table)}).status()));
  };
  EXPECT_THAT(message({.initial_num_buckets = int64_t{1} << 50}, 1),
              HasSubstr("Number of buckets"));
  EXPECT_THAT(message({.value_shape = {1 << 20, 1 << 20}}, 1), HasSubstr("no memory for 131072"));
  EXPECT_THAT(message({.max_load_factor = 0.0f}, 1), HasSubstr("max_load_factor must be between"));
  EXPECT_THAT(message({}, 0), HasSubstr("Empty and deleted keys cannot be equal"));
}

}  // namespace
}  // namespace headrace
