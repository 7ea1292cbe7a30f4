// tf.einsum, node by node; the op Einsum itself is in einsum_op.cpp.
#include "headrace/ops/linalg/einsum.h"

#include <algorithm>
#include <set>

#include "headrace/base/strings.h"
#include "headrace/ops/array/int_arg.h"
#include "headrace/ops/array/reshape.h"
#include "headrace/ops/array/shape_ops.h"
#include "headrace/ops/array/strided_slice.h"
#include "headrace/ops/array/transpose.h"
#include "headrace/ops/linalg/matrix_nodes.h"
#include "headrace/ops/math/reduce.h"

namespace headrace {
namespace {

using Labels = std::string;  // one letter a dimension

struct Term {
  Output tensor;
  Labels labels;
};

struct Equation {
  std::vector<Labels> inputs;
  Labels output;
  bool has_arrow = false;
};

bool Has(const Labels& labels, char label) {
  return labels.find(label) != Labels::npos;
}

// Letters that stand for the dimensions of an ellipsis: the last of those that are free.
StatusOr<Labels> ReplaceEllipsis(Labels labels, const Labels& unused, const PartialShape& shape,
                                 Labels& longest) {
  const size_t at = labels.find("...");
  if (at == Labels::npos) return labels;
  if (labels.find("...", at + 3) != Labels::npos)
    return InvalidArgument("Unable to resolve ellipsis. Excess number found.");
  if (!shape.has_rank()) return InvalidArgument("Unable to statically infer ellipsis axes.");
  const int64_t n = shape.rank() - static_cast<int64_t>(labels.size() - 3);
  if (n < 0) return InvalidArgument("Ellipses lengths do not match.");
  if (static_cast<int64_t>(unused.size()) < n)
    return InvalidArgument("Unable to resolve ellipsis, too many distinct labels.");
  const Labels letters = unused.substr(unused.size() - static_cast<size_t>(n));
  if (letters.size() > longest.size()) longest = letters;
  return labels.replace(at, 3, letters);
}

StatusOr<Equation> Parse(std::string_view text, std::span<const Output> operands) {
  std::string compact(text);
  std::erase(compact, ' ');
  Equation e;
  const size_t arrow = compact.find("->");
  e.has_arrow = arrow != std::string::npos;
  const std::string left = compact.substr(0, arrow);
  if (e.has_arrow) e.output = compact.substr(arrow + 2);
  const auto allowed = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '.';
  };
  if (left.empty() || !std::ranges::all_of(left, [&](char c) { return allowed(c) || c == ','; }) ||
      !std::ranges::all_of(e.output, allowed)) {
    return InvalidArgument("Indices have incorrect format: ", text);
  }
  for (std::string_view part : StrSplit(left, ',')) e.inputs.emplace_back(part);
  if (e.inputs.size() != operands.size()) {
    return InvalidArgument("Got ", operands.size(), " arguments for equation \"", text,
                           "\", expecting ", e.inputs.size());
  }
  Labels ellipsis;
  if (compact.find("...") != std::string::npos) {
    Labels unused;
    for (char c = 'a'; c <= 'z'; ++c) unused += Has(left, c) ? "" : Labels(1, c);
    for (char c = 'A'; c <= 'Z'; ++c) unused += Has(left, c) ? "" : Labels(1, c);
    for (size_t i = 0; i < e.inputs.size(); ++i) {
      HR_ASSIGN_OR_RETURN(e.inputs[i],
                          ReplaceEllipsis(e.inputs[i], unused, operands[i].shape(), ellipsis));
    }
    if (const size_t at = e.output.find("..."); at != Labels::npos)
      e.output.replace(at, 3, ellipsis);
  }
  for (const Labels& labels : e.inputs) {
    if (Has(labels, '.')) return InvalidArgument("period \".\" found outside of ellipsis");
  }
  if (Has(e.output, '.')) return InvalidArgument("period \".\" found outside of ellipsis");
  if (!e.has_arrow) {
    Labels all;
    for (const Labels& labels : e.inputs) all += labels;
    std::set<char> once;
    for (char c : all) {
      if (std::ranges::count(all, c) == 1 && !Has(ellipsis, c)) once.insert(c);
    }
    e.output = ellipsis + Labels(once.begin(), once.end());
  }
  return e;
}

Output TransposeTo(Output x, const Labels& from, const Labels& to, Location where) {
  if (from == to) return x;
  std::vector<int64_t> perm;
  for (char c : to) perm.push_back(static_cast<int64_t>(from.find(c)));
  return Transpose(x, perm, {}, where);
}

// Dimensions as numbers, or in the step where they are not known.
std::vector<IntArg> DimsOf(Output x, Location where) {
  std::vector<IntArg> dims;
  Output in_step;
  for (int i = 0; i < x.shape().rank(); ++i) {
    if (x.shape()[i] < 0 && !in_step.valid()) in_step = ShapeOf(x, {}, where);
    dims.push_back(x.shape()[i] < 0 ? IntArg(At(in_step, {i}, {}, where)) : IntArg(x.shape()[i]));
  }
  return dims;
}

IntArg ProductOf(std::span<const IntArg> dims, Location where) {
  IntArg result = 1;
  for (const IntArg& dim : dims) {
    if (!result.is_output() && !dim.is_output()) {
      result = result.values()[0] * dim.values()[0];
      continue;
    }
    const auto operand = [](const IntArg& n) {
      return n.is_output() ? Operand(n.output()) : Operand(n.values()[0]);
    };
    result = array_grad::Mul(operand(result), operand(dim), where);
  }
  return result;
}

Output ReshapeTo(Output x, const std::vector<IntArg>& dims, Location where) {
  bool same = x.shape().has_rank() && x.shape().rank() == static_cast<int>(dims.size());
  bool numbers = true;
  std::vector<int64_t> values;
  for (size_t i = 0; i < dims.size(); ++i) {
    numbers &= !dims[i].is_output();
    if (numbers) values.push_back(dims[i].values()[0]);
    same = same && numbers && x.shape()[static_cast<int>(i)] == values.back();
  }
  if (same) return x;
  return Reshape(x, numbers ? IntArg(values) : IntArg::Packed(dims), {}, where);
}

// Groups of the labels of two terms: in both and kept, in one alone, summed over.
struct Groups {
  Labels kept, summed, own[2];

