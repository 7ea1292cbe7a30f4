#include "headrace/runtime/special_ops.h"

#include <algorithm>
#include <iterator>

namespace headrace {
namespace {

struct Entry {
  std::string_view op;
  OpTrait trait;
};
constexpr Entry kEntries[] = {
    {"AccumulatorApplyGradient", OpTrait::kEndsWaits},
    {"ControlTrigger", OpTrait::kControlTrigger},
    {"Enter", OpTrait::kEnter},
    {"Exit", OpTrait::kExit},
    {"ExpandDims", OpTrait::kReshape},
    {"Identity", OpTrait::kPassThrough},
    {"LoopCond", OpTrait::kLoopCondition},
    {"Merge", OpTrait::kMerge},
    {"NextIteration", OpTrait::kNextIteration},
    {"OnesLike", OpTrait::kShapeOnly},
    {"PlaceholderWithDefault", OpTrait::kPassThrough},
    {"PreventGradient", OpTrait::kPassThrough},
    {"PyFunc", OpTrait::kEndsWaits},
    {"PyFuncStateless", OpTrait::kEndsWaits},
    {"Rank", OpTrait::kShapeOnly},
    {"ReadVariableOp", OpTrait::kVariableRead},
    {"RefEnter", OpTrait::kEnter},
    {"RefExit", OpTrait::kExit},
    {"RefMerge", OpTrait::kMerge},
    {"RefNextIteration", OpTrait::kNextIteration},
    {"RefSelect", OpTrait::kChoosesVariable},
    {"RefSwitch", OpTrait::kSwitch},
    {"Reshape", OpTrait::kReshape},
    {"ResourceAccumulatorApplyGradient", OpTrait::kEndsWaits},
    {"Shape", OpTrait::kShapeOnly},
    {"ShapeN", OpTrait::kShapeOnly},
    {"Size", OpTrait::kShapeOnly},
    {"Snapshot", OpTrait::kPassThrough},
    {"SparseAccumulatorApplyGradient", OpTrait::kEndsWaits},
    {"Squeeze", OpTrait::kReshape},
    {"StopGradient", OpTrait::kPassThrough},
    {"Switch", OpTrait::kSwitch},
    {"ZerosLike", OpTrait::kShapeOnly},
};

constexpr std::string_view kNeverFail[] = {
    "Add",
    "AddV2",
    "AvgPoolGrad",
    "BatchMatMul",
    "BatchMatMulV2",
    "BiasAddGrad",
    "Conv2DBackpropFilter",
    "Conv2DBackpropInput",
    "Identity",
    "MatMul",
    "MaxPoolGrad",
    "Mul",
    "Neg",
    "RealDiv",
    "ReluGrad",
    "Reshape",
    "Select",
    "SigmoidGrad",
    "Sub",
    "Sum",
    "TanhGrad",
    "Tile",
};

}  // namespace

bool NeverFails(std::string_view op) {
  return std::ranges::find(kNeverFail, op) != std::end(kNeverFail);
}

OpTrait TraitOf(std::string_view op) {
  const auto* found =
      std::lower_bound(std::begin(kEntries), std::end(kEntries), op,
                       [](const Entry& entry, std::string_view name) { return entry.op < name; });
  return found != std::end(kEntries) && found->op == op ? found->trait : OpTrait::kNone;
}

}  // namespace headrace
