#include "headrace/ops/array/int_arg.h"

#include <algorithm>
#include <limits>

#include "headrace/base/strings.h"
#include "headrace/ops/array/constant.h"

namespace headrace {

IntArg IntArg::Matrix(std::vector<int64_t> values, int64_t columns) {
  IntArg arg(std::move(values));
  arg.columns_ = columns;
  return arg;
}

IntArg IntArg::Packed(std::vector<IntArg> scalars) {
  IntArg arg(std::vector<int64_t>{});
  const bool all_known =
      std::ranges::all_of(scalars, [](const IntArg& s) { return !s.is_output(); });
  if (all_known) {
    for (const IntArg& scalar : scalars) arg.values_.push_back(scalar.values_.front());
  } else {
    arg.packed_ = std::move(scalars);
  }
  return arg;
}

bool IntArg::valid() const {
  if (is_output_) return output_.valid();
  return std::ranges::all_of(packed_, [](const IntArg& scalar) { return scalar.valid(); });
}

Output IntArg::Pack(Graph& graph, std::string_view name, Location where) const {
  DType type = DType::kInt32;
  for (const IntArg& scalar : packed_) {
    if (scalar.is_output_ && scalar.output_.valid()) type = scalar.output_.value_dtype();
  }
  const OpScope scope(graph, "", name);
  std::vector<Output> elements;
  for (size_t i = 0; i < packed_.size(); ++i) {
    elements.push_back(packed_[i].In(graph, StrCat(i), type, where));
  }
  return NodeBuilder(graph, "Pack", scope.op_name(), where).Inputs(elements).Build();
}

Output IntArg::In(Graph& graph, std::string_view name, DType type, Location where) const {
  if (is_output_) return output_;
  if (is_packed()) return Pack(graph, name, where);
  const bool wide = std::any_of(values_.begin(), values_.end(), [](int64_t v) {
    return v < std::numeric_limits<int32_t>::min() || v > std::numeric_limits<int32_t>::max();
  });
  if (wide) type = DType::kInt64;
  const int64_t count = static_cast<int64_t>(values_.size());
  const headrace::Shape shape = is_scalar_      ? headrace::Shape{}
                                : columns_ != 0 ? headrace::Shape{count / columns_, columns_}
                                                : headrace::Shape{count};
  Tensor value(type, shape);
  if (type == DType::kInt64) {
    std::copy(values_.begin(), values_.end(), value.data<int64_t>());
  } else {
    std::transform(values_.begin(), values_.end(), value.data<int32_t>(),
                   [](int64_t v) { return static_cast<int32_t>(v); });
  }
  return Const(graph, std::move(value), {.name = std::string(name)}, where);
}

}  // namespace headrace
