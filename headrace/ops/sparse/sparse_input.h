// How kernels see a sparse tensor: three inputs in a row, indices [n, rank], values [n], shape
// [rank].
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "headrace/kernel/kernel.h"

namespace headrace {

struct SparseInput {
  const int64_t* indices = nullptr;
  int64_t count = 0;
  int rank = 0;
  const Tensor* values = nullptr;
  std::span<const int64_t> dims;

  std::span<const int64_t> index(int64_t i) const {
    return {indices + i * rank, static_cast<size_t>(rank)};
  }
  template <class T>
  const T* data() const {
    return values->data<T>();
  }
};

// Inputs first, first + 1, first + 2 (always int64), where they fit together. Errors:
// InvalidArgument "Input indices should be a matrix but received shape [2]" and the like.
StatusOr<SparseInput> ReadSparse(const KernelContext& ctx, int first);
// InvalidArgument "indices[1] = [3,0] is out of bounds: need 0 <= index < [3,2]".
Status CheckInBounds(const SparseInput& sparse);

// -1, 0, 1 as index a comes before, is, or comes after b in row-major order.
int CompareIndices(std::span<const int64_t> a, std::span<const int64_t> b);
// "3,2"
std::string IndexListText(std::span<const int64_t> index);

// Entries in row-major order of their indices; equal ones keep their order.
std::vector<int64_t> RowMajorOrder(const SparseInput& sparse);
// Copies values[order[i]] to out[i]. Any dtype but variant.
void TakeValues(const Tensor& values, std::span<const int64_t> order, Tensor& out);

// Writes output `first` (indices [n, rank]).
StatusOr<int64_t*> MakeIndices(KernelContext& ctx, int output, int64_t count, int rank);
// Writes a shape vector.
Status SetShapeOutput(KernelContext& ctx, int output, std::span<const int64_t> dims);

}  // namespace headrace
