#include <algorithm>

#include "headrace/graph/internal/small_ints_ops.h"

namespace headrace::internal {
namespace {

using Value = std::optional<int64_t>;
using Result = std::optional<SmallInts>;

Value Single(const Result& ints) {
  return ints && ints->values.size() == 1 ? ints->values[0] : std::nullopt;
}

// Element of a vector argument; unknown beyond its end.
Value At(const Result& ints, size_t i) {
  return ints && i < ints->values.size() ? ints->values[i] : std::nullopt;
}

// A vector of as many unknowns as the shape of `output` says.
Result UnknownVector(Output output) {
  const PartialShape& shape = output.shape();
  if (shape.rank() != 1 || shape[0] < 0 || shape[0] > kMaxSmallInts) return std::nullopt;
  return SmallInts::Vector(std::vector<Value>(static_cast<size_t>(shape[0])));
}

}  // namespace

Result EvalPack(SmallIntsEvaluator& e, const Node& node, int) {
  if (node.attrs().GetOr<int64_t>("axis", 0) != 0) return std::nullopt;
  SmallInts out;
  for (int i = 0; i < node.num_inputs(); ++i) {
    Result in = e.Input(node, i);
    // What is no shape arithmetic is an unknown element, as long as it is one element.
    if (!in && node.input(i).shape().rank() == 0) in = SmallInts::Scalar(std::nullopt);
    if (!in || in->shape.rank() >= kMaxRank) return std::nullopt;
    if (i == 0) {
      out.shape.Append(node.num_inputs());
      for (int64_t dim : in->shape.dims()) out.shape.Append(dim);
      if (out.shape.num_elements() > kMaxSmallInts) return std::nullopt;
    }
    out.values.insert(out.values.end(), in->values.begin(), in->values.end());
  }
  if (static_cast<int64_t>(out.values.size()) != out.shape.num_elements()) return std::nullopt;
  return out;
}

Result EvalConcat(SmallIntsEvaluator& e, const Node& node, int) {
  const int last = node.num_inputs() - 1;
  const Value axis = Single(e.Input(node, last));
  if (!axis || (*axis != 0 && *axis != -1)) return std::nullopt;
  std::vector<Value> values;
  for (int i = 0; i < last; ++i) {
    Result in = e.Input(node, i);
    if (!in) in = UnknownVector(node.input(i));
    if (!in || in->shape.rank() != 1) return std::nullopt;
    values.insert(values.end(), in->values.begin(), in->values.end());
    if (static_cast<int64_t>(values.size()) > kMaxSmallInts) return std::nullopt;
  }
  return SmallInts::Vector(std::move(values));
}

// Elements of the first vector that the second does not have (output 0), and where they are (output
// 1).
Result EvalListDiff(SmallIntsEvaluator& e, const Node& node, int output) {
  const Result x = e.Input(node, 0), y = e.Input(node, 1);
  if (!x || !y || x->shape.rank() != 1 || y->shape.rank() != 1 || !x->all_known() ||
      !y->all_known())
    return std::nullopt;
  std::vector<Value> values;
  for (size_t i = 0; i < x->values.size(); ++i) {
    if (std::ranges::find(y->values, x->values[i]) != y->values.end()) continue;
    values.push_back(output == 0 ? x->values[i] : Value(static_cast<int64_t>(i)));
  }
  return SmallInts::Vector(std::move(values));
}

// One range of a vector: x[begin:end:stride] or x[begin].
Result EvalStridedSlice(SmallIntsEvaluator& e, const Node& node, int) {
  const Result in = e.Input(node, 0);
  if (!in || in->shape.rank() != 1) return std::nullopt;
  const Result begins = e.Input(node, 1), ends = e.Input(node, 2), strides = e.Input(node, 3);
  if (!strides || strides->values.size() != 1) return std::nullopt;
  auto mask = [&](std::string_view name) { return node.attrs().GetOr<int64_t>(name, 0); };
  if (mask("new_axis_mask") != 0 || mask("ellipsis_mask") != 0) return std::nullopt;
  const int64_t size = in->shape[0];
  const bool from_start = mask("begin_mask") & 1, to_end = mask("end_mask") & 1,
             one = mask("shrink_axis_mask") & 1;
  Value begin = At(begins, 0), end = At(ends, 0);
  const Value stride = At(strides, 0);
  if (!stride || *stride == 0 || (!begin && !from_start)) return std::nullopt;
  if (one) {
    const int64_t at = from_start ? 0 : *begin < 0 ? *begin + size : *begin;
    if (at < 0 || at >= size) return std::nullopt;
    return SmallInts::Scalar(in->values[static_cast<size_t>(at)]);
  }
  if (!end && !to_end) return std::nullopt;
  const bool forward = *stride > 0;
  const int64_t least = forward ? 0 : -1, most = forward ? size : size - 1;
  auto clamp = [&](int64_t i) { return std::clamp(i < 0 ? i + size : i, least, most); };
  const int64_t first = from_start ? (forward ? 0 : size - 1) : clamp(*begin);
  const int64_t stop = to_end ? (forward ? size : -1) : clamp(*end);
  std::vector<Value> values;
  for (int64_t i = first; forward ? i < stop : i > stop;) {
    values.push_back(in->values[static_cast<size_t>(i)]);
    // A stride may be as large as an int64: stop before the sum could overflow.
    if (forward ? *stride >= stop - i : *stride <= stop - i) break;
    i += *stride;
  }
  return SmallInts::Vector(std::move(values));
}

Result EvalSlice(SmallIntsEvaluator& e, const Node& node, int) {
  const Result in = e.Input(node, 0);
  const Value begin = Single(e.Input(node, 1)), size = Single(e.Input(node, 2));
  if (!in || in->shape.rank() != 1 || !begin || !size) return std::nullopt;
  const int64_t length = in->shape[0];
  if (*begin < 0 || *begin > length) return std::nullopt;
  const int64_t count = *size == -1 ? length - *begin : *size;
  if (count < 0 || count > length - *begin) return std::nullopt;
  const auto first = in->values.begin() + *begin;
  return SmallInts::Vector(std::vector<Value>(first, first + count));
}

Result EvalGather(SmallIntsEvaluator& e, const Node& node, int) {
  const Result in = e.Input(node, 0), indices = e.Input(node, 1);
  if (!in || in->shape.rank() != 1 || !indices || !indices->all_known()) return std::nullopt;
  SmallInts out{indices->shape, {}};
  for (const Value& index : indices->values) {
    if (*index < 0 || *index >= in->shape[0]) return std::nullopt;
    out.values.push_back(in->values[static_cast<size_t>(*index)]);
  }
  return out;
}

// Inputs: N index tensors, then N data tensors; later ones win.
Result EvalDynamicStitch(SmallIntsEvaluator& e, const Node& node, int) {
  const int pairs = node.num_inputs() / 2;
  std::vector<Value> values;
  for (int i = 0; i < pairs; ++i) {
    const Result indices = e.Input(node, i), data = e.Input(node, pairs + i);
    if (!indices || !data || !indices->all_known() || !(indices->shape == data->shape))
      return std::nullopt;
    for (size_t k = 0; k < indices->values.size(); ++k) {
      const int64_t at = *indices->values[k];
      if (at < 0 || at >= kMaxSmallInts) return std::nullopt;
      if (static_cast<size_t>(at) >= values.size()) values.resize(static_cast<size_t>(at) + 1);
      values[static_cast<size_t>(at)] = data->values[k];
    }
  }
  return SmallInts::Vector(std::move(values));
}

// The axes along which an input of a broadcasting op was repeated: output 0 for the first, 1 for
// the second.
Result EvalBroadcastGradientArgs(SmallIntsEvaluator& e, const Node& node, int output) {
  const Result a = e.Input(node, 0), b = e.Input(node, 1);
  if (!a || !b || a->shape.rank() != 1 || b->shape.rank() != 1 || !a->all_known() ||
      !b->all_known())
    return std::nullopt;
  const size_t rank = std::max(a->values.size(), b->values.size());
  auto dim = [&](const SmallInts& shape, size_t i) {
    const size_t missing = rank - shape.values.size();
    return i < missing ? int64_t{1} : *shape.values[i - missing];
  };
  std::vector<Value> axes;
  for (size_t i = 0; i < rank; ++i) {
    const int64_t mine = dim(output == 0 ? *a : *b, i), other = dim(output == 0 ? *b : *a, i);
    if (mine != other && mine != 1 && other != 1) return std::nullopt;
    // Where both are 1 nothing is repeated, but a sum over the axis does no harm; the kernel lists
    // it too unless the shapes are equal.
    if (mine == 1 && !(a->values == b->values)) axes.emplace_back(static_cast<int64_t>(i));
  }
  return SmallInts::Vector(std::move(axes));
}

}  // namespace headrace::internal
