// An argument of whole numbers (a shape, an axis, sizes): a tensor, or numbers that the builder
// turns into a constant.
//
//   Output Reshape(Output x, IntArg shape, OpOptions o = {}, ...);
//   Reshape(x, {-1, 784});      // makes the constant "Reshape/shape", as TensorFlow does
//   Reshape(x, ShapeOf(y));
//
// Value types; graph nodes are made by the builder that takes them.
#pragma once

#include <initializer_list>
#include <span>
#include <string_view>
#include <vector>

#include "headrace/graph/graph.h"

namespace headrace {

class IntArg {
 public:
  IntArg(Output output) : output_(output), is_output_(true) {}         // NOLINT: reads as a value
  IntArg(int value) : values_{value}, is_scalar_(true) {}              // NOLINT
  IntArg(int64_t value) : values_{value}, is_scalar_(true) {}          // NOLINT
  IntArg(std::initializer_list<int64_t> values) : values_(values) {}   // NOLINT
  IntArg(std::vector<int64_t> values) : values_(std::move(values)) {}  // NOLINT
  IntArg(std::span<const int64_t> values) : values_(values.begin(), values.end()) {}  // NOLINT
  IntArg(const Shape& shape) : IntArg(shape.dims()) {}                                // NOLINT

  // A matrix of `columns` columns from numbers in a row (paddings).
  static IntArg Matrix(std::vector<int64_t> values, int64_t columns);
  // A vector of scalars, some of which are tensors: a Pack, whose numbers become constants
  // "<name>/0", "<name>/1".
  static IntArg Packed(std::vector<IntArg> scalars);

  bool is_output() const { return is_output_; }
  bool is_packed() const { return !packed_.empty(); }
  const Output& output() const { return output_; }
  const std::vector<int64_t>& values() const { return values_; }  // REQUIRES: neither
  // False if it holds an invalid Output.
  bool valid() const;
  // The tensor, or a new constant (or Pack) called `name` in the current scope: of `type`, or int64
  // where a number does not fit.
  Output In(Graph& graph, std::string_view name, DType type, Location where) const;

 private:
  Output Pack(Graph& graph, std::string_view name, Location where) const;

  Output output_;
  std::vector<int64_t> values_;
  std::vector<IntArg> packed_;
  int64_t columns_ = 0;
  bool is_output_ = false;
  bool is_scalar_ = false;
};

// The name scope that an op shares with the constants made for its arguments. Opened only when
// there are any, so that names come out as TensorFlow's.
//
//   OpScope scope(graph, o.name, "Reshape");
//   Output s = shape.In(graph, "shape", DType::kInt32, where);
//   return NodeBuilder(graph, "Reshape", scope.op_name(), where).Input(x).Input(s).Build();
class OpScope {
 public:
  OpScope(Graph& graph, std::string_view name, std::string_view default_name)
      : scope_(graph, name.empty() ? default_name : name), op_name_(graph.name_scope() + "/") {}
  const std::string& op_name() const { return op_name_; }

 private:
  NameScope scope_;
  std::string op_name_;
};

}  // namespace headrace
