#include "headrace/ops/array/int_values.h"

namespace headrace {

StatusOr<IntValues> IntValues::From(const Tensor& tensor, std::string_view what) {
  const int64_t count = tensor.num_elements();
  IntValues values;
  if (count > static_cast<int64_t>(values.values_.size())) {
    return InvalidArgument(what, " must have at most ", values.values_.size(),
                           " elements (tensors have at most ", kMaxRank, " dimensions), got ",
                           count);
  }
  if (tensor.dtype() != DType::kInt32 && tensor.dtype() != DType::kInt64) {
    return InvalidArgument(what, " must be int32 or int64, got ", DTypeName(tensor.dtype()));
  }
  values.size_ = static_cast<int>(count);
  for (int i = 0; i < values.size_; ++i) values.values_[i] = IntAt(tensor, i);
  return values;
}

StatusOr<int64_t> IntScalar(const Tensor& tensor, std::string_view what) {
  if (tensor.num_elements() != 1) {
    return InvalidArgument(what, " must be a scalar, got shape ", tensor.shape().ToString());
  }
  return IntAt(tensor, 0);
}

StatusOr<Shape> ShapeFromTensor(const Tensor& tensor, std::string_view what) {
  if (tensor.rank() != 1) {
    return InvalidArgument(what, " must be a vector, got shape ", tensor.shape().ToString());
  }
  HR_ASSIGN_OR_RETURN(const IntValues dims, IntValues::From(tensor, what));
  return Shape::Make(dims.span());
}

StatusOr<int> ResolveAxis(int64_t axis, int rank, std::string_view what) {
  if (axis < -rank || axis >= rank) {
    return InvalidArgument(what, " ", axis, " is out of range for rank ", rank, ": it must be in [",
                           -rank, ", ", rank, ")");
  }
  return static_cast<int>(axis < 0 ? axis + rank : axis);
}

void StoreInts(std::span<const int64_t> values, Tensor& out) {
  if (out.dtype() == DType::kInt32) {
    for (size_t i = 0; i < values.size(); ++i)
      out.data<int32_t>()[i] = static_cast<int32_t>(values[i]);
  } else {
    std::copy(values.begin(), values.end(), out.data<int64_t>());
  }
}

}  // namespace headrace
