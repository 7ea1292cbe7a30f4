// Random programs over many ops: shapes with dimensions of 0 and 1, all dtypes, operands that are
// results of earlier steps. Each step is run as it is made, so that the next knows real shapes.
#pragma once

#include <map>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "headrace/ops/testing/graph_runner.h"
#include "tests/random_ops/program.h"

namespace headrace::random_ops {

struct GeneratorOptions {
  DType real = DType::kFloat32;  // the dtype that most values have
  bool special_values = true;    // NaN and infinities among the leaves
};

class Generator {
 public:
  explicit Generator(uint32_t seed, GeneratorOptions options = {});
  Program Make();
  // What the library said to steps that it should have taken, or did not keep of what it inferred.
  const std::string& failure() const { return failure_; }
  // How often each op was made, and how often it refused, since the process started.
  static std::map<std::string, std::pair<int, int>>& Counts();

  // For the rules (rules.cpp): draws, operands, and a step.
  int Below(int n) { return static_cast<int>(random_() % static_cast<uint32_t>(n)); }
  bool OneIn(int n) { return Below(n) == 0; }
  DType RandomType(DTypeSet among);
  Shape RandomShape(int rank);
  const Tensor& ValueOf(Operand operand) const;
  const Shape& ShapeOf(Operand operand) const { return ValueOf(operand).shape(); }
  DType TypeOf(Operand operand) const { return ValueOf(operand).dtype(); }
  // A value that an earlier step made, or a new leaf.
  Operand Any(DTypeSet types, int least_rank = 0, int most_rank = 4);
  Operand Leaf(DType type, const Shape& shape);
  // One that broadcasts with a value of this shape; or has exactly this shape.
  Operand Partner(DType type, const Shape& shape, bool exactly = false);
  Operand Constant(Tensor value);
  Operand Ints(const std::vector<int64_t>& values, bool scalar = false);  // as int32 or int64
  Operand Indices(const Shape& shape, int64_t below, DType type);         // within [0, below)
  // Adds the step if the op takes it. Inputs as they are.
  bool Try(const std::string& op, std::vector<Operand> inputs, AttrMap attrs = {});

 private:
  Tensor RandomValues(DType type, const Shape& shape);
  Operand AddLeaf(Step step);

  std::mt19937 random_;
  GeneratorOptions options_;
  Program program_;
  Graph graph_;
  testing::GraphRunner runner_;
  std::vector<Node*> nodes_;
  std::vector<std::vector<Tensor>> values_;  // by step and output
  Shape base_;
  std::string failure_;
};

// One kind of step; `op` is one of its names.
struct Rule {
  const char* op;
  void (*make)(Generator& generator, const char* op);
};
const std::vector<Rule>& Rules();

}  // namespace headrace::random_ops
