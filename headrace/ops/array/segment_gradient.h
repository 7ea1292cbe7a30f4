// The gradients of segment ops, node for node as TensorFlow's.
#pragma once

#include "headrace/graph/grad_context.h"

namespace headrace {

Status SegmentSumGradient(GradContext& c);
Status SegmentMeanGradient(GradContext& c);
Status SegmentMinMaxGradient(GradContext& c);
Status UnsortedSegmentSumGradient(GradContext& c);
Status UnsortedSegmentProdGradient(GradContext& c);
Status UnsortedSegmentMinMaxGradient(GradContext& c);

}  // namespace headrace
