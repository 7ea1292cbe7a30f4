#include <algorithm>
#include <numeric>

#include "headrace/ops/testing/tensors.h"
#include "tests/random_ops/rules.h"

namespace headrace::random_ops {
namespace {

constexpr DTypeSet kAny = kNumberTypes | DTypeSet(DType::kBool);

int64_t Elements(Generator& g, Operand x) {
  return g.ShapeOf(x).num_elements();
}

std::vector<int64_t> Dims(Generator& g, Operand x) {
  const auto dims = g.ShapeOf(x).dims();
  return {dims.begin(), dims.end()};
}

int RandomAxis(Generator& g, Operand x) {
  return g.Below(g.ShapeOf(x).rank());
}
int64_t Sign(Generator& g, int axis, int rank) {
  return g.OneIn(2) ? axis : axis - rank;
}

std::vector<int64_t> RandomOrder(Generator& g, int count) {
  std::vector<int64_t> order(static_cast<size_t>(count));
  std::iota(order.begin(), order.end(), 0);
  for (int i = count; i > 1; --i)
    std::swap(order[static_cast<size_t>(i - 1)], order[static_cast<size_t>(g.Below(i))]);
  return order;
}

void Reshape(Generator& g, const char* op) {
  const Operand x = g.Any(kAny);
  const int64_t n = Elements(g, x);
  std::vector<int64_t> dims;
  int64_t rest = n;
  for (int i = g.Below(3); i > 0 && n > 0; --i) {
    const int64_t part = 1 + g.Below(4);
    if (rest % part == 0) dims.push_back(part), rest /= part;
  }
  dims.push_back(g.OneIn(2) && n > 0 ? -1 : rest);
  g.Try(op, {x, g.Ints(dims)});
}

void Transpose(Generator& g, const char* op) {
  const Operand x = g.Any(kAny);
  g.Try(op, {x, g.Ints(RandomOrder(g, g.ShapeOf(x).rank()))});
}

void ExpandDims(Generator& g, const char* op) {
  const Operand x = g.Any(kAny, 0, 3);
  const int rank = g.ShapeOf(x).rank() + 1;
  g.Try(op, {x, g.Ints({Sign(g, g.Below(rank), rank)}, true)});
}

void Squeeze(Generator& g, const char* op) {
  const Operand x = g.Any(kAny);
  AttrValue::Ints axes;
  for (int i = 0; i < g.ShapeOf(x).rank(); ++i) {
    if (g.ShapeOf(x).dim(i) == 1 && g.OneIn(2)) axes.push_back(i);
  }
  g.Try(op, {x}, {{"squeeze_dims", axes}});
}

void Concat(Generator& g, const char* op) {
  const Operand x = g.Any(kAny, 1);
  const int rank = g.ShapeOf(x).rank(), axis = g.Below(rank);
  std::vector<Operand> inputs{x};
  for (int i = g.Below(3); i > 0; --i) {
    Shape shape = g.ShapeOf(x);
    shape.set_dim(axis, g.Below(4));
    inputs.push_back(g.Partner(g.TypeOf(x), g.OneIn(3) ? shape : g.ShapeOf(x), true));
  }
  const int count = static_cast<int>(inputs.size());
  inputs.push_back(g.Ints({Sign(g, axis, rank)}, true));
  g.Try(op, inputs, {{"N", count}});
}

void Split(Generator& g, const char* op) {
  const Operand x = g.Any(kAny, 1);
  const int axis = RandomAxis(g, x);
  const int64_t size = g.ShapeOf(x).dim(axis);
  const int64_t parts = size % 3 == 0 ? 3 : size % 2 == 0 ? 2 : 1;
  g.Try(op,
        {g.Constant(
             Tensor::Scalar<int32_t>(static_cast<int32_t>(Sign(g, axis, g.ShapeOf(x).rank())))),
         x},
        {{"num_split", parts}});
}

void SplitV(Generator& g, const char* op) {
  const Operand x = g.Any(kAny, 1);
  const int axis = RandomAxis(g, x);
  const int64_t size = g.ShapeOf(x).dim(axis), first = g.Below(static_cast<int>(size) + 1);
  g.Try(op,
        {x, g.Ints({first, g.OneIn(2) ? -1 : size - first}),
         g.Constant(
             Tensor::Scalar<int32_t>(static_cast<int32_t>(Sign(g, axis, g.ShapeOf(x).rank()))))},
        {{"num_split", 2}});
}

void Pack(Generator& g, const char* op) {
  const Operand x = g.Any(kAny, 0, 3);
  std::vector<Operand> inputs{x};
  for (int i = g.Below(3); i > 0; --i) inputs.push_back(g.Partner(g.TypeOf(x), g.ShapeOf(x), true));
  const int rank = g.ShapeOf(x).rank() + 1;
  g.Try(op, inputs, {{"axis", Sign(g, g.Below(rank), rank)}});
}

void Unpack(Generator& g, const char* op) {
  const Operand x = g.Any(kAny, 1);
  const int axis = RandomAxis(g, x);
  if (g.ShapeOf(x).dim(axis) == 0) return;
  g.Try(op, {x}, {{"axis", Sign(g, axis, g.ShapeOf(x).rank())}, {"num", g.ShapeOf(x).dim(axis)}});
}

void Slice(Generator& g, const char* op) {
  const Operand x = g.Any(kAny);
  std::vector<int64_t> begin, size;
  for (const int64_t dim : Dims(g, x)) {
    begin.push_back(g.Below(static_cast<int>(dim) + 1));
    size.push_back(g.OneIn(3) ? -1 : g.Below(static_cast<int>(dim - begin.back()) + 1));
  }
  const std::vector<double> b(begin.begin(), begin.end()), s(size.begin(), size.end());
  const Shape shape{static_cast<int64_t>(b.size())};
  g.Try(op, {x, g.Constant(testing::FromDoubles(b, shape, DType::kInt32)),
             g.Constant(testing::FromDoubles(s, shape, DType::kInt32))});
}

void StridedSlice(Generator& g, const char* op) {
  const Operand x = g.Any(kAny, 1);
  std::vector<double> begin, end, strides;
  int64_t masks[5] = {};
  const int rank = g.ShapeOf(x).rank(), specs = 1 + g.Below(rank);
  int ellipsis = g.OneIn(4) ? g.Below(specs) : -1;
  for (int i = 0; i < specs; ++i) {
    const int dim = static_cast<int>(g.ShapeOf(x).dim(i));
    begin.push_back(g.Below(2 * dim + 3) - dim - 1);
    end.push_back(g.Below(2 * dim + 3) - dim - 1);
    strides.push_back(g.OneIn(3) ? -1 - g.Below(2) : 1 + g.Below(2));
    const int64_t bit = int64_t{1} << i;
    if (i == ellipsis) {
      masks[2] = bit;
    } else if (g.OneIn(6) && rank < 4) {
      masks[3] |= bit;  // new axis
    } else if (g.OneIn(5) && dim > 0 && ellipsis < 0) {
      begin.back() = g.Below(dim), strides.back() = 1, masks[4] |= bit;  // shrink
    } else {
      if (g.OneIn(3)) masks[0] |= bit;
      if (g.OneIn(3)) masks[1] |= bit;
    }
  }
  const Shape shape{specs};
  g.Try(op,
        {x, g.Constant(testing::FromDoubles(begin, shape, DType::kInt32)),
         g.Constant(testing::FromDoubles(end, shape, DType::kInt32)),
         g.Constant(testing::FromDoubles(strides, shape, DType::kInt32))},
        {{"begin_mask", masks[0]},
         {"end_mask", masks[1]},
         {"ellipsis_mask", masks[2]},
         {"new_axis_mask", masks[3]},
         {"shrink_axis_mask", masks[4]}});
}

void Gather(Generator& g, const char* op) {
  const Operand x = g.Any(kAny, 1);
  const bool v2 = std::string_view(op) == "GatherV2";
  // TensorFlow's gradient along a later axis of nothing reshapes to a size of -1, which it refuses.
  if (v2 && Elements(g, x) == 0) return;
  const int axis = v2 ? RandomAxis(g, x) : 0;
  const int64_t size = g.ShapeOf(x).dim(axis);
  const Shape shape = size == 0 ? Shape{0} : g.RandomShape(g.Below(3));
  std::vector<Operand> inputs{x, g.Indices(shape, size, g.RandomType(kIndexTypes))};
  if (v2) inputs.push_back(g.Ints({axis}, true));
  g.Try(op, inputs);
}

void GatherNd(Generator& g, const char* op) {
  const Operand x = g.Any(kAny, 1);
  int64_t least = 1 << 20;
  const int depth = 1 + g.Below(g.ShapeOf(x).rank());
  for (int i = 0; i < depth; ++i) least = std::min(least, g.ShapeOf(x).dim(i));
  if (least == 0) return;
  g.Try(op, {x, g.Indices({1 + g.Below(4), depth}, least, g.RandomType(kIndexTypes))});
}

void ScatterNd(Generator& g, const char* op) {
  const Operand updates = g.Any(TypesOf(op, "T") & kNumberTypes, 1, 3);
  const int64_t rows = g.ShapeOf(updates).dim(0), size = 1 + g.Below(6);
  std::vector<double> dims{static_cast<double>(size)};
  for (int i = 1; i < g.ShapeOf(updates).rank(); ++i)
    dims.push_back(static_cast<double>(g.ShapeOf(updates).dim(i)));
  const DType type = g.RandomType(kIndexTypes);
  g.Try(op, {g.Indices({rows, 1}, size, type), updates,
             g.Constant(testing::FromDoubles(dims, {static_cast<int64_t>(dims.size())}, type))});
}

void TensorScatter(Generator& g, const char* op) {
  const Operand x = g.Any(TypesOf(op, "T") & kNumberTypes, 1, 3);
  if (Elements(g, x) == 0) return;
  Shape shape = g.ShapeOf(x);
  const int64_t size = shape.dim(0), rows = 1 + g.Below(3);
  shape.set_dim(0, std::min(rows, size));
  std::vector<double> order;  // rows differ: which of two equal indices wins is not defined
  for (const int64_t i : RandomOrder(g, static_cast<int>(size)))
    order.push_back(static_cast<double>(i));
  order.resize(static_cast<size_t>(shape.dim(0)));
  g.Try(op,
        {x, g.Constant(testing::FromDoubles(order, {shape.dim(0), 1}, g.RandomType(kIndexTypes))),
         g.Partner(g.TypeOf(x), shape, true)});
}

void OneHot(Generator& g, const char* op) {
  const DType type = g.RandomType(kNumberTypes);
  const Shape shape = g.RandomShape(g.Below(3));
  g.Try(op,
        {g.Indices(shape, 6, g.RandomType(kIndexTypes)),
         g.Constant(Tensor::Scalar<int32_t>(g.Below(6))), g.Partner(type, Shape(), true),
         g.Partner(type, Shape(), true)},
        {{"axis", g.Below(shape.rank() + 2) - 1}});
}

void Tile(Generator& g, const char* op) {
  const Operand x = g.Any(kAny);
  std::vector<int64_t> multiples;
  for (int i = 0; i < g.ShapeOf(x).rank(); ++i)
    multiples.push_back(g.OneIn(12) ? 0 : 1 + g.Below(3));
  g.Try(op, {x, g.Ints(multiples)});
}

Operand Paddings(Generator& g, Operand x, bool within) {
  std::vector<double> paddings;
  for (const int64_t dim : Dims(g, x)) {
    for (int side = 0; side < 2; ++side)
      paddings.push_back(within ? g.Below(static_cast<int>(std::clamp<int64_t>(dim, 1, 3)))
                                : g.Below(3));
  }
  return g.Constant(
      testing::FromDoubles(paddings, {g.ShapeOf(x).rank(), 2}, g.RandomType(kIndexTypes)));
}

void Pad(Generator& g, const char* op) {
  const Operand x = g.Any(kNumberTypes);
  std::vector<Operand> inputs{x, Paddings(g, x, false)};
  if (std::string_view(op) == "PadV2") inputs.push_back(g.Partner(g.TypeOf(x), Shape(), true));
  g.Try(op, inputs);
}

void MirrorPad(Generator& g, const char* op) {
  const Operand x = g.Any(kNumberTypes);
  if (Elements(g, x) == 0) return;
  g.Try(op, {x, Paddings(g, x, true)}, {{"mode", g.OneIn(2) ? "REFLECT" : "SYMMETRIC"}});
}

void BroadcastTo(Generator& g, const char* op) {
  const Operand x = g.Any(kNumberTypes, 0, 3);
  std::vector<int64_t> dims = Dims(g, x);
  for (int64_t& dim : dims) dim = dim == 1 ? 1 + g.Below(3) : dim;
  if (g.OneIn(2)) dims.insert(dims.begin(), 1 + g.Below(3));
  g.Try(op, {x, g.Ints(dims)});
}

void Fill(Generator& g, const char* op) {
  const auto shape = g.RandomShape(g.Below(4));
  g.Try(op, {g.Ints({shape.dims().begin(), shape.dims().end()}), g.Any(kAny, 0, 0)});
}

void Reverse(Generator& g, const char* op) {
  const Operand x = g.Any(kAny);
  std::vector<int64_t> axes;
  for (int i = 0; i < g.ShapeOf(x).rank(); ++i) {
    if (g.OneIn(2)) axes.push_back(Sign(g, i, g.ShapeOf(x).rank()));
  }
  g.Try(op, {x, g.Ints(axes)});
}

void ReverseSequence(Generator& g, const char* op) {
  const Operand x = g.Any(kAny, 2);
  const std::vector<int64_t> order = RandomOrder(g, g.ShapeOf(x).rank());
  const int64_t batch = order[0], sequence = order[1];
  g.Try(op,
        {x, g.Indices({g.ShapeOf(x).dim(static_cast<int>(batch))},
                      g.ShapeOf(x).dim(static_cast<int>(sequence)) + 1, g.RandomType(kIndexTypes))},
        {{"batch_dim", batch}, {"seq_dim", sequence}});
}

void Roll(Generator& g, const char* op) {
  const Operand x = g.Any(kAny, 1);
  g.Try(op, {x, g.Ints({g.Below(7) - 3}), g.Ints({RandomAxis(g, x)})});
}

void Blocks(Generator& g, const char* op) {
  Shape shape = g.RandomShape(4);
  if (std::string_view(op) == "SpaceToDepth") {
    for (const int i : {1, 2}) shape.set_dim(i, 2 * shape.dim(i));
  } else {
    shape.set_dim(3, 4 * shape.dim(3));
  }
  g.Try(op, {g.Partner(g.RandomType(kAny), shape, true)}, {{"block_size", 2}});
}

void SpaceToBatch(Generator& g, const char* op) {
  const Operand x = g.Any(kNumberTypes, 2);
  const int64_t block = 1 + g.Below(2), size = g.ShapeOf(x).dim(1);
  const double pad = static_cast<double>((block - size % block) % block);
  g.Try(op,
        {x, g.Ints({block}), g.Constant(testing::FromDoubles({0, pad}, {1, 2}, DType::kInt32))});
}

void BatchToSpace(Generator& g, const char* op) {
  const Operand x = g.Any(kNumberTypes, 2);
  const int64_t block = g.ShapeOf(x).dim(0) % 2 == 0 ? 2 : 1;
  const double crop = g.ShapeOf(x).dim(1) > 0 ? g.Below(2) : 0;
  g.Try(op,
        {x, g.Ints({block}), g.Constant(testing::FromDoubles({0, crop}, {1, 2}, DType::kInt32))});
}

void TopK(Generator& g, const char* op) {
  // Of no elements TensorFlow has no gradient either: it cannot reshape the indices.
  const Operand x = g.Any(TypesOf(op, "T") & kRealTypes, 1);
  if (Elements(g, x) == 0) return;
  const int64_t last = g.ShapeOf(x).dim(g.ShapeOf(x).rank() - 1);
  g.Try(op, {x, g.Constant(Tensor::Scalar<int32_t>(1 + g.Below(static_cast<int>(last))))});
}

void Select(Generator& g, const char* op) {
  const Operand x = g.Any(kAny);
  const Operand y = g.Partner(g.TypeOf(x), g.ShapeOf(x), std::string_view(op) == "Select");
  g.Try(op, {g.Partner(DType::kBool, g.ShapeOf(x), std::string_view(op) == "Select"), x, y});
}

void Distinct(Generator& g, const char* op) {
  g.Try(op, {g.Any(TypesOf(op, "T") & kNumberTypes, 1, 1)});
}

void Difference(Generator& g, const char* op) {
  const Operand x = g.Any(kIntTypes, 1, 1);
  g.Try(op, {x, g.Partner(g.TypeOf(x), {g.Below(4)}, true)});
}

void Invert(Generator& g, const char* op) {
  g.Try(op, {g.Ints(RandomOrder(g, g.Below(6)))});
}

void Partition(Generator& g, const char* op) {
  const Operand x = g.Any(kAny, 1);
  g.Try(op, {x, g.Indices({g.ShapeOf(x).dim(0)}, 3, DType::kInt32)}, {{"num_partitions", 3}});
}

void Segment(Generator& g, const char* op) {
  const Operand x = g.Any(TypesOf(op, "T") & kRealTypes, 1);
  std::vector<double> ids(static_cast<size_t>(g.ShapeOf(x).dim(0)));
  for (size_t i = 1; i < ids.size(); ++i) ids[i] = ids[i - 1] + g.Below(2);
  g.Try(op, {x, g.Constant(testing::FromDoubles(ids, {static_cast<int64_t>(ids.size())},
                                                g.RandomType(kIndexTypes)))});
}

void UnsortedSegment(Generator& g, const char* op) {
  const Operand x = g.Any(TypesOf(op, "T") & kRealTypes, 1);
  g.Try(op, {x, g.Indices({g.ShapeOf(x).dim(0)}, 4, g.RandomType(kIndexTypes)),
             g.Constant(Tensor::Scalar<int32_t>(4))});
}

void Band(Generator& g, const char* op) {
  const Operand x = g.Any(kNumberTypes, 2);
  g.Try(op, {x, g.Constant(Tensor::Scalar<int64_t>(g.Below(4) - 1)),
             g.Constant(Tensor::Scalar<int64_t>(g.Below(4) - 1))});
}

void Diagonal(Generator& g, const char* op) {
  g.Try(op, {g.Any(kNumberTypes, 1, 3)});
}

}  // namespace

void AppendArrayRules(std::vector<Rule>& rules) {
  AppendNames(rules, {"Reshape"}, Reshape);
  AppendNames(rules, {"Transpose", "ConjugateTranspose"}, Transpose);
  AppendNames(rules, {"ExpandDims"}, ExpandDims);
  AppendNames(rules, {"Squeeze"}, Squeeze);
  AppendNames(rules, {"ConcatV2"}, Concat);
  AppendNames(rules, {"Split"}, Split);
  AppendNames(rules, {"SplitV"}, SplitV);
  AppendNames(rules, {"Pack"}, Pack);
  AppendNames(rules, {"Unpack"}, Unpack);
  AppendNames(rules, {"Slice"}, Slice);
  AppendNames(rules, {"StridedSlice"}, StridedSlice);
  AppendNames(rules, {"Gather", "GatherV2"}, Gather);
  AppendNames(rules, {"GatherNd"}, GatherNd);
  AppendNames(rules, {"ScatterNd"}, ScatterNd);
  AppendNames(rules, {"TensorScatterAdd", "TensorScatterSub", "TensorScatterUpdate"},
              TensorScatter);
  AppendNames(rules, {"OneHot"}, OneHot);
  AppendNames(rules, {"Tile"}, Tile);
  AppendNames(rules, {"Pad", "PadV2"}, Pad);
  AppendNames(rules, {"MirrorPad"}, MirrorPad);
  AppendNames(rules, {"BroadcastTo"}, BroadcastTo);
  AppendNames(rules, {"Fill"}, Fill);
  AppendNames(rules, {"ReverseV2"}, Reverse);
  AppendNames(rules, {"ReverseSequence"}, ReverseSequence);
  AppendNames(rules, {"Roll"}, Roll);
  AppendNames(rules, {"SpaceToDepth", "DepthToSpace"}, Blocks);
  AppendNames(rules, {"SpaceToBatchND"}, SpaceToBatch);
  AppendNames(rules, {"BatchToSpaceND"}, BatchToSpace);
  AppendNames(rules, {"TopKV2"}, TopK);
  AppendNames(rules, {"Select", "SelectV2"}, Select);
  AppendNames(rules, {"Unique", "UniqueWithCounts", "Where"}, Distinct);
  AppendNames(rules, {"ListDiff"}, Difference);
  AppendNames(rules, {"InvertPermutation"}, Invert);
  AppendNames(rules, {"DynamicPartition"}, Partition);
  AppendNames(rules, {"SegmentSum", "SegmentMean", "SegmentProd", "SegmentMax", "SegmentMin"},
              Segment);
  AppendNames(
      rules,
      {"UnsortedSegmentSum", "UnsortedSegmentProd", "UnsortedSegmentMax", "UnsortedSegmentMin"},
      UnsortedSegment);
  AppendNames(rules, {"MatrixBandPart"}, Band);
  AppendNames(rules, {"MatrixDiag", "MatrixDiagPart"}, Diagonal);
}

}  // namespace headrace::random_ops
