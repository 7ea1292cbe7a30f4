// Every op of TensorFlow 1.15 as it defines them (tests/golden/op_defs.pb), without shapes,
// gradients and kernels.
#pragma once

#include "headrace/graph/op_def.h"
#include "headrace/io/proto/graph.pb.h"

namespace headrace::testing {

const proto::OpList& TensorFlowOpDefs();
// A registry with these ops: any graph file can be read with it.
OpRegistry& TensorFlowOps();

}  // namespace headrace::testing
