#include "headrace/graph/internal/small_ints_ops.h"

#include <algorithm>
#include <limits>
#include <unordered_map>

namespace headrace::internal {
namespace {

using Value = std::optional<int64_t>;
using Result = std::optional<SmallInts>;

template <class T>
Result FromTensor(const Tensor& tensor) {
  SmallInts ints{tensor.shape(), {}};
  for (T value : tensor.flat<T>()) ints.values.emplace_back(static_cast<int64_t>(value));
  return ints;
}

Result EvalConst(SmallIntsEvaluator&, const Node& node, int) {
  const Tensor& tensor = node.attrs().Get<Tensor>("value");
  if (!tensor.valid() || tensor.num_elements() > kMaxSmallInts) return std::nullopt;
  if (tensor.dtype() == DType::kInt32) return FromTensor<int32_t>(tensor);
  if (tensor.dtype() == DType::kInt64) return FromTensor<int64_t>(tensor);
  return std::nullopt;
}

// Also ShapeN: output i is about input i.
Result EvalShape(SmallIntsEvaluator&, const Node& node, int output) {
  const PartialShape& shape = node.input(output).shape();
  if (!shape.has_rank()) return std::nullopt;
  std::vector<Value> dims;
  for (int64_t dim : shape.dims()) dims.push_back(dim < 0 ? Value() : Value(dim));
  return SmallInts::Vector(std::move(dims));
}

Result EvalSize(SmallIntsEvaluator&, const Node& node, int) {
  const int64_t size = node.input(0).shape().num_elements();
  return size < 0 ? Result() : SmallInts::Scalar(size);
}

Result EvalRank(SmallIntsEvaluator&, const Node& node, int) {
  const PartialShape& shape = node.input(0).shape();
  return shape.has_rank() ? SmallInts::Scalar(shape.rank()) : Result();
}

Result EvalIdentity(SmallIntsEvaluator& e, const Node& node, int) {
  return e.Input(node, 0);
}

int64_t Wrap(int64_t value, DType type) {
  return type == DType::kInt32 ? static_cast<int32_t>(value) : value;
}

Result EvalCast(SmallIntsEvaluator& e, const Node& node, int) {
  if (node.output_type(0) != DType::kInt32 && node.output_type(0) != DType::kInt64)
    return std::nullopt;
  Result in = e.Input(node, 0);
  if (!in) return in;
  for (Value& value : in->values) {
    if (value) value = Wrap(*value, node.output_type(0));
  }
  return in;
}

// Two's complement as the kernels compute; no value where a kernel would report an error.
Value Add(int64_t a, int64_t b) {
  return static_cast<int64_t>(static_cast<uint64_t>(a) + static_cast<uint64_t>(b));
}
Value Sub(int64_t a, int64_t b) {
  return static_cast<int64_t>(static_cast<uint64_t>(a) - static_cast<uint64_t>(b));
}
Value Mul(int64_t a, int64_t b) {
  return static_cast<int64_t>(static_cast<uint64_t>(a) * static_cast<uint64_t>(b));
}
Value Max(int64_t a, int64_t b) {
  return std::max(a, b);
}
Value Min(int64_t a, int64_t b) {
  return std::min(a, b);
}
bool CanDivide(int64_t a, int64_t b) {
  return b != 0 && !(b == -1 && a == std::numeric_limits<int64_t>::min());
}
Value FloorDiv(int64_t a, int64_t b) {
  if (!CanDivide(a, b)) return std::nullopt;
  return a / b - (a % b != 0 && (a < 0) != (b < 0) ? 1 : 0);
}
Value FloorMod(int64_t a, int64_t b) {
  if (!CanDivide(a, b)) return std::nullopt;
  const int64_t rest = a % b;
  return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
}
Value TruncateDiv(int64_t a, int64_t b) {
  return CanDivide(a, b) ? Value(a / b) : std::nullopt;
}

template <Value (*kFn)(int64_t, int64_t)>
Result EvalBinary(SmallIntsEvaluator& e, const Node& node, int) {
  const Result a = e.Input(node, 0), b = e.Input(node, 1);
  if (!a || !b) return std::nullopt;
  // Equal shapes, or one element against many: all that shape arithmetic has.
  const bool a_one = a->shape.rank() == 0, b_one = b->shape.rank() == 0;
  if (!(a->shape == b->shape) && !a_one && !b_one) return std::nullopt;
  SmallInts out{a_one ? b->shape : a->shape, {}};
  const int64_t count = out.shape.num_elements();
  const DType type = node.output_type(0);
  for (int64_t i = 0; i < count; ++i) {
    const Value x = a->values[a_one ? 0 : i], y = b->values[b_one ? 0 : i];
    Value z = x && y ? kFn(*x, *y) : std::nullopt;
    if (z) z = Wrap(*z, type);
    out.values.push_back(z);
  }
  return out;
}

Result EvalNeg(SmallIntsEvaluator& e, const Node& node, int) {
  Result in = e.Input(node, 0);
  if (!in) return in;
  for (Value& value : in->values) {
    if (value) value = Wrap(*Sub(0, *value), node.output_type(0));
  }
  return in;
}

// The shape that a known vector states, if it is of a small tensor.
std::optional<Shape> AsShape(const Result& dims) {
  if (!dims || dims->shape.rank() != 1 || !dims->all_known()) return std::nullopt;
  std::vector<int64_t> known;
  for (const Value& dim : dims->values) known.push_back(*dim);
  const StatusOr<Shape> shape = Shape::Make(known);
  if (!shape.ok() || shape->num_elements() > kMaxSmallInts) return std::nullopt;
  return *shape;
}

Result EvalFill(SmallIntsEvaluator& e, const Node& node, int) {
  const std::optional<Shape> shape = AsShape(e.Input(node, 0));
  const Result value = e.Input(node, 1);
  if (!shape || !value || value->values.size() != 1) return std::nullopt;
  return SmallInts{
      *shape, std::vector<Value>(static_cast<size_t>(shape->num_elements()), value->values[0])};
}

template <int kValue>
Result EvalLike(SmallIntsEvaluator&, const Node& node, int) {
  const PartialShape& shape = node.input(0).shape();
  const int64_t count = shape.num_elements();
  if (count < 0 || count > kMaxSmallInts) return std::nullopt;
  return SmallInts{shape.ToShape(), std::vector<Value>(static_cast<size_t>(count), kValue)};
}

Result EvalRange(SmallIntsEvaluator& e, const Node& node, int) {
  const Result start = e.Input(node, 0), limit = e.Input(node, 1), delta = e.Input(node, 2);
  for (const Result* arg : {&start, &limit, &delta}) {
    if (!*arg || (*arg)->values.size() != 1 || !(*arg)->values[0]) return std::nullopt;
  }
  const int64_t from = *start->values[0], to = *limit->values[0], by = *delta->values[0];
  if (by == 0) return std::nullopt;
  std::vector<Value> values;
  for (int64_t i = from; by > 0 ? i < to : i > to; i += by) {
    if (static_cast<int64_t>(values.size()) == kMaxSmallInts) return std::nullopt;
    values.emplace_back(i);
  }
  return SmallInts::Vector(std::move(values));
}

// Ops that change the shape only, which inference has worked out.
Result EvalReshaped(SmallIntsEvaluator& e, const Node& node, int) {
  Result in = e.Input(node, 0);
  const PartialShape& shape = node.output_shape(0);
  if (!in || shape.num_elements() != static_cast<int64_t>(in->values.size())) return std::nullopt;
  in->shape = shape.ToShape();
  return in;
}

// Sum or product of a whole vector.
template <Value (*kFn)(int64_t, int64_t), int kStart>
Result EvalReduce(SmallIntsEvaluator& e, const Node& node, int) {
  const Result in = e.Input(node, 0), axes = e.Input(node, 1);
  if (!in || !axes || in->shape.rank() > 1 || !in->all_known() || !axes->all_known())
    return std::nullopt;
  if (in->shape.rank() == 0 || axes->values.empty()) return in;
  Value total = kStart;
  for (const Value& value : in->values) total = Wrap(*kFn(*total, *value), node.output_type(0));
  if (node.attrs().GetOr<bool>("keep_dims", false)) return SmallInts::Vector({total});
  return SmallInts::Scalar(total);
}

}  // namespace

SmallIntsFn FindSmallIntsOp(std::string_view op) {
  static const auto* const kOps = new std::unordered_map<std::string_view, SmallIntsFn>{
      {"Const", EvalConst},
      {"Shape", EvalShape},
      {"ShapeN", EvalShape},
      {"Size", EvalSize},
      {"Rank", EvalRank},
      {"Identity", EvalIdentity},
      {"StopGradient", EvalIdentity},
      {"Snapshot", EvalIdentity},
      {"Cast", EvalCast},
      {"Pack", EvalPack},
      {"ConcatV2", EvalConcat},
      {"ListDiff", EvalListDiff},
      {"StridedSlice", EvalStridedSlice},
      {"Slice", EvalSlice},
      {"Gather", EvalGather},
      {"GatherV2", EvalGather},
      {"DynamicStitch", EvalDynamicStitch},
      {"BroadcastGradientArgs", EvalBroadcastGradientArgs},
      {"Add", EvalBinary<Add>},
      {"AddV2", EvalBinary<Add>},
      {"Sub", EvalBinary<Sub>},
      {"Mul", EvalBinary<Mul>},
      {"Maximum", EvalBinary<Max>},
      {"Minimum", EvalBinary<Min>},
      {"FloorDiv", EvalBinary<FloorDiv>},
      {"FloorMod", EvalBinary<FloorMod>},
      {"Div", EvalBinary<TruncateDiv>},
      {"TruncateDiv", EvalBinary<TruncateDiv>},
      {"Neg", EvalNeg},
      {"Fill", EvalFill},
      {"ZerosLike", EvalLike<0>},
      {"OnesLike", EvalLike<1>},
      {"Range", EvalRange},
      {"Reshape", EvalReshaped},
      {"ExpandDims", EvalReshaped},
      {"Squeeze", EvalReshaped},
      {"Prod", EvalReduce<Mul, 1>},
      {"Sum", EvalReduce<Add, 0>}};
  auto it = kOps->find(op);
  return it == kOps->end() ? nullptr : it->second;
}

}  // namespace headrace::internal
