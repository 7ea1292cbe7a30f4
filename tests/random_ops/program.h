// A graph as a list that can be cut down: what the generator makes, every way of running takes, and
// a failure is reduced to.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "headrace/graph/graph.h"
#include "headrace/tensor/tensor.h"

namespace headrace::random_ops {

struct Operand {
  int step = 0;
  int output = 0;
};

// A leaf (op empty: a constant, or a placeholder with its value) or one application of an op.
struct Step {
  std::string op;
  std::vector<Operand> inputs;
  AttrMap attrs;
  Tensor value;         // of a leaf
  bool fed = false;     // a leaf that is a placeholder
  PartialShape stated;  // what a placeholder says of its shape
  std::string device;   // asked for where there are simulated GPUs
};

struct Program {
  std::vector<Step> steps;
  std::vector<Operand> fetches;
  std::vector<Operand> ys;  // differentiated with respect to every fed leaf of their dtype
};

// A program as nodes "n0", "n1", ...: one a step. The graph's status tells whether that worked.
struct Built {
  std::unique_ptr<Graph> graph = std::make_unique<Graph>();
  std::vector<Node*> nodes;
  std::vector<Output> feeds;  // with `values`, in order
  std::vector<Tensor> values;
  std::vector<Output> fetches;                       // those of the program, then the gradients
  std::vector<std::pair<Output, Output>> gradients;  // x and its gradient, where there is one
};
Built Build(const Program& program, bool with_devices, bool with_gradients = true);

// Adds one step's node to `graph`, where `nodes` holds those of the steps before it.
StatusOr<Node*> AddStep(Graph& graph, const std::vector<Node*>& nodes, const Step& step,
                        int number);

// Without the steps that neither fetches nor ys need.
Program Pruned(const Program& program);

// "n3 = Mul(n0:0, n2:0) {T=DT_FLOAT}", a line a step; values of leaves as far as they are short.
std::string Listing(const Program& program);

}  // namespace headrace::random_ops
