// MutableDenseHashTable: open addressing over a power of two of buckets.
#include <mutex>
#include <optional>
#include <shared_mutex>

#include "headrace/base/strings.h"
#include "headrace/ops/data/lookup_table.h"
#include "headrace/ops/data/table_rows.h"
#include "headrace/ops/strings/hash.h"

namespace headrace {
namespace {

constexpr int64_t kMostBuckets = int64_t{1} << 40;

uint64_t HashOf(const Tensor& keys, int64_t at) {
  if (keys.dtype() == DType::kString) return Hash64(keys.data<std::string>()[at]);
  if (keys.dtype() == DType::kInt32)
    return static_cast<uint64_t>(int64_t{keys.data<int32_t>()[at]});
  return static_cast<uint64_t>(keys.data<int64_t>()[at]);
}

class DenseTable final : public LookupTable {
 public:
  DenseTable(TableTypes types, const DenseTableOptions& options)
      : LookupTable(std::move(types)),
        max_load_factor_(options.max_load_factor),
        empty_key_(options.empty_key.Clone()),
        key_elements_(this->types().key_shape.num_elements()),
        marks_(this->types().key_type, this->types().key_shape),
        keys_(this->types().key_type, this->types().key_shape),
        values_(this->types().value_type, this->types().value_shape) {
    marks_.Append(empty_key_, 0);
    if (options.deleted_key.valid()) marks_.Append(options.deleted_key, 0);
    MakeBuckets(options.buckets);
  }

  int64_t memory_bytes() const override {
    std::shared_lock lock(mutex_);
    return keys_.memory_bytes() + values_.memory_bytes();
  }
  int64_t size() const override {
    std::shared_lock lock(mutex_);
    return entries_;
  }
  Status Find(const Tensor& keys, const Tensor& default_value, Tensor& values) const override {
    HR_RETURN_IF_ERROR(CheckKeys(keys));
    std::shared_lock lock(mutex_);
    TableRows missing(types().value_type, types().value_shape);
    missing.Append(default_value, 0);
    for (int64_t i = 0; i < Rows(keys); ++i) {
      const std::optional<int64_t> bucket = BucketOf(keys, i);
      bucket ? values_.Get(*bucket, values, i) : missing.Get(0, values, i);
    }
    return absl::OkStatus();
  }
  Status Insert(const Tensor& keys, const Tensor& values) override {
    HR_RETURN_IF_ERROR(CheckKeys(keys));
    std::unique_lock lock(mutex_);
    HR_RETURN_IF_ERROR(MakeRoom(Rows(keys)));
    for (int64_t i = 0; i < Rows(keys); ++i) Put(keys, values, i);
    return absl::OkStatus();
  }
  Status Remove(const Tensor& keys) override {
    if (marks_.size() <= kDeleted)
      return Unimplemented("Remove needs a table with a deleted_key (MutableDenseHashTableV2)");
    HR_RETURN_IF_ERROR(CheckKeys(keys));
    const Tensor deleted_key = marks_.Rows(kDeleted, kDeleted + 1);
    std::unique_lock lock(mutex_);
    for (int64_t i = 0; i < Rows(keys); ++i) {
      if (const std::optional<int64_t> bucket = BucketOf(keys, i)) {
        keys_.Set(*bucket, deleted_key, 0);
        --entries_;
      }
    }
    return absl::OkStatus();
  }
  // Of what Export gave, or of entries alone.
  Status Import(const Tensor& keys, const Tensor& values) override {
    std::unique_lock lock(mutex_);
    const int64_t rows = Rows(keys);
    int64_t buckets = 4;
    while (buckets < rows) buckets *= 2;
    MakeBuckets(buckets);
    for (int64_t i = 0; i < rows; ++i) {
      if (IsEmpty(keys, i) || IsDeleted(keys, i)) continue;
      HR_RETURN_IF_ERROR(MakeRoom(1));
      Put(keys, values, i);
    }
    return absl::OkStatus();
  }
  // Scalars have a dimension of 1, as in TensorFlow.
  std::pair<Tensor, Tensor> Export() const override {
    std::shared_lock lock(mutex_);
    const auto wide = [](Tensor all) {
      return all.rank() == 1 ? all.Reshaped({all.dim(0), 1}) : all;
    };
    return {wide(keys_.All()), wide(values_.All())};
  }

 private:
  int64_t Rows(const Tensor& keys) const {
    return key_elements_ == 0 ? 0 : keys.num_elements() / key_elements_;
  }
  bool IsEmpty(const Tensor& keys, int64_t row) const { return marks_.Equals(kEmpty, keys, row); }
  bool IsDeleted(const Tensor& keys, int64_t row) const {
    return marks_.size() > kDeleted && marks_.Equals(kDeleted, keys, row);
  }
  Status CheckKeys(const Tensor& keys) const {
    for (int64_t i = 0; i < Rows(keys); ++i) {
      if (IsEmpty(keys, i))
        return InvalidArgument("Using the empty_key as a table key is not allowed");
      if (IsDeleted(keys, i))
        return InvalidArgument("Using the deleted_key as a table key is not allowed");
    }
    return absl::OkStatus();
  }
  // TensorFlow's, so that a key has the same bucket.
  uint64_t Hash(const Tensor& keys, int64_t row) const {
    if (types().key_shape.rank() == 0) return HashOf(keys, row);
    uint64_t hash = 0;
    for (int64_t k = 0; k < key_elements_; ++k) {
      hash ^=
          HashOf(keys, row * key_elements_ + k) + 0x9e3779b97f4a7800u + (hash << 10) + (hash >> 4);
    }
    return hash;
  }

