// Passes over the graph of a step. Each leaves a graph that computes the same bits and gives the
// same errors; they run in the order of this header.
//
// An error that a pass meets (a shape that does not fit, a kernel that fails while a constant is
// folded) is not reported: the node stays as it is, and its kernel reports it when, and if, it
// runs.
#pragma once

#include "headrace/device/device.h"
#include "headrace/runtime/step_graph.h"

namespace headrace {

struct FoldOptions {
  Device* cpu = nullptr;                 // computes the constants
  bool replace = true;                   // false: values are used to infer shapes only
  int64_t max_bytes = int64_t{1} << 20;  // larger results are not kept
};

// Shapes of all outputs, and values of those that follow from constants and shapes. Needs no loops
// in the graph.
void InferAndFold(StepGraph& step, const FoldOptions& options);

// Nodes whose values nobody wants and that only order others (a gradient that was computed because
// another one of the same op was) are dropped where they leave no trace; what they waited for is
// waited for in their place. Needs shapes.
void DropUnusedValues(StepGraph& step);

// One node instead of several that compute the same from the same inputs.
void MergeEqualNodes(StepGraph& step);

// Consumers of an Identity (and of others that only pass a value on) take its input; nodes that
// only order others lose their kernel.
void BypassForwarding(StepGraph& step);

// Matrix products take over what follows them while the sums are in registers: a bias, Relu, the gradient of Relu, a step
// of gradient descent with or without weight decay. Only where nobody else wants the values between. Needs shapes.
Status FuseProducts(StepGraph& step);

// Puts the nodes into the order in which a plan runs them: creation order where it is free, but an
// update of a variable as soon as nothing wants the old value any more, so that gradients die early
// and updates are in place.
Status Schedule(StepGraph& step);

}  // namespace headrace
