// Convolutions of NHWC images and NDHWC volumes as matrix products of patches: float64, and float32
// where oneDNN has nothing fast.
//
//   HR_RETURN_IF_ERROR(PlainConvForward(workers, shape, x, filter, y, patches));
//
// `patches` is scratch memory that grows as needed. REQUIRES: !shape.empty(). The bits do not
// depend on the number of threads.
#pragma once

#include <vector>

#include "headrace/base/worker_pool.h"
#include "headrace/ops/nn/conv_geometry.h"

namespace headrace {

template <class T>
Status PlainConvForward(WorkerPool& workers, const ConvShape& s, const T* input, const T* filter,
                        T* output, std::vector<T>& patches);
template <class T>
Status PlainConvBackwardData(WorkerPool& workers, const ConvShape& s, const T* out_backprop,
                             const T* filter, T* input_grad, std::vector<T>& patches);
template <class T>
Status PlainConvBackwardFilter(WorkerPool& workers, const ConvShape& s, const T* input,
                               const T* out_backprop, T* filter_grad, std::vector<T>& patches);

// Between [n, c, s] and [n, s, c].
template <class T>
void ChannelsToLast(WorkerPool& workers, int64_t n, int64_t channels, int64_t size, const T* x,
                    T* y);
template <class T>
void ChannelsToFirst(WorkerPool& workers, int64_t n, int64_t channels, int64_t size, const T* x,
                     T* y) {
  ChannelsToLast(workers, n, size, channels, x, y);  // the same transposition
}

}  // namespace headrace
