// Rows of one dtype that grow: what tables keep their keys and values in.
#pragma once

#include <algorithm>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "headrace/tensor/tensor.h"

namespace headrace {

// The bytes that tell one key from another: those of its elements, or its text.
inline std::string_view KeyBytes(const Tensor& keys, int64_t row, int64_t row_elements) {
  if (keys.dtype() == DType::kString) return keys.data<std::string>()[row * row_elements];
  const size_t bytes = SizeOf(keys.dtype()) * static_cast<size_t>(row_elements);
  return {static_cast<const char*>(keys.raw_data()) + static_cast<size_t>(row) * bytes, bytes};
}

class TableRows {
 public:
  TableRows(DType type, const Shape& row_shape)
      : type_(type), row_shape_(row_shape), elements_(row_shape.num_elements()) {}

  int64_t size() const { return size_; }
  int64_t elements() const { return elements_; }

  void Append(const Tensor& from, int64_t row) {
    Resize(size_ + 1);
    Set(size_ - 1, from, row);
  }
  // New rows are zeros, or empty texts.
  void Resize(int64_t size) {
    size_ = size;
    if (type_ == DType::kString) {
      texts_.resize(Count(size));
    } else {
      bytes_.resize(Count(size) * SizeOf(type_));
    }
  }
  // Row `at` becomes row `row` of `from`.
  void Set(int64_t at, const Tensor& from, int64_t row) {
    if (type_ == DType::kString) {
      const std::string* texts = from.data<std::string>() + row * elements_;
      std::copy(texts, texts + elements_, texts_.begin() + at * elements_);
    } else {
      std::memcpy(Bytes(at), static_cast<const char*>(from.raw_data()) + Offset(row), Offset(1));
    }
  }
  void Get(int64_t at, Tensor& to, int64_t row) const {
    if (type_ == DType::kString) {
      std::copy_n(texts_.begin() + at * elements_, elements_,
                  to.data<std::string>() + row * elements_);
    } else {
      std::memcpy(static_cast<char*>(to.raw_data()) + Offset(row), bytes_.data() + Offset(at),
                  Offset(1));
    }
  }
  bool Equals(int64_t at, const Tensor& from, int64_t row) const {
    if (type_ == DType::kString) {
      return std::equal(texts_.begin() + at * elements_, texts_.begin() + (at + 1) * elements_,
                        from.data<std::string>() + row * elements_);
    }
    return std::memcmp(bytes_.data() + Offset(at),
                       static_cast<const char*>(from.raw_data()) + Offset(row), Offset(1)) == 0;
  }
  // Whether row `at` is row `row` of another one with rows of this kind.
  bool EqualsRow(int64_t at, const TableRows& other, int64_t row) const {
    if (type_ == DType::kString) {
      return std::equal(texts_.begin() + at * elements_, texts_.begin() + (at + 1) * elements_,
                        other.texts_.begin() + row * elements_);
    }
    return std::memcmp(bytes_.data() + Offset(at), other.bytes_.data() + Offset(row), Offset(1)) ==
           0;
  }
  // The last row comes to where `at` was.
  void TakeOut(int64_t at) {
    const Tensor last = Rows(size_ - 1, size_);
    Set(at, last, 0);
    Resize(size_ - 1);
  }
  Tensor Rows(int64_t begin, int64_t end) const {
    std::vector<int64_t> dims{end - begin};
    dims.insert(dims.end(), row_shape_.dims().begin(), row_shape_.dims().end());
    Tensor rows(type_, Shape(dims));
    for (int64_t i = begin; i < end; ++i) Get(i, rows, i - begin);
    return rows;
  }
  Tensor All() const { return Rows(0, size_); }
  int64_t memory_bytes() const {
    return static_cast<int64_t>(bytes_.capacity() + texts_.capacity() * sizeof(std::string));
  }

 private:
  size_t Count(int64_t rows) const { return static_cast<size_t>(rows * elements_); }
  size_t Offset(int64_t row) const { return Count(row) * SizeOf(type_); }
  char* Bytes(int64_t row) { return bytes_.data() + Offset(row); }

  DType type_;
  Shape row_shape_;
  int64_t elements_;
  int64_t size_ = 0;
  std::vector<char> bytes_;
  std::vector<std::string> texts_;
};

}  // namespace headrace
