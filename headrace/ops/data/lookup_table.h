// Lookup tables that steps share: from keys to values.
//
//   auto table = MakeMutableTable({.key_type = DType::kString, .value_type = DType::kInt64});
//   HR_RETURN_IF_ERROR(table->Insert(keys, values));
//   HR_RETURN_IF_ERROR(table->Find(keys, default_value, &found));
//
// Thread-safe; held by shared_ptr.
#pragma once

#include <memory>
#include <string>
#include <utility>

#include "headrace/kernel/resource.h"
#include "headrace/tensor/tensor.h"

namespace headrace {

struct TableTypes {
  DType key_type = DType::kInvalid;  // int32, int64, string
  DType value_type = DType::kInvalid;
  Shape key_shape, value_shape;  // of one key, and one value
};

// Lines of a file as entries of a table: each is a column, counted from 0, the whole line or its
// number.
struct TextTableSource {
  static constexpr int64_t kWholeLine = -2, kLineNumber = -1;
  std::string path;
  int64_t key_index = kWholeLine, value_index = kLineNumber;
  int64_t lines = -1;  // so many, from the begin; -1: all
  char delimiter = '\t';
};

class LookupTable : public Resource {
 public:
  explicit LookupTable(TableTypes types) : types_(std::move(types)) {}
  std::string_view kind() const override { return "lookup table"; }
  const TableTypes& types() const { return types_; }

  // Keys are of shape [..., key shape], values [..., value shape]: what calls below REQUIRE.
  // Errors: InvalidArgument "Input key shape [1] must end with the table's key shape [2]",
  // "Expected shape [2] for value, got [1]".
  StatusOr<Shape> ValuesShape(const Shape& keys) const;
  Status CheckValues(const Shape& keys, const Shape& values) const;

  // `values` is of ValuesShape; keys that are not there get `default_value`. Errors:
  // FailedPrecondition "Table not initialized."
  virtual Status Find(const Tensor& keys, const Tensor& default_value, Tensor& values) const = 0;
  virtual Status Insert(const Tensor& keys, const Tensor& values) = 0;
  // Keys that are not there are passed over.
  virtual Status Remove(const Tensor& keys) = 0;
  // What the table holds from now on.
  virtual Status Import(const Tensor& keys, const Tensor& values) = 0;
  virtual std::pair<Tensor, Tensor> Export() const = 0;
  virtual int64_t size() const = 0;

 private:
  const TableTypes types_;
};

// Filled once, by Import: another one with as many entries changes nothing. Errors:
// FailedPrecondition "HashTable has different value for same key. Key a has 0 and trying to add
// value 1", "Table was already initialized with different data."
std::shared_ptr<LookupTable> MakeStaticTable(TableTypes types);
std::shared_ptr<LookupTable> MakeMutableTable(TableTypes types);

struct DenseTableOptions {
  Tensor empty_key;
  Tensor deleted_key;  // may be no tensor: then nothing can be removed
  int64_t buckets = 0;
  float max_load_factor = 0.8f;
};
// The buckets are TensorFlow's, and exported as they are: with the empty and the deleted key where
// no entry is. Errors: InvalidArgument "Using the empty_key as a table key is not allowed".
StatusOr<std::shared_ptr<LookupTable>> MakeDenseTable(TableTypes types,
                                                      const DenseTableOptions& options);

// Fills `table` with what a file says. Errors: those of the file system; InvalidArgument "Invalid
// vocab_size in f.txt: expected 5 but got 3", "Field one in line 0 is not a valid int64."
Status FillFromText(LookupTable& table, const TextTableSource& source);

}  // namespace headrace
