#include "headrace/ops/data/lookup_table.h"

#include <mutex>
#include <shared_mutex>

#include "absl/container/flat_hash_map.h"
#include "headrace/base/strings.h"
#include "headrace/ops/data/table_rows.h"

namespace headrace {

StatusOr<Shape> LookupTable::ValuesShape(const Shape& keys) const {
  const std::span<const int64_t> key = types_.key_shape.dims(), value = types_.value_shape.dims();
  std::span<const int64_t> all = keys.dims();
  if (all.size() < key.size() || !std::ranges::equal(all.last(key.size()), key))
    return InvalidArgument("Input key shape ", keys.ToString(),
                           " must end with the table's key shape ", types_.key_shape.ToString());
  all = all.first(all.size() - key.size());
  std::vector<int64_t> dims(all.begin(), all.end());
  dims.insert(dims.end(), value.begin(), value.end());
  return Shape::Make(dims);
}

Status LookupTable::CheckValues(const Shape& keys, const Shape& values) const {
  HR_ASSIGN_OR_RETURN(const Shape expected, ValuesShape(keys));
  if (values == expected) return absl::OkStatus();
  return InvalidArgument("Expected shape ", expected.ToString(), " for value, got ",
                         values.ToString());
}

namespace {

std::string Shown(const Tensor& tensor, int64_t row) {
  if (tensor.dtype() == DType::kString) return tensor.data<std::string>()[row];
  const std::string text =
      tensor.Reshaped({tensor.num_elements()}).SliceDim0(row, row + 1).ToString();
  const size_t begin = text.find('{') + 1;  // "int64 [1] {7}"
  return text.substr(begin, text.find('}') - begin);
}

// From keys to rows; keys are scalars.
class HashTable : public LookupTable {
 public:
  explicit HashTable(TableTypes types)
      : LookupTable(std::move(types)),
        keys_(this->types().key_type, this->types().key_shape),
        values_(this->types().value_type, this->types().value_shape) {}

  int64_t memory_bytes() const override {
    std::shared_lock lock(mutex_);
    return keys_.memory_bytes() + values_.memory_bytes();
  }
  int64_t size() const override {
    std::shared_lock lock(mutex_);
    return values_.size();
  }
  Status Find(const Tensor& keys, const Tensor& default_value, Tensor& values) const override {
    std::shared_lock lock(mutex_);
    TableRows missing(types().value_type, types().value_shape);
    missing.Append(default_value, 0);
    for (int64_t i = 0; i < keys.num_elements(); ++i) {
      const auto it = Row(keys, i);
      it == rows_.end() ? missing.Get(0, values, i) : values_.Get(it->second, values, i);
    }
    return absl::OkStatus();
  }
  std::pair<Tensor, Tensor> Export() const override {
    std::shared_lock lock(mutex_);
    return {keys_.All(), values_.All()};
  }

 protected:
  using Map = absl::flat_hash_map<std::string, int64_t>;

  // REQUIRES of all below: mutex_ is held.
  Map::const_iterator Row(const Tensor& keys, int64_t i) const {
    const std::string_view bytes = KeyBytes(keys, i, 1);
    return rows_.find(absl::string_view(bytes.data(), bytes.size()));
  }
  void Add(const Tensor& keys, const Tensor& values, int64_t i) {
    rows_.emplace(std::string(KeyBytes(keys, i, 1)), keys_.size());
    keys_.Append(keys, i);
    values_.Append(values, i);
  }
  void TakeOut(Map::const_iterator it) {
    const int64_t row = it->second, last = keys_.size() - 1;
    rows_.erase(it);
    if (row != last) rows_[std::string(KeyBytes(keys_.Rows(last, last + 1), 0, 1))] = row;
    keys_.TakeOut(row);
    values_.TakeOut(row);
  }
  void Clear() {
    rows_.clear();
    keys_.Resize(0);
    values_.Resize(0);
  }

  mutable std::shared_mutex mutex_;
  Map rows_;
  TableRows keys_, values_;
};

class StaticTable final : public HashTable {
 public:
  using HashTable::HashTable;

  Status Find(const Tensor& keys, const Tensor& default_value, Tensor& values) const override {
    {
      std::shared_lock lock(mutex_);
      if (!initialized_) return FailedPrecondition("Table not initialized.");
    }
    return HashTable::Find(keys, default_value, values);
  }
  Status Insert(const Tensor&, const Tensor&) override {
    return Unimplemented("Insert not supported by InitializableLookupTable implementations");
  }
  Status Remove(const Tensor&) override {
    return Unimplemented("Remove not supported by InitializableLookupTable implementations");
  }
  Status Import(const Tensor& keys, const Tensor& values) override {
    std::unique_lock lock(mutex_);
    if (initialized_) {
      if (keys.num_elements() == keys_.size()) return absl::OkStatus();
      return FailedPrecondition("Table was already initialized with different data.");
    }
    Status status;
    for (int64_t i = 0; status.ok() && i < keys.num_elements(); ++i) {
      const auto it = Row(keys, i);
      if (it == rows_.end()) {
        Add(keys, values, i);
      } else if (!values_.Equals(it->second, values, i)) {
        status =
            FailedPrecondition("HashTable has different value for same key. Key ", Shown(keys, i),
                               " has ", Shown(values_.Rows(it->second, it->second + 1), 0),
                               " and trying to add value ", Shown(values, i));
      }
    }
    if (!status.ok()) Clear();
    initialized_ = status.ok();
    return status;
  }

 private:
  bool initialized_ = false;
};

class MutableTable final : public HashTable {
 public:
  using HashTable::HashTable;

  Status Insert(const Tensor& keys, const Tensor& values) override {
    std::unique_lock lock(mutex_);
    Put(keys, values);
    return absl::OkStatus();
  }
  Status Remove(const Tensor& keys) override {
    std::unique_lock lock(mutex_);
    for (int64_t i = 0; i < keys.num_elements(); ++i) {
      if (const auto it = Row(keys, i); it != rows_.end()) TakeOut(it);
    }
    return absl::OkStatus();
  }
  Status Import(const Tensor& keys, const Tensor& values) override {
    std::unique_lock lock(mutex_);
    Clear();
    Put(keys, values);
    return absl::OkStatus();
  }

 private:
  void Put(const Tensor& keys, const Tensor& values) {
    for (int64_t i = 0; i < keys.num_elements(); ++i) {
      const auto it = Row(keys, i);
      it == rows_.end() ? Add(keys, values, i) : values_.Set(it->second, values, i);
    }
  }
};

}  // namespace

std::shared_ptr<LookupTable> MakeStaticTable(TableTypes types) {
  return std::make_shared<StaticTable>(std::move(types));
}
std::shared_ptr<LookupTable> MakeMutableTable(TableTypes types) {
  return std::make_shared<MutableTable>(std::move(types));
}

}  // namespace headrace
