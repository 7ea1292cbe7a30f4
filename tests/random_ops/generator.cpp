#include "tests/random_ops/generator.h"

#include <limits>

#include "headrace/base/strings.h"
#include "headrace/ops/testing/tensors.h"

namespace headrace::random_ops {
namespace {

constexpr int64_t kMostElements = 4096;

bool Differentiable(const OpDef& op) {
  return op.gradient() != nullptr || op.no_gradient();
}

}  // namespace

Generator::Generator(uint32_t seed, GeneratorOptions options) : random_(seed), options_(options) {
  base_ = Shape();
  for (int i = 0; i < 4; ++i) base_.Append(1 + Below(5));
}

std::map<std::string, std::pair<int, int>>& Generator::Counts() {
  static auto& counts = *new std::map<std::string, std::pair<int, int>>();
  return counts;
}

DType Generator::RandomType(DTypeSet among) {
  if (among.Contains(options_.real) && !OneIn(4)) return options_.real;
  std::vector<DType> types;
  for (int i = 1; i <= static_cast<int>(DType::kUInt64); ++i) {
    const DType type = static_cast<DType>(i);
    if (among.Contains(type) && IsPlain(type) && !IsQuantized(type)) types.push_back(type);
  }
  return types[static_cast<size_t>(Below(static_cast<int>(types.size())))];
}

// The last dimensions of one shape that all leaves of the program share, some of them 1, few 0.
Shape Generator::RandomShape(int rank) {
  Shape shape;
  for (int i = 4 - rank; i < 4; ++i) {
    shape.Append(OneIn(40) ? 0 : OneIn(5) ? 1 : OneIn(8) ? 1 + Below(9) : base_.dim(i));
  }
  return shape;
}

Tensor Generator::RandomValues(DType type, const Shape& shape) {
  std::vector<double> values(static_cast<size_t>(shape.num_elements()));
  const int kind = Below(6);
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  for (double& v : values) {
    if (type == DType::kBool) {
      v = Below(2);
    } else if (!IsFloating(type) && !IsComplex(type)) {
      v = Below(10) - (IsInteger(type) && type >= DType::kUInt32 ? 0 : 4);
      if (type == DType::kUInt8 || type == DType::kUInt16) v = Below(10);
    } else if (kind == 0) {  // with ties, zeros and halves
      v = (Below(9) - 4) / 2.0;
    } else {
      const double scale = kind == 1 ? 8 : kind == 2 ? 0.5 : 2;
      v = std::uniform_real_distribution<double>(kind < 4 ? -scale : 0.1, scale)(random_);
      if (options_.special_values && kind == 1 && OneIn(12)) {
        const double specials[] = {0.0, -0.0, kInfinity, -kInfinity, std::nan(""), 1e30, 1e-30};
        v = specials[Below(7)];
      }
    }
  }
  return testing::FromDoubles(values, shape, type);
}

const Tensor& Generator::ValueOf(Operand operand) const {
  return values_[static_cast<size_t>(operand.step)][static_cast<size_t>(operand.output)];
}

Operand Generator::AddLeaf(Step step) {
  StatusOr<Node*> node = AddStep(graph_, nodes_, step, static_cast<int>(nodes_.size()));
  if (!node.ok()) failure_ = node.status().ToString();
  nodes_.push_back(node.value());
  values_.push_back({step.value});
  program_.steps.push_back(std::move(step));
  return {static_cast<int>(nodes_.size()) - 1, 0};
}

Operand Generator::Leaf(DType type, const Shape& shape) {
  Step step{.value = RandomValues(type, shape), .fed = !OneIn(3), .stated = shape};
  if (step.fed && OneIn(4)) {
    if (OneIn(4)) step.stated = PartialShape();
    for (int i = 0; i < step.stated.rank(); ++i) {
      if (OneIn(2)) step.stated.set_dim(i, PartialShape::kUnknown);
    }
  }
  return AddLeaf(std::move(step));
}

Operand Generator::Constant(Tensor value) {
  return AddLeaf({.value = std::move(value)});
}

Operand Generator::Ints(const std::vector<int64_t>& values, bool scalar) {
  const std::vector<double> doubles(values.begin(), values.end());
  return Constant(
      testing::FromDoubles(doubles, scalar ? Shape() : Shape{static_cast<int64_t>(values.size())},
                           OneIn(6) ? DType::kInt64 : DType::kInt32));
}

Operand Generator::Indices(const Shape& shape, int64_t below, DType type) {
  std::vector<double> values(static_cast<size_t>(shape.num_elements()));
  for (double& v : values) v = Below(static_cast<int>(std::max<int64_t>(below, 1)));
  return Constant(testing::FromDoubles(values, shape, type));
}

Operand Generator::Any(DTypeSet types, int least_rank, int most_rank) {
  const int made = static_cast<int>(values_.size());
  for (int tries = 0; made > 0 && tries < 12; ++tries) {
    const int i = OneIn(2) ? Below(made) : made - 1 - Below(std::min(made, 8));
    const std::vector<Tensor>& outputs = values_[static_cast<size_t>(i)];
    if (outputs.empty()) continue;
    const int output = Below(static_cast<int>(outputs.size()));
    const Tensor& value = outputs[static_cast<size_t>(output)];
    // Constants are mostly axes and the like.
    if (program_.steps[static_cast<size_t>(i)].op.empty() &&
        !program_.steps[static_cast<size_t>(i)].fed && !OneIn(4)) {
      continue;
    }
    if (types.Contains(value.dtype()) && value.rank() >= least_rank && value.rank() <= most_rank) {
      return {i, output};
    }
  }
  const int rank = least_rank + Below(std::min(most_rank, 4) - least_rank + 1);
  return Leaf(RandomType(types), RandomShape(rank));
}

Operand Generator::Partner(DType type, const Shape& shape, bool exactly) {
  for (int tries = 0; tries < 12; ++tries) {
    const int i = Below(static_cast<int>(values_.size()));
    for (size_t output = 0; output < values_[static_cast<size_t>(i)].size(); ++output) {
      const Tensor& value = values_[static_cast<size_t>(i)][output];
      if (value.dtype() != type) continue;
      if (exactly ? value.shape() == shape : BroadcastShapes(value.shape(), shape).ok()) {
        return {i, static_cast<int>(output)};
      }
    }
  }
  if (exactly) return Leaf(type, shape);
  Shape partner;
  for (int i = OneIn(3) ? Below(shape.rank() + 1) : 0; i < shape.rank(); ++i) {
    partner.Append(OneIn(4) ? 1 : shape.dim(i));
  }
  return Leaf(type, partner);
}

bool Generator::Try(const std::string& op, std::vector<Operand> inputs, AttrMap attrs) {
  auto& [made, refused] = Counts()[op];
  ++refused;
  Step step{.op = op, .inputs = std::move(inputs), .attrs = std::move(attrs)};
  const StatusOr<Node*> node = AddStep(graph_, nodes_, step, static_cast<int>(nodes_.size()));
  if (!node.ok() || !FindSupport(**node, "CPU").ok()) return false;
  testing::Feeds feeds;
  for (size_t i = 0; i < step.inputs.size(); ++i) {
    feeds.insert_or_assign((*node)->input(static_cast<int>(i)), ValueOf(step.inputs[i]));
  }
  std::vector<Output> outputs;
  for (int i = 0; i < (*node)->num_outputs(); ++i) outputs.push_back((*node)->output(i));
  StatusOr<std::vector<Tensor>> results = runner_.Run(outputs, feeds);
  if (!results.ok()) return false;
  for (size_t i = 0; i < results->size(); ++i) {
    if ((*results)[i].num_elements() > kMostElements) return false;
    if (!outputs[i].shape().IsCompatibleWith((*results)[i].shape())) {
      failure_ = StrCat((*node)->Describe(), ": inferred ", outputs[i].shape().ToString(),
                        ", made ", (*results)[i].ToString());
    }
  }
  --refused;
  ++made;
  const char* devices[] = {"/cpu:0", "/cpu:1", "/gpu:0", "/gpu:1"};
  if (OneIn(2)) step.device = devices[Below(4)];
  nodes_.push_back(*node);
  values_.push_back(*std::move(results));
  program_.steps.push_back(std::move(step));
  return true;
}

Program Generator::Make() {
  for (int i = 0; i < 3; ++i) Leaf(options_.real, RandomShape(Below(4)));
  const int steps = 4 + Below(24);
  for (int i = 0; i < steps && failure_.empty(); ++i) {
    const Rule& rule = Rules()[static_cast<size_t>(Below(static_cast<int>(Rules().size())))];
    rule.make(*this, rule.op);
  }
  // What nobody took is fetched, and a few others; what gradients reach is differentiated.
  std::vector<bool> used(program_.steps.size(), false), blocked(program_.steps.size(), false);
  for (size_t i = 0; i < program_.steps.size(); ++i) {
    const Step& step = program_.steps[i];
    blocked[i] = !step.op.empty() && !Differentiable(nodes_[i]->op());
    for (const Operand& input : step.inputs) {
      used[static_cast<size_t>(input.step)] = true;
      if (blocked[static_cast<size_t>(input.step)]) blocked[i] = true;
    }
  }
  for (size_t i = 0; i < program_.steps.size(); ++i) {
    if (program_.steps[i].op.empty() || (used[i] && !OneIn(6))) continue;
    for (size_t output = 0; output < values_[i].size(); ++output) {
      const Operand fetch{static_cast<int>(i), static_cast<int>(output)};
      program_.fetches.push_back(fetch);
      if (!blocked[i] && TypeOf(fetch) == options_.real) program_.ys.push_back(fetch);
    }
  }
  program_ = Pruned(program_);
  // An op may have a gradient that its attributes rule out.
  if (!Build(program_, false).graph->status().ok()) program_.ys.clear();
  return program_;
}

}  // namespace headrace::random_ops
