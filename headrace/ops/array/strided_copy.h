// The one way in which array kernels move elements: between two strided views of memory.
//
//   // y = transpose(x), [m, n] -> [n, m]
//   CopyView v; v.Add(n, m, 1); v.Add(m, 1, n);
//   StridedCopy(workers, DType::kFloat32, v, y, x);
//
// Slices, splits, concatenation, padding, tiling, broadcasting, reversal and transposition are all
// such copies. Dimensions that lie in one piece are joined; what remains is copied in runs, or in
// tiles where rows become columns. Large copies use all workers.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "headrace/base/worker_pool.h"
#include "headrace/tensor/tensor.h"

namespace headrace {

// A tiled tensor has two dimensions for each of its own.
inline constexpr int kMaxCopyRank = 2 * kMaxRank;

// Strides count elements. Those of the source may be negative or 0; those of the destination may be
// negative, and no two elements may fall on one place.
struct CopyView {
  std::array<int64_t, kMaxCopyRank> dims{}, dst_strides{}, src_strides{};
  int rank = 0;

  void Add(int64_t dim, int64_t dst_stride, int64_t src_stride) {
    dims[rank] = dim;
    dst_strides[rank] = dst_stride;
    src_strides[rank] = src_stride;
    ++rank;
  }
};

// Copies elements of any dtype (strings by value). `dst` and `src` point to the element at index 0
// of the view and may not overlap.
void StridedCopy(WorkerPool& workers, DType type, const CopyView& view, void* dst, const void* src);

// `rows` rows of `row_elements` elements each, `dst_stride` and `src_stride` elements apart.
void CopyRows(WorkerPool& workers, DType type, int64_t rows, int64_t row_elements, void* dst,
              int64_t dst_stride, const void* src, int64_t src_stride);

// Row-major strides of a shape.
std::array<int64_t, kMaxRank> RowMajorStrides(const Shape& shape);

// The address of element `offset` of a tensor.
inline void* ElementAt(Tensor& tensor, int64_t offset) {
  return static_cast<char*>(tensor.raw_data()) +
         offset * static_cast<int64_t>(SizeOf(tensor.dtype()));
}
inline const void* ElementAt(const Tensor& tensor, int64_t offset) {
  return static_cast<const char*>(tensor.raw_data()) +
         offset * static_cast<int64_t>(SizeOf(tensor.dtype()));
}

}  // namespace headrace
