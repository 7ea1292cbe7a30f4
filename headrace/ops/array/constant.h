// Tensors that are known when the graph is built, and tensors filled with one value.
//
//   Output a = Const(g, 2.0f);                         // scalar, of the C++ value's dtype
//   Output b = Const(g, {1.0f, 2.0f}, {.name = "b"});  // vector; {{1, 2}, {3, 4}} is a matrix
//   Output c = Const(g, tensor);                       // shares its bytes, however large
//   Output d = Zeros(g, {3, 4}, DType::kFloat32);
#pragma once

#include <concepts>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "headrace/ops/array/int_arg.h"
#include "headrace/ops/options.h"

namespace headrace {

// C++ types that are elements of tensors, without those that are read as text.
template <class T>
concept ConstElement = requires {
  internal::DTypeOfImpl<T>::value;
}
&&!std::same_as<T, std::string>;

// A constant. The node keeps a reference to the tensor's bytes and never copies them: do not write
// to them afterwards. Errors: InvalidArgument for a tensor that is not valid. Gradient: none.
// Source: TensorFlow Const.
Output Const(Graph& g, Tensor value, OpOptions o = {}, Location where = Location::Current());

template <ConstElement T>
Output Const(Graph& g, T value, OpOptions o = {}, Location where = Location::Current()) {
  return Const(g, Tensor::Scalar<T>(value), std::move(o), where);
}
template <ConstElement T>
Output Const(Graph& g, std::initializer_list<T> values, OpOptions o = {},
             Location where = Location::Current()) {
  return Const(g, Tensor::Of<T>(values), std::move(o), where);
}
template <ConstElement T>
Output Const(Graph& g, std::span<const T> values, const Shape& shape, OpOptions o = {},
             Location where = Location::Current()) {
  return Const(g, Tensor::Of<T>(values, shape), std::move(o), where);
}
template <ConstElement T>
Output Const(Graph& g, std::initializer_list<std::initializer_list<T>> rows, OpOptions o = {},
             Location where = Location::Current()) {
  std::vector<T> values;
  int64_t columns = rows.size() == 0 ? 0 : static_cast<int64_t>(rows.begin()->size());
  for (const auto& row : rows) {
    if (static_cast<int64_t>(row.size()) != columns)
      return Const(g, Tensor(), std::move(o), where);  // ragged
    values.insert(values.end(), row.begin(), row.end());
  }
  Tensor value(kDTypeOf<T>, {static_cast<int64_t>(rows.size()), columns});
  std::copy(values.begin(), values.end(), value.data<T>());
  return Const(g, std::move(value), std::move(o), where);
}
Output Const(Graph& g, std::string_view text, OpOptions o = {},
             Location where = Location::Current());
Output Const(Graph& g, const char* text, OpOptions o = {}, Location where = Location::Current());
Output Const(Graph& g, std::initializer_list<std::string> texts, OpOptions o = {},
             Location where = Location::Current());

// A scalar constant of any numeric dtype (or bool) from a number: for gradients and other code that
// follows the dtype of what it works on. Named "Const" unless said otherwise.
Output ConstScalar(Graph& g, double value, DType dtype, OpOptions o = {},
                   Location where = Location::Current());
// The tensor behind it. An invalid tensor for a dtype without numbers other than string (an empty
// string).
Tensor ScalarTensor(double value, DType dtype);

// `value` at every place of a tensor of shape `dims`. Shapes: `[r], [] -> dims`. DTypes: every one.
// Errors: InvalidArgument for dims that are not a vector, a value that is not a scalar, a negative
// dimension. Gradient: sum of the incoming gradient to `value`. Source: TensorFlow Fill.
Output Fill(IntArg dims, Output value, OpOptions o = {}, Location where = Location::Current());

// Zeros or ones like `x`, named "zeros_like" and "ones_like". Where the shape of `x` is known (and
// `optimize`), zeros are a constant, or a Fill when that would be large; else ZerosLike. Ones are a
// Fill. Gradient: none. Source: tf.zeros_like, ones_like.
struct LikeOptions {
  DType dtype = DType::kInvalid;  // of the result; kInvalid = that of x
  bool optimize = true;
  std::string name;
};
Output ZerosLike(Output x, LikeOptions o = {}, Location where = Location::Current());
Output OnesLike(Output x, LikeOptions o = {}, Location where = Location::Current());

// Zeros or ones of a shape: a constant below 1000 elements, else a Fill, as TensorFlow's zeros()
// and ones().
Output Zeros(Graph& g, IntArg shape, DType dtype = DType::kFloat32, OpOptions o = {},
             Location where = Location::Current());
Output Ones(Graph& g, IntArg shape, DType dtype = DType::kFloat32, OpOptions o = {},
            Location where = Location::Current());

}  // namespace headrace
