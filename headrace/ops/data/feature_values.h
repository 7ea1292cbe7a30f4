// Values of a feature into tensors.
#pragma once

#include <algorithm>
#include <span>
#include <string>
#include <string_view>

#include "headrace/base/worker_pool.h"
#include "headrace/io/example_wire.h"
#include "headrace/tensor/tensor.h"

namespace headrace {

// A list whose values are read when there is a tensor for them.
struct KeptList {
  std::string_view bytes;
  int64_t count = 0;
};

// kInvalid for a feature without values.
inline DType TypeOf(FeatureKind kind) {
  switch (kind) {
    case FeatureKind::kBytes:
      return DType::kString;
    case FeatureKind::kFloat:
      return DType::kFloat32;
    case FeatureKind::kInt64:
      return DType::kInt64;
    case FeatureKind::kNone:
      break;
  }
  return DType::kInvalid;
}

// How errors call the values.
inline std::string_view NounOf(DType type) {
  return type == DType::kString ? "bytes" : type == DType::kFloat32 ? "float" : "int64";
}

// The values of a list of `out`'s type into elements [begin, begin + most) of it; returns how many
// there are, -1 for a damaged list.
inline int64_t ReadList(std::string_view list, Tensor& out, int64_t begin, int64_t most) {
  if (out.dtype() == DType::kString) return ReadValues(list, out.data<std::string>() + begin, most);
  if (out.dtype() == DType::kFloat32) return ReadValues(list, out.data<float>() + begin, most);
  return ReadValues(list, out.data<int64_t>() + begin, most);
}

// All elements of `from` to `out`, from element `begin` on.
inline void CopyElements(const Tensor& from, Tensor& out, int64_t begin) {
  if (out.dtype() == DType::kString) {
    std::ranges::copy(from.flat<std::string>(), out.data<std::string>() + begin);
  } else {
    std::memcpy(
        static_cast<char*>(out.raw_data()) + static_cast<size_t>(begin) * SizeOf(out.dtype()),
        from.raw_data(), from.size_bytes());
  }
}

// Elements [begin, end) become the only element of `value`; zeros or empty texts if it has none.
inline void FillElements(const Tensor& value, Tensor& out, int64_t begin, int64_t end) {
  const bool given = value.valid() && value.num_elements() > 0;
  const auto fill = [&]<class T>(T* data) {
    std::fill(data + begin, data + end, given ? *value.data<T>() : T());
  };
  if (out.dtype() == DType::kString) {
    fill(out.data<std::string>());
  } else if (out.dtype() == DType::kFloat32) {
    fill(out.data<float>());
  } else {
    fill(out.data<int64_t>());
  }
}

// Lists as the rows of a sparse matrix; `scalar`: the only list as a sparse vector.
struct StackedLists {
  Tensor indices, values, shape;
};
StatusOr<StackedLists> StackLists(std::span<const KeptList> lists, DType type, bool scalar,
                                  WorkerPool& workers, Allocator& allocator);

}  // namespace headrace
