// Reading the small integer tensors that say what to do: shapes, axes, sizes. For kernels and shape
// functions.
#pragma once

#include <array>
#include <span>
#include <string_view>

#include "headrace/base/strings.h"
#include "headrace/tensor/tensor.h"

namespace headrace {

// Up to 2 * kMaxRank numbers of an int32 or int64 tensor (of any shape), without allocation.
class IntValues {
 public:
  // Errors: InvalidArgument for more numbers than fit.
  static StatusOr<IntValues> From(const Tensor& tensor, std::string_view what);

  int size() const { return size_; }
  int64_t operator[](int i) const { return values_[i]; }
  std::span<const int64_t> span() const { return {values_.data(), static_cast<size_t>(size_)}; }
  auto begin() const { return values_.begin(); }
  auto end() const { return values_.begin() + size_; }

 private:
  std::array<int64_t, 2 * kMaxRank> values_;
  int size_ = 0;
};

// One number: a scalar or (as TensorFlow takes it) a tensor with one element. InvalidArgument
// otherwise.
StatusOr<int64_t> IntScalar(const Tensor& tensor, std::string_view what);
// Element i of an int32 or int64 tensor.
inline int64_t IntAt(const Tensor& tensor, int64_t i) {
  return tensor.dtype() == DType::kInt32 ? tensor.data<int32_t>()[i] : tensor.data<int64_t>()[i];
}
// A vector of dimensions as a shape. InvalidArgument for another rank, or a negative dimension.
StatusOr<Shape> ShapeFromTensor(const Tensor& tensor, std::string_view what);
// Axis in [-rank, rank) -> [0, rank). InvalidArgument "axis 3 is out of range for rank 2".
StatusOr<int> ResolveAxis(int64_t axis, int rank, std::string_view what = "axis");
// Writes numbers to an int32 or int64 tensor of that many elements.
void StoreInts(std::span<const int64_t> values, Tensor& out);

}  // namespace headrace
