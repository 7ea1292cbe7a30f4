#include "headrace/ops/array/strided_copy.h"

#include <algorithm>
#include <cstring>
#include <string>
#include <utility>

#include "headrace/kernel/cpu/stream.h"

namespace headrace {
namespace {

constexpr double kNsPerByte = 0.06;
constexpr int64_t kPieceBytes = 128 << 10;  // of one long run, for one worker
constexpr int64_t kStreamedRunBytes =
    1024;  // shorter runs have too many lines that they share with others

struct Bytes16 {
  uint64_t low, high;
};

// The view without dimensions of 1, joined where both sides allow it, in bytes.
struct Layout {
  std::array<int64_t, kMaxCopyRank> dims, dst, src;
  int rank = 0;
  int64_t count = 1;
};

Layout Joined(const CopyView& view, int64_t size) {
  Layout l;
  for (int i = 0; i < view.rank; ++i) {
    const int64_t dim = view.dims[i], dst = view.dst_strides[i] * size,
                  src = view.src_strides[i] * size;
    l.count *= dim;
    if (dim == 1) continue;
    if (l.rank > 0 && l.dst[l.rank - 1] == dst * dim && l.src[l.rank - 1] == src * dim) {
      l.dims[l.rank - 1] *= dim;
      l.dst[l.rank - 1] = dst;
      l.src[l.rank - 1] = src;
      continue;
    }
    l.dims[l.rank] = dim;
    l.dst[l.rank] = dst;
    l.src[l.rank] = src;
    ++l.rank;
  }
  return l;
}

// Walks over all but the last `inner` dimensions, from any flat index on.
class Odometer {
 public:
  Odometer(const Layout& l, int inner, int64_t at) : l_(l), outer_(l.rank - inner) {
    for (int i = outer_ - 1; i >= 0; --i) {
      index_[i] = at % l.dims[i];
      at /= l.dims[i];
      dst_ += index_[i] * l.dst[i];
      src_ += index_[i] * l.src[i];
    }
  }
  int64_t dst() const { return dst_; }
  int64_t src() const { return src_; }
  void Next() {
    for (int i = outer_ - 1; i >= 0; --i) {
      dst_ += l_.dst[i];
      src_ += l_.src[i];
      if (++index_[i] < l_.dims[i]) return;
      dst_ -= l_.dims[i] * l_.dst[i];
      src_ -= l_.dims[i] * l_.src[i];
      index_[i] = 0;
    }
  }

