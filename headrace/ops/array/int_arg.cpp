#include "headrace/ops/array/int_arg.h"

#include <algorithm>
#include <limits>

#include "headrace/ops/array/constant.h"

namespace headrace {

IntArg IntArg::Matrix(std::vector<int64_t> values, int64_t columns) {
  IntArg arg(std::move(values));
  arg.columns_ = columns;
  return arg;
}

Output IntArg::In(Graph& graph, std::string_view name, DType type, Location where) const {
  if (is_output_) return output_;
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
