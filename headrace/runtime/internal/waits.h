// Whether a plan, which runs one node after the other on each device, may run the nodes of a step
// that wait for other steps.
#pragma once

#include <vector>

#include "headrace/runtime/step_graph.h"

namespace headrace {

// False if waiting for one thing could keep the step from what ends the wait: two waits that
// nothing orders (unless both take from one queue), or one beside a node that may end waits. Such
// steps need the general executor, where everything waits at once. With several devices false also
// where a wait comes after something on another one, which would hold that device up for other
// steps.
bool CanWaitInOrder(const StepGraph& step);

// By id: nodes that wait, and what these need. In a step on several devices they come first, before
// other devices start; of other steps, none.
std::vector<bool> NodesBeforeWaits(const StepGraph& step);

}  // namespace headrace