 private:
  const Layout& l_;
  const int outer_;
  std::array<int64_t, kMaxCopyRank> index_{};
  int64_t dst_ = 0, src_ = 0;
};

template <class T>
void CopyOne(char* dst, const char* src) {
  if constexpr (std::is_trivially_copyable_v<T>) {
    std::memcpy(dst, src, sizeof(T));
  } else {
    *reinterpret_cast<T*>(dst) = *reinterpret_cast<const T*>(src);
  }
}

template <class T>
void CopyRun(char* dst, const char* src, int64_t count) {
  if constexpr (std::is_trivially_copyable_v<T>) {
    std::memcpy(dst, src, static_cast<size_t>(count) * sizeof(T));
  } else {
    std::copy_n(reinterpret_cast<const T*>(src), count, reinterpret_cast<T*>(dst));
  }
}

template <class T>
void FillRun(char* dst, const char* src, int64_t count) {
  if constexpr (std::is_trivially_copyable_v<T>) {
    T value;
    std::memcpy(&value, src, sizeof(T));
    for (int64_t i = 0; i < count; ++i)
      std::memcpy(dst + i * static_cast<int64_t>(sizeof(T)), &value, sizeof(T));
  } else {
    std::fill_n(reinterpret_cast<T*>(dst), count, *reinterpret_cast<const T*>(src));
  }
}

// Every kStep-th element, which compilers make of vectors.
template <class T, int64_t kStep>
void CopyStep(char* dst, const char* src, int64_t count) {
  using Element __attribute__((may_alias, aligned(1))) = T;
  Element* y = reinterpret_cast<Element*>(dst);
  const Element* x = reinterpret_cast<const Element*>(src);
#pragma GCC ivdep
  for (int64_t i = 0; i < count; ++i) y[i] = x[i * kStep];
}

template <class T>
void CopyStrided(char* dst, int64_t dst_stride, const char* src, int64_t src_stride,
                 int64_t count) {
  if (dst_stride == static_cast<int64_t>(sizeof(T)) && src_stride == 0)
    return FillRun<T>(dst, src, count);
  if constexpr (std::is_integral_v<T>) {
    constexpr int64_t kSize = sizeof(T);
    if (dst_stride == kSize && src_stride == -kSize) return CopyStep<T, -1>(dst, src, count);
    if (dst_stride == kSize && src_stride == 2 * kSize) return CopyStep<T, 2>(dst, src, count);
  }
  for (int64_t i = 0; i < count; ++i) CopyOne<T>(dst + i * dst_stride, src + i * src_stride);
}

using Float4 = float __attribute__((vector_size(16)));

// dst[k][j] = src[j][k] for 4 x 4 elements of 4 bytes.
inline void Transpose4x4(char* dst, int64_t dst_row, const char* src, int64_t src_row) {
  Float4 a, b, c, d;
  std::memcpy(&a, src, 16);
  std::memcpy(&b, src + src_row, 16);
  std::memcpy(&c, src + 2 * src_row, 16);
  std::memcpy(&d, src + 3 * src_row, 16);
  const Float4 ab_low = __builtin_shufflevector(a, b, 0, 4, 1, 5),
               ab_high = __builtin_shufflevector(a, b, 2, 6, 3, 7);
  const Float4 cd_low = __builtin_shufflevector(c, d, 0, 4, 1, 5),
               cd_high = __builtin_shufflevector(c, d, 2, 6, 3, 7);
  a = __builtin_shufflevector(ab_low, cd_low, 0, 1, 4, 5);
  b = __builtin_shufflevector(ab_low, cd_low, 2, 3, 6, 7);
  c = __builtin_shufflevector(ab_high, cd_high, 0, 1, 4, 5);
  d = __builtin_shufflevector(ab_high, cd_high, 2, 3, 6, 7);
  std::memcpy(dst, &a, 16);
  std::memcpy(dst + dst_row, &b, 16);
  std::memcpy(dst + 2 * dst_row, &c, 16);
  std::memcpy(dst + 3 * dst_row, &d, 16);
}

// A rectangle of a transposition: the source is dense along j, the destination along k. `dst_row`
// is the step of j in the destination, `src_row` that of k in the source.
template <class T>
void TransposeTile(char* dst, int64_t dst_row, const char* src, int64_t src_row, int64_t js,
                   int64_t ks) {
  constexpr int64_t kSize = sizeof(T);
  int64_t j = 0;
  if constexpr (kSize == 4) {
    for (; j + 4 <= js; j += 4) {
      int64_t k = 0;
      for (; k + 4 <= ks; k += 4) {
        Transpose4x4(dst + j * dst_row + k * kSize, dst_row, src + k * src_row + j * kSize,
                     src_row);
      }
      for (int64_t jj = j; jj < j + 4; ++jj) {
        for (int64_t kk = k; kk < ks; ++kk)
          CopyOne<T>(dst + jj * dst_row + kk * kSize, src + kk * src_row + jj * kSize);
      }
    }
  }
  for (; j < js; ++j) {
    for (int64_t k = 0; k < ks; ++k)
      CopyOne<T>(dst + j * dst_row + k * kSize, src + k * src_row + j * kSize);
  }
}

// The last dimension is dense in the destination, dimension `j` in the source: tiles that fit the
// cache.
template <class T>
void CopyTransposed(WorkerPool& workers, Layout l, int j, char* dst, const char* src) {
  constexpr int64_t kTileJ = 16, kTileK = 64;
  // Dimension j goes last but one; the others stay in order.
  const int k = l.rank - 1;
  for (int i = j; i < k - 1; ++i) {
    std::swap(l.dims[i], l.dims[i + 1]);
    std::swap(l.dst[i], l.dst[i + 1]);
    std::swap(l.src[i], l.src[i + 1]);
  }
  j = k - 1;
  const int64_t js = l.dims[j], ks = l.dims[k], dst_row = l.dst[j], src_row = l.src[k];
  const int64_t j_tiles = (js + kTileJ - 1) / kTileJ;
  const int64_t planes = l.count / (js * ks);
  const double ns =
      static_cast<double>(kTileJ * ks * static_cast<int64_t>(sizeof(T))) * kNsPerByte * 3;
  workers.ParallelFor(planes * j_tiles, ns, [&](int64_t begin, int64_t end) {
    Odometer at(l, 2, begin / j_tiles);
    for (int64_t tile = begin; tile < end; ++tile) {
      const int64_t j0 = tile % j_tiles * kTileJ;
      if (tile > begin && j0 == 0) at.Next();
      for (int64_t k0 = 0; k0 < ks; k0 += kTileK) {
        TransposeTile<T>(dst + at.dst() + j0 * dst_row + k0 * static_cast<int64_t>(sizeof(T)),
                         dst_row,
                         src + at.src() + k0 * src_row + j0 * static_cast<int64_t>(sizeof(T)),
                         src_row, std::min(kTileJ, js - j0), std::min(kTileK, ks - k0));
      }
    }
  });
}

template <class T>
void CopyRuns(WorkerPool& workers, const Layout& l, char* dst, const char* src) {
  const int64_t run = l.dims[l.rank - 1], runs = l.count / run;
  const int64_t run_bytes = run * static_cast<int64_t>(sizeof(T));
  const bool stream = std::is_trivially_copyable_v<T> && run_bytes >= kStreamedRunBytes &&
                      WorthStreaming(runs * run_bytes);
  if (run_bytes > 2 * kPieceBytes && workers.size() > 1) {  // few long runs: pieces of them
    const int64_t piece = kPieceBytes / static_cast<int64_t>(sizeof(T)),
                  pieces = (run + piece - 1) / piece;
    workers.ParallelChunks(runs * pieces, 2, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        const Odometer at(l, 1, i / pieces);
        const int64_t first = i % pieces * piece, offset = first * static_cast<int64_t>(sizeof(T));
        char* const to = dst + at.dst() + offset;
        const char* const from = src + at.src() + offset;
        const int64_t count = std::min(piece, run - first);
        stream ? StreamCopy(to, from, count * static_cast<int64_t>(sizeof(T)))
               : CopyRun<T>(to, from, count);
      }
      if (stream) FlushStreams();
    });
    return;
  }
  const auto body = [&](int64_t begin, int64_t end) {
    Odometer at(l, 1, begin);
    if (stream) {
      for (int64_t i = begin; i < end; ++i) {
        char* const to = dst + at.dst();
        const char* const from = src + at.src();
        at.Next();
        StreamCopy(to, from, run_bytes, src + at.src());  // the last Next leads back to the first
      }
      return FlushStreams();
    }
    for (int64_t i = begin; i < end; ++i, at.Next())
      CopyRun<T>(dst + at.dst(), src + at.src(), run);
  };
  workers.ParallelFor(runs, 4 + static_cast<double>(run_bytes) * kNsPerByte, body);
}