  // REQUIRES of all below: mutex_ is held.

  // stop(bucket) -> bool at each bucket where the key may be, in their order.
  template <class Stop>
  void Probe(const Tensor& keys, int64_t row, Stop&& stop) const {
    const uint64_t mask = static_cast<uint64_t>(keys_.size()) - 1;
    uint64_t bucket = Hash(keys, row) & mask;
    for (uint64_t probes = 1; probes <= mask + 1; ++probes) {
      if (stop(static_cast<int64_t>(bucket))) return;
      bucket = (bucket + probes) & mask;
    }
  }
  std::optional<int64_t> BucketOf(const Tensor& keys, int64_t row) const {
    std::optional<int64_t> found;
    Probe(keys, row, [&](int64_t bucket) {
      if (keys_.Equals(bucket, keys, row)) found = bucket;
      return found || keys_.EqualsRow(bucket, marks_, kEmpty);
    });
    return found;
  }
  void Put(const Tensor& keys, const Tensor& values, int64_t row) {
    int64_t free = -1;
    const std::optional<int64_t> there = BucketOf(keys, row);
    if (!there) {
      Probe(keys, row, [&](int64_t bucket) {
        if (keys_.EqualsRow(bucket, marks_, kEmpty) ||
            (marks_.size() > kDeleted && keys_.EqualsRow(bucket, marks_, kDeleted))) {
          free = bucket;
        }
        return free >= 0;
      });
      ++entries_;
      keys_.Set(free, keys, row);
    }
    values_.Set(there.value_or(free), values, row);
  }
  // More buckets, until `count` entries more leave enough of them free.
  Status MakeRoom(int64_t count) {
    const double wanted = static_cast<double>(entries_ + count);
    int64_t buckets = keys_.size();
    while (wanted > static_cast<double>(buckets) * max_load_factor_) {
      buckets *= 2;
      if (buckets > kMostBuckets)
        return absl::ResourceExhaustedError(StrCat("no table for ", entries_ + count, " entries"));
    }
    if (buckets == keys_.size()) return absl::OkStatus();
    const Tensor keys = keys_.All(), values = values_.All();
    MakeBuckets(buckets);
    for (int64_t i = 0; i < keys.dim(0); ++i) {
      if (!IsEmpty(keys, i) && !IsDeleted(keys, i)) Put(keys, values, i);
    }
    return absl::OkStatus();
  }
  void MakeBuckets(int64_t count) {
    keys_.Resize(0);
    values_.Resize(0);
    values_.Resize(count);
    keys_.Resize(count);
    for (int64_t i = 0; i < count; ++i) keys_.Set(i, empty_key_, 0);
    entries_ = 0;
  }

  const double max_load_factor_;
  static constexpr int64_t kEmpty = 0, kDeleted = 1;  // rows of marks_
  const Tensor empty_key_;
  const int64_t key_elements_;
  TableRows marks_;
  mutable std::shared_mutex mutex_;
  TableRows keys_, values_;  // one row for each bucket
  int64_t entries_ = 0;
};

}  // namespace

StatusOr<std::shared_ptr<LookupTable>> MakeDenseTable(TableTypes types,
                                                      const DenseTableOptions& options) {
  types.key_shape = options.empty_key.shape();
  if (types.key_shape.rank() > 1)
    return InvalidArgument("Empty key must be a scalar or a vector, got shape ",
                           types.key_shape.ToString());
  if (types.key_shape.num_elements() == 0)
    return InvalidArgument("Empty key must have elements, got shape ", types.key_shape.ToString());
  if (options.deleted_key.valid()) {
    if (options.deleted_key.shape() != types.key_shape)
      return InvalidArgument(
          "Empty and deleted keys must have same shape, got shapes: ", types.key_shape.ToString(),
          " and ", options.deleted_key.shape().ToString());
    TableRows empty(types.key_type, types.key_shape);
    empty.Append(options.empty_key, 0);
    if (empty.Equals(0, options.deleted_key, 0))
      return InvalidArgument("Empty and deleted keys cannot be equal");
  }
  const int64_t buckets = options.buckets;
  if (buckets < 4 || (buckets & (buckets - 1)) != 0 || buckets > kMostBuckets)
    return InvalidArgument("Number of buckets must be at least 4 and a power of 2, got: ", buckets);
  if (!(options.max_load_factor > 0 && options.max_load_factor <= 1))
    return InvalidArgument("max_load_factor must be between 0 and 1, got: ",
                           options.max_load_factor);
  const auto bytes_of = [&](const Shape& shape, DType type) {
    return static_cast<double>(shape.num_elements()) * static_cast<double>(SizeOf(type)) *
           static_cast<double>(buckets);
  };
  if (bytes_of(types.key_shape, types.key_type) + bytes_of(types.value_shape, types.value_type) >
      static_cast<double>(kMostBuckets))
    return absl::ResourceExhaustedError(StrCat("no memory for ", buckets, " buckets"));
  return std::make_shared<DenseTable>(std::move(types), options);
}

}  // namespace headrace
