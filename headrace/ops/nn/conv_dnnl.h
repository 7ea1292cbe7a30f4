// float32 convolutions of NHWC images and NDHWC volumes with oneDNN, on all workers: the batch is
// cut into chunks of images, each chunk runs single-threaded, and the weights are brought into
// oneDNN's layout once for all of them.
//
//   DnnlConv conv;                                                     // a member of the kernel
//   HR_RETURN_IF_ERROR(conv.Prepare(ConvDirection::kForward, shape));  // free for the last shape
//   HR_RETURN_IF_ERROR(conv.Run(ctx.workers(), x, filter, y));
//
// The cut depends on the shape alone, so the bits of the result do not depend on the number of
// threads. Not thread-safe.
#pragma once

#include <memory>
#include <optional>

#include "headrace/base/worker_pool.h"
#include "headrace/ops/nn/conv_geometry.h"

namespace headrace {

enum class ConvDirection : uint8_t { kForward, kBackwardData, kBackwardFilter };

class DnnlConv {
 public:
  DnnlConv();
  ~DnnlConv();
  DnnlConv(const DnnlConv&) = delete;
  DnnlConv& operator=(const DnnlConv&) = delete;

  // REQUIRES: !shape.empty(). Errors: Unimplemented where oneDNN has no fast implementation;
  // ResourceExhausted.
  Status Prepare(ConvDirection direction, const ConvShape& shape);
  // Forward: a = input, b = filter, result = output. Backward data: a = gradient of the output, b =
  // filter, result = gradient of the input. Backward filter: a = input, b = gradient of the output,
  // result = gradient of the filter [height, width, in, out]. REQUIRES: Prepare was OK.
  Status Run(WorkerPool& workers, const float* a, const float* b, float* result);

 private:
  struct Plan;
  std::optional<ConvShape> shape_;
  ConvDirection direction_ = ConvDirection::kForward;
  std::unique_ptr<Plan> plan_;
};

}  // namespace headrace
