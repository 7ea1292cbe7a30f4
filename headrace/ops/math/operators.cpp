#include "headrace/ops/math/operators.h"

#include "headrace/ops/array/int_arg.h"
#include "headrace/ops/math/binary.h"
#include "headrace/ops/math/cast.h"
#include "headrace/ops/math/internal/make_binary.h"
#include "headrace/ops/math/unary.h"

namespace headrace {
namespace {

using internal::MakeBinary;

// What Python's true division computes in: null dtype = the operands' own.
DType DivisionType(DType type) {
  switch (type) {
    case DType::kInt8:
    case DType::kUInt8:
    case DType::kInt16:
    case DType::kUInt16:
      return DType::kFloat32;
    case DType::kInt32:
    case DType::kInt64:
    case DType::kUInt32:
    case DType::kUInt64:
      return DType::kFloat64;
    default:
      return DType::kInvalid;
  }
}

}  // namespace

Output operator+(Operand x, Operand y) {
  return MakeBinary("Add", x, y, "", "add", x.where());
}
Output operator-(Operand x, Operand y) {
  return MakeBinary("Sub", x, y, "", "sub", x.where());
}
Output operator*(Operand x, Operand y) {
  return MakeBinary("Mul", x, y, "", "mul", x.where());
}
Output operator%(Operand x, Operand y) {
  return MakeBinary("FloorMod", x, y, "", "mod", x.where());
}
Output operator&(Operand x, Operand y) {
  return MakeBinary("LogicalAnd", x, y, "", "and", x.where());
}
Output operator|(Operand x, Operand y) {
  return MakeBinary("LogicalOr", x, y, "", "or", x.where());
}

Output operator/(Operand x, Operand y) {
  const Output tensor = x.is_tensor() ? x.output() : y.is_tensor() ? y.output() : Output();
  if (!tensor.valid()) return {};
  const DType type = DivisionType(tensor.value_dtype());
  if (type == DType::kInvalid) return MakeBinary("RealDiv", x, y, "", "truediv", x.where());
  Graph& graph = *tensor.graph();
  OpScope scope(graph, "", "truediv");
  const Output a = Cast(x.In(graph, "x", tensor.value_dtype(), x.where()), type, {}, x.where());
  const Output b = Cast(y.In(graph, "y", tensor.value_dtype(), x.where()), type, {}, x.where());
  return NodeBuilder("RealDiv", scope.op_name(), x.where()).Input(a).Input(b).Build();
}

Output operator-(Operand x) {
  return Neg(x.output(), {}, x.where());
}
Output operator~(Operand x) {
  return LogicalNot(x.output(), {}, x.where());
}

}  // namespace headrace
