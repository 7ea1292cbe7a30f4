// An operand of an operator or of a function of two tensors: a tensor, a variable, or a number.
//
//   Output y = 2.0f * x + 1;      // the constants "mul/x" and "add/y" have the dtype of x
#pragma once

#include <concepts>
#include <type_traits>

#include "headrace/graph/graph.h"

namespace headrace {

// A value type: holds the tensor or the number, and the line of the program that wrote the
// expression.
class Operand {
 public:
  // From Output, Variable and whatever else converts to Output.
  template <std::convertible_to<Output> T>
  Operand(const T& tensor, Location where = Location::Current())  // NOLINT: reads as a value
      : output_(tensor), where_(where) {}
  template <class T>
  requires std::is_arithmetic_v<T> Operand(
      T number, Location where = Location::Current())  // NOLINT: reads as a value
      : number_(static_cast<double>(number)),
        integer_(static_cast<int64_t>(std::is_integral_v<T> ? number : T{})),
        is_integer_(std::is_integral_v<T>),
        is_tensor_(false),
        where_(where) {}

  bool is_tensor() const { return is_tensor_; }
  const Output& output() const { return output_; }  // REQUIRES: is_tensor()
  double number() const { return number_; }         // REQUIRES: !is_tensor()
  bool is_integer() const { return is_integer_; }   // the number was given as an integer
  Location where() const { return where_; }
  // The tensor, or a new scalar constant called `name` in the current scope. A number that `type`
  // cannot hold exactly (2.5 as int32, 300 as uint8) is an InvalidArgument of the graph and gives
  // an invalid Output.
  Output In(Graph& graph, std::string_view name, DType type, Location where) const;

 private:
  Output output_;
  double number_ = 0;
  int64_t integer_ = 0;
  bool is_integer_ = false;
  bool is_tensor_ = true;
  Location where_;
};

}  // namespace headrace
