// Builder functions of transforms of real numbers: they bring the input to the length first.
#include <algorithm>
#include <optional>

#include "headrace/base/strings.h"
#include "headrace/graph/shape_context.h"
#include "headrace/ops/array/concat.h"
#include "headrace/ops/array/constant.h"
#include "headrace/ops/array/math_nodes.h"
#include "headrace/ops/array/pad.h"
#include "headrace/ops/array/shape_ops.h"
#include "headrace/ops/array/strided_slice.h"
#include "headrace/ops/linalg/fft.h"
#include "headrace/ops/linalg/fft_kind.h"

namespace headrace {
namespace {

// The last `rank` dimensions where all are known.
std::optional<std::vector<int64_t>> KnownLast(const PartialShape& shape, int rank) {
  if (!shape.has_rank() || shape.rank() < rank) return std::nullopt;
  std::vector<int64_t> dims(shape.dims().end() - rank, shape.dims().end());
  if (std::ranges::any_of(dims, [](int64_t dim) { return dim < 0; })) return std::nullopt;
  return dims;
}

// The lengths that go with the whole input.
Output InferLength(Output x, const FftKind& kind, Location where) {
  Graph& g = *x.graph();
  std::optional<std::vector<int64_t>> dims = KnownLast(x.shape(), kind.rank);
  if (dims.has_value()) {
    if (kind.inverse) dims->back() = std::max<int64_t>(0, 2 * (dims->back() - 1));
    return IntArg(*dims).In(g, "Const", DType::kInt32, where);
  }
  const Output last = At(ShapeOf(x, {}, where), {SliceIndex::From(-kind.rank)}, {}, where);
  if (!kind.inverse) return last;
  std::vector<Output> lengths = Unstack(last, {.num = kind.rank}, where);
  if (lengths.empty() || !lengths.back().valid()) return {};
  const Output twice = array_grad::Mul(2, array_grad::Sub(lengths.back(), 1, where), where);
  lengths.back() = Maximum(0, twice, {}, where);
  return Stack(lengths, {}, where);
}

// Lengths of the complex side: n / 2 + 1 in the last dimension.
Output HalvedLast(Output lengths, Location where) {
  const Output before = At(lengths, {SliceIndex::To(-1)}, {}, where);
  const Output last = At(lengths, {SliceIndex::From(-1)}, {}, where);
  const Output half = FloorDiv(last, 2, {.name = "floordiv"}, where);
  return Concat({before, array_grad::Add(half, 1, where)}, 0, {}, where);
}

Output PadInStep(Output x, Output lengths, const FftKind& kind, Location where) {
  Graph& g = *x.graph();
  const Output rank = Rank(x, {}, where);
  const Output last = At(ShapeOf(x, {}, where), {SliceIndex::From(-kind.rank)}, {}, where);
  const Output outer = Maximum(0, array_grad::Sub(rank, kind.rank, where), {}, where);
  const Output none = Zeros(g, IntArg::Packed({outer}), DType::kInt32, {}, where);
  if (kind.inverse) lengths = HalvedLast(lengths, where);
  const Output missing = Maximum(0, array_grad::Sub(lengths, last, where), {}, where);
  const Output after = Concat({none, missing}, 0, {}, where);
  const Output zeros = ZerosLike(after, {}, where);
  return Pad(x, Stack({zeros, after}, {.axis = 1}, where), {}, where);
}

// Zeros behind what is shorter than the lengths say.
Output PadToLength(Output x, Output lengths, const FftKind& kind, Location where) {
  const PartialShape& shape = x.shape();
  if (shape.has_rank() && std::ranges::find(shape.dims(), 0) != shape.dims().end()) return x;
  const PartialShape wanted = ConstantValueAsShape(lengths);
  const auto given = KnownLast(shape, kind.rank);
  if (!wanted.is_fully_known() || wanted.rank() != kind.rank || !given.has_value())
    return PadInStep(x, lengths, kind, where);
  std::vector<int64_t> paddings(static_cast<size_t>(2 * shape.rank()));
  bool any = false;
  for (int i = 0; i < kind.rank; ++i) {
    int64_t length = wanted[i];
    if (kind.inverse && i == kind.rank - 1) length = length / 2 + 1;
    const int64_t missing = std::max<int64_t>(0, length - (*given)[static_cast<size_t>(i)]);
    paddings[static_cast<size_t>(2 * (shape.rank() - kind.rank + i) + 1)] = missing;
    any |= missing > 0;
  }
  return any ? Pad(x, IntArg::Matrix(paddings, 2), {}, where) : x;
}

Output Real(std::string_view op, Output x, const RealFftOptions& o, Location where) {
  if (!x.valid() || (o.fft_length.has_value() && !o.fft_length->valid())) return {};
  Graph& g = *x.graph();
  const FftKind kind = FftKind::Of(op);
  const OpScope scope(g, o.name, ToLower(op));
  const Output lengths = o.fft_length.has_value()
                             ? o.fft_length->In(g, "fft_length", DType::kInt32, where)
                             : InferLength(x, kind, where);
  if (!lengths.valid()) return {};
  x = PadToLength(x, lengths, kind, where);
  return NodeBuilder(g, op, scope.op_name(), where).Input(x).Input(lengths).Build();
}

}  // namespace

Output RFFT(Output x, RealFftOptions o, Location where) {
  return Real("RFFT", x, o, where);
}
Output IRFFT(Output x, RealFftOptions o, Location where) {
  return Real("IRFFT", x, o, where);
}
Output RFFT2D(Output x, RealFftOptions o, Location where) {
  return Real("RFFT2D", x, o, where);
}
Output IRFFT2D(Output x, RealFftOptions o, Location where) {
  return Real("IRFFT2D", x, o, where);
}
Output RFFT3D(Output x, RealFftOptions o, Location where) {
  return Real("RFFT3D", x, o, where);
}
Output IRFFT3D(Output x, RealFftOptions o, Location where) {
  return Real("IRFFT3D", x, o, where);
}

}  // namespace headrace
