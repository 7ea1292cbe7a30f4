// The op harness: one case states inputs and the right answer, and is checked in every way we know.
//
//   TEST(Tanh, MatchesReference) {
//     CheckOp({.op = "Tanh", .inputs = {RandomTensor(DType::kFloat32, {2, 3})},
//              .reference = Elementwise([](double x) { return std::tanh(x); }),
//              .dtypes = kFloatTypes, .shapes = {{{0, 3}}, {{1, 1}}, {Shape()}}});
//   }
//   TEST(Add, RefusesShapesThatDoNotBroadcast) {
//     CheckOpError({.op = "Add", .inputs = {a, b}, .text = "Incompatible shapes: [2] vs. [3]"});
//   }
//
// CheckOp checks: inferred shape = real shape, with fully, partly and not known input shapes;
// forward values against `expected` or `reference`; gradients, and gradients of gradients, against
// central differences in float64; a simulated GPU against the CPU; several threads against one;
// results in planned memory and in place; other dtypes and shapes.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "headrace/graph/graph.h"
#include "headrace/ops/testing/graph_runner.h"
#include "headrace/ops/testing/tensors.h"

namespace headrace::testing {

struct OpCase {
  // What is tested: an op with attributes (dtypes and counts that follow from the inputs may be
  // left out), or a composite.
  std::string op;
  AttrMap attrs;
  // Instead of `op`.
  std::function<std::vector<Output>(Graph&, const std::vector<Output>& inputs)> build;

  // An input that the op takes as a variable, or by its handle, is one that holds this tensor (invalid: no value yet).
  std::vector<Tensor> inputs;
  std::vector<int> constant_inputs = {};  // inputs that are Const nodes: shapes, axes

  // The answer, by output; an invalid tensor is not compared. `reference` gets floating inputs as
  // float64, others as they are, and may answer in any dtype: values count.
  std::vector<Tensor> expected = {};
  Reference reference = nullptr;
  double tolerance = 0;  // of |a - e| / max(1, |e|); 0 = DefaultTolerance of the output's dtype
  // Values of variable inputs afterwards.
  std::vector<std::pair<int, Tensor>> expected_variables = {};

  // More runs of the forward check: inputs of the first input's dtype as each of these, ...
  DTypeSet dtypes = {};
  // ... and random inputs of these shapes (one list of shapes a run; values lie in the range of the
  // input of that position).
  std::vector<std::vector<Shape>> shapes = {};

  // Inputs whose gradients are checked; default: all floating inputs, unless the op states that it
  // has no gradient. {} = none.
  std::optional<std::vector<int>> gradient_of = std::nullopt;
  bool second_order = true;          // the gradients' gradients too
  double gradient_tolerance = 1e-5;  // of |a - n| / max(1, |n|)
  DType gradient_dtype = DType::kFloat64;
  double gradient_step = 1e-5;  // of the central differences

  bool static_shape = true;   // known input shapes (and constants) make every output shape known
  bool deterministic = true;  // same bits with any number of threads and on simulated devices
};
void CheckOp(const OpCase& c, Location where = Location::Current());

// An op that must fail: when it is made, where shapes are known, and in the step, where they are
// not.
struct OpErrorCase {
  std::string op;
  AttrMap attrs;
  std::function<std::vector<Output>(Graph&, const std::vector<Output>& inputs)> build;
  std::vector<Tensor> inputs;
  std::vector<int> constant_inputs = {};
  absl::StatusCode code = absl::StatusCode::kInvalidArgument;
  std::string text;      // part of the message
  bool at_build = true;  // false: nothing is wrong with the shapes, only the step fails
  bool in_step = true;   // false: only the attributes or dtypes are wrong, no step can show it
};
void CheckOpError(const OpErrorCase& c, Location where = Location::Current());

// The gradient check on a graph: analytic gradients of sum_i(ys[i] * weight_i) against central
// differences, `order` times (2: the gradients are differentiated again). `feeds` holds every fed
// tensor, xs among them. "" or what is wrong.
struct GradientCheckOptions {
  int order = 2;
  double tolerance = 1e-5;
  double step = 1e-5;
};
std::string GradientDifference(const std::vector<Output>& ys, const std::vector<Output>& xs,
                               const Feeds& feeds, GraphRunner& runner,
                               GradientCheckOptions options = {});

}  // namespace headrace::testing
