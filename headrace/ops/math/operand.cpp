#include "headrace/ops/math/operand.h"

#include <cmath>

#include "headrace/base/strings.h"
#include "headrace/ops/array/constant.h"
#include "headrace/ops/state/variable.h"

namespace headrace {
namespace {

// Does the dtype hold this number, up to rounding of fractions in floating types?
bool Holds(DType type, double number, bool is_integer, int64_t integer) {
  if (IsFloating(type) || IsComplex(type)) return true;
  if (type == DType::kBool) return is_integer && (integer == 0 || integer == 1);
  if (!IsInteger(type) || number != std::floor(number)) return false;
  switch (type) {
    case DType::kInt8:
      return number >= -128 && number <= 127;
    case DType::kUInt8:
      return number >= 0 && number <= 255;
    case DType::kInt16:
      return number >= -32768 && number <= 32767;
    case DType::kUInt16:
      return number >= 0 && number <= 65535;
    case DType::kInt32:
      return number >= -2147483648.0 && number <= 2147483647.0;
    case DType::kUInt32:
      return number >= 0 && number <= 4294967295.0;
    case DType::kUInt64:
      return number >= 0 && number < 18446744073709551616.0;
    default:
      return number >= -9223372036854775808.0 && number < 9223372036854775808.0;
  }
}

}  // namespace

Output Operand::In(Graph& graph, std::string_view name, DType type, Location where) const {
  if (is_tensor_) {
    return output_.dtype() == DType::kResource ? Variable::Of(output_).Read(where) : output_;
  }
  if (!Holds(type, number_, is_integer_, integer_)) {
    graph.ReportError(InvalidArgument(where.ToString(), where.known() ? ": " : "", "the number ",
                                      number_, " is no ", DTypeName(type),
                                      ", the dtype of the tensor it meets"));
    return {};
  }
  if (is_integer_ && type == DType::kInt64) {  // exact beyond 2^53
    return Const(graph, Tensor::Scalar<int64_t>(integer_), {.name = std::string(name)}, where);
  }
  return ConstScalar(graph, number_, type, {.name = std::string(name)}, where);
}

}  // namespace headrace