  Groups(const Labels& a, const Labels& b, const Labels& output) {
    for (char c : a) (!Has(b, c) ? own[0] : Has(output, c) ? kept : summed) += c;
    for (char c : b) {
      if (!Has(a, c)) own[1] += c;
    }
    for (Labels* labels : {&kept, &summed, &own[0], &own[1]})
      std::sort(labels->begin(), labels->end());
  }
};

std::vector<IntArg> Part(const std::vector<IntArg>& dims, size_t begin, size_t end) {
  return {dims.begin() + static_cast<int64_t>(begin), dims.begin() + static_cast<int64_t>(end)};
}

void Append(std::vector<IntArg>& to, const std::vector<IntArg>& more) {
  to.insert(to.end(), more.begin(), more.end());
}

// Two terms become one, by a product of matrices or of elements.
Term Combine(const Term& a, const Term& b, const Labels& output, Location where) {
  const Groups g(a.labels, b.labels, output);
  Output x = TransposeTo(a.tensor, a.labels, g.kept + g.own[0] + g.summed, where);
  Output y = TransposeTo(b.tensor, b.labels, g.kept + g.summed + g.own[1], where);
  const Labels labels = g.kept + g.own[0] + g.own[1];
  const size_t kept = g.kept.size(), summed = g.summed.size();
  if (summed == 0) {
    for (size_t i = 0; i < g.own[1].size(); ++i) x = ExpandDims(x, -1, {}, where);
    for (size_t i = 0; i < g.own[0].size(); ++i)
      y = ExpandDims(y, static_cast<int64_t>(kept), {}, where);
    return {Mul(x, y, {}, where), labels};
  }
  const std::vector<IntArg> x_dims = DimsOf(x, where);
  const IntArg x_own = ProductOf(Part(x_dims, kept, x_dims.size() - summed), where);
  const IntArg size = ProductOf(Part(x_dims, x_dims.size() - summed, x_dims.size()), where);
  std::vector<IntArg> dims = Part(x_dims, 0, kept);
  Append(dims, {x_own, size});
  x = ReshapeTo(x, dims, where);
  const std::vector<IntArg> y_dims = DimsOf(y, where);
  const IntArg y_own = ProductOf(Part(y_dims, kept + summed, y_dims.size()), where);
  dims = Part(y_dims, 0, kept);
  Append(dims, {size, y_own});
  y = ReshapeTo(y, dims, where);
  const Output product = MatrixProduct(x, y, {}, where);
  dims = Part(x_dims, 0, kept + g.own[0].size());
  Append(dims, Part(y_dims, y_dims.size() - g.own[1].size(), y_dims.size()));
  return {ReshapeTo(product, dims, where), labels};
}

// A letter that is summed over more than two operands: products of everything by everything.
Output ProductOfAll(const Equation& e, std::span<const Output> operands, Location where) {
  std::set<char> letters(e.output.begin(), e.output.end());
  for (const Labels& labels : e.inputs) letters.insert(labels.begin(), labels.end());
  Labels order;
  for (char c : letters) order += Has(e.output, c) ? "" : Labels(1, c);
  std::vector<int64_t> summed;
  for (size_t i = 0; i < order.size(); ++i) summed.push_back(static_cast<int64_t>(i));
  order += e.output;
  std::vector<Output> terms;
  std::vector<std::vector<int64_t>> shapes;
  for (size_t i = 0; i < operands.size(); ++i) {
    Labels own;
    for (char c : order) own += Has(e.inputs[i], c) ? Labels(1, c) : "";
    terms.push_back(TransposeTo(operands[i], e.inputs[i], own, where));
    std::vector<int64_t>& dims = shapes.emplace_back();
    int next = 0;
    for (char c : order) dims.push_back(Has(own, c) ? terms.back().shape()[next++] : 1);
  }
  for (size_t i = 0; i < terms.size(); ++i) terms[i] = Reshape(terms[i], shapes[i], {}, where);
  Output product = array_grad::Mul(1, terms[0], where);
  for (size_t i = 1; i < terms.size(); ++i) product = array_grad::Mul(product, terms[i], where);
  return ReduceSum(product, summed, {}, where);
}

Status Check(const Equation& e, std::span<const Output> operands, std::string_view text) {
  for (size_t i = 0; i < operands.size(); ++i) {
    const PartialShape& shape = operands[i].shape();
    if (!shape.has_rank() || shape.rank() != static_cast<int>(e.inputs[i].size())) {
      return InvalidArgument("operand ", i, " must have rank ", e.inputs[i].size(), " for '",
                             e.inputs[i], "', got shape ", shape.ToString());
    }
    for (char c : e.inputs[i]) {
      if (std::ranges::count(e.inputs[i], c) > 1) {
        return InvalidArgument("Subscript not supported: an axis appears more than once: ",
                               e.inputs[i]);
      }
    }
  }
  for (char c : e.output) {
    const bool known =
        std::ranges::any_of(e.inputs, [c](const Labels& labels) { return Has(labels, c); });
    if (!known || std::ranges::count(e.output, c) > 1)
      return InvalidArgument("Invalid equation: ", text);
  }
  return absl::OkStatus();
}

bool IsTrace(const Equation& e) {
  if (e.inputs.size() != 1 || e.has_arrow) return false;
  const Labels& labels = e.inputs[0];
  return std::equal(labels.begin(), labels.end(), labels.rbegin()) &&
         std::ranges::any_of(labels, [&](char c) { return std::ranges::count(labels, c) == 2; });
}

StatusOr<Output> Build(std::string_view text, std::span<const Output> operands, Location where) {
  HR_ASSIGN_OR_RETURN(const Equation e, Parse(text, operands));
  if (IsTrace(e)) return Trace(operands[0], {}, where);
  HR_RETURN_IF_ERROR(Check(e, operands, text));
  for (const Labels& labels : e.inputs) {
    for (char c : labels) {
      const auto count =
          std::ranges::count_if(e.inputs, [c](const Labels& other) { return Has(other, c); });
      if (count > 2 && !Has(e.output, c)) return ProductOfAll(e, operands, where);
    }
  }
  Term term{operands[0], e.inputs[0]};
  for (size_t i = 1; i < operands.size(); ++i)
    term = Combine(term, {operands[i], e.inputs[i]}, e.output, where);
  std::vector<int64_t> extra;
  Labels left;
  for (size_t i = 0; i < term.labels.size(); ++i) {
    if (Has(e.output, term.labels[i])) {
      left += term.labels[i];
    } else {
      extra.push_back(static_cast<int64_t>(i));
    }
  }
  if (!extra.empty()) term = {ReduceSum(term.tensor, extra, {}, where), left};
  return TransposeTo(term.tensor, term.labels, e.output, where);
}

}  // namespace

Output Einsum(std::string_view equation, std::span<const Output> operands, EinsumOptions o,
              Location where) {
  Graph* graph = nullptr;
  for (const Output& operand : operands) {
    if (!operand.valid()) return {};
    graph = operand.graph();
  }
  if (graph == nullptr) return {};
  if (o.one_op) {
    return NodeBuilder("Einsum", o.name, where).Inputs(operands).Attr("equation", equation).Build();
  }
  const NameScope scope(*graph, o.name.empty() ? "einsum" : o.name);
  StatusOr<Output> result = Build(equation, operands, where);
  if (result.ok()) return *result;
  graph->ReportError(InvalidArgument("einsum '", equation, "' (", where.file, ":", where.line,
                                     "): ", Message(result.status())));
  return {};
}

}  // namespace headrace