template <class T>
void Copy(WorkerPool& workers, const Layout& l, char* dst, const char* src) {
  constexpr int64_t kSize = sizeof(T);
  if (l.rank == 0) return CopyOne<T>(dst, src);
  const int last = l.rank - 1;
  const bool dense = l.dst[last] == kSize && l.src[last] == kSize;
  if (dense && (l.dims[last] > 1)) return CopyRuns<T>(workers, l, dst, src);
  if constexpr (std::is_trivially_copyable_v<T>) {
    if (l.dst[last] == kSize) {
      for (int j = 0; j < last; ++j) {
        if (l.src[j] == kSize && l.src[last] != 0)
          return CopyTransposed<T>(workers, l, j, dst, src);
      }
    }
  }
  const int64_t run = l.dims[last];
  workers.ParallelFor(l.count / run, 2 + static_cast<double>(run) * (0.5 + kSize * kNsPerByte),
                      [&](int64_t begin, int64_t end) {
                        Odometer at(l, 1, begin);
                        for (int64_t i = begin; i < end; ++i, at.Next()) {
                          CopyStrided<T>(dst + at.dst(), l.dst[last], src + at.src(), l.src[last],
                                         run);
                        }
                      });
}

// A short dense run becomes one wider element, so that [n, 2] floats move 8 bytes at a time.
int64_t WidenElements(Layout& l, int64_t size) {
  while (l.rank > 1) {
    const int last = l.rank - 1;
    const int64_t run = l.dims[last] * size;
    if (l.dst[last] != size || l.src[last] != size ||
        (run != 2 && run != 4 && run != 8 && run != 16))
      break;
    l.count /= l.dims[last];
    --l.rank;
    size = run;
  }
  return size;
}

}  // namespace

void StridedCopy(WorkerPool& workers, DType type, const CopyView& view, void* dst,
                 const void* src) {
  int64_t size = static_cast<int64_t>(SizeOf(type));
  Layout l = Joined(view, size);
  if (l.count == 0) return;
  char* to = static_cast<char*>(dst);
  const char* from = static_cast<const char*>(src);
  if (type == DType::kString) return Copy<std::string>(workers, l, to, from);
  if (type == DType::kResource) return Copy<ResourceHandle>(workers, l, to, from);
  size = WidenElements(l, size);
  switch (size) {
    case 1:
      return Copy<uint8_t>(workers, l, to, from);
    case 2:
      return Copy<uint16_t>(workers, l, to, from);
    case 4:
      return Copy<uint32_t>(workers, l, to, from);
    case 8:
      return Copy<uint64_t>(workers, l, to, from);
    default:
      return Copy<Bytes16>(workers, l, to, from);
  }
}

void CopyRows(WorkerPool& workers, DType type, int64_t rows, int64_t row_elements, void* dst,
              int64_t dst_stride, const void* src, int64_t src_stride) {
  CopyView view;
  view.Add(rows, dst_stride, src_stride);
  view.Add(row_elements, 1, 1);
  StridedCopy(workers, type, view, dst, src);
}

std::array<int64_t, kMaxRank> RowMajorStrides(const Shape& shape) {
  std::array<int64_t, kMaxRank> strides{};
  int64_t stride = 1;
  for (int i = shape.rank() - 1; i >= 0; --i) {
    strides[i] = stride;
    stride *= shape.dim(i);
  }
  return strides;
}

}  // namespace headrace
