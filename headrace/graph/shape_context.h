// What a shape function sees of its node.
//
//   Status MatMulShape(ShapeContext& c) {
//     HR_ASSIGN_OR_RETURN(PartialShape a, c.WithRank(0, 2));
//     HR_ASSIGN_OR_RETURN(PartialShape b, c.WithRank(1, 2));
//     HR_RETURN_IF_ERROR(c.CheckEqualDims(a[1], b[0], "columns of a", "rows of b"));
//     return c.SetOutput(0, {a[0], b[1]});
//   }
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "headrace/graph/graph.h"

namespace headrace {

class ShapeContext {
 public:
  // `value_of(i)` gives the value of input i where it is known while the graph is built or compiled (a
  // constant, or folded from constants), else nullptr. It stays valid as long as this object. `shape_of(i)` (may
  // be empty) is for an input that states a shape of which only a part is known ([batch size, 10]).
  ShapeContext(const Node& node, std::span<const PartialShape> inputs, std::function<const Tensor*(int)> value_of,
               std::function<PartialShape(int)> shape_of = nullptr);

  const Node& node() const { return node_; }
  const AttrMap& attrs() const { return node_.attrs(); }
  int num_inputs() const { return static_cast<int>(inputs_.size()); }
  int num_outputs() const { return static_cast<int>(outputs_.size()); }
  const PartialShape& input(int i) const { return inputs_[i]; }
  const Tensor* input_value(int i) const { return value_of_(i); }

  Status SetOutput(int i, const PartialShape& shape) {
    outputs_[i] = shape;
    return absl::OkStatus();
  }
  std::span<const PartialShape> outputs() const { return outputs_; }

  // The input's shape with that rank: "input 1 ('b') must have rank 2, got shape [3]".
  StatusOr<PartialShape> WithRank(int i, int rank) const;
  StatusOr<PartialShape> WithRankAtLeast(int i, int rank) const;
  Status CheckScalar(int i) const;
  // Unknown dimensions agree with anything: "columns of a (4) and rows of b (5) must be equal".
  Status CheckEqualDims(int64_t a, int64_t b, std::string_view what_a, std::string_view what_b) const;
  // The shape that an int32/int64 vector input states; unknown rank when its value and length are unknown,
  // unknown dimensions when only its length is known. Errors for negative values other than -1 (`allow_unknown`).
  StatusOr<PartialShape> InputAsShape(int i, bool allow_unknown = false) const;
  // Values of an int32/int64 input, when known.
  std::optional<std::vector<int64_t>> InputAsInts(int i) const;
  // Values for [-rank, rank) -> [0, rank): "axis 3 is out of range for rank 2".
  static StatusOr<int> NormalizeAxis(int64_t axis, int rank);

 private:
  const Node& node_;
  std::vector<PartialShape> inputs_, outputs_;
  std::function<const Tensor*(int)> value_of_;
  std::function<PartialShape(int)> shape_of_;
};

// Shape functions that many ops share.
Status NoShape(ShapeContext& c);             // outputs of unknown shape
Status ScalarShape(ShapeContext& c);         // every output a scalar
Status SameShapeAsInput(ShapeContext& c);    // every output like input 0
Status BroadcastShape(ShapeContext& c);      // output 0 = inputs 0 and 1 broadcast
Status MergedInputShape(ShapeContext& c);    // all inputs must agree; every output like them

// The value of `output` where it follows from constants (Const, Shape of known shapes, Pack, Cast, ... of such),
// or an invalid Tensor. Numbers other than int32 and int64 are known of constants themselves only. Work is bounded:
// what would take many steps to find counts as unknown.
Tensor ConstantValue(Output output);
// The shape that an int32 or int64 vector states as far as it follows from constants; unknown rank if its length
// is unknown.
PartialShape ConstantValueAsShape(Output output);

}  // namespace headrace
