#include "headrace/kernel/cpu/gemm.h"

#include <pthread.h>
#include <signal.h>

#include <algorithm>
#include <atomic>
#include <mutex>
#include <unordered_map>
#include <utility>

#include "headrace/base/strings.h"
#include "headrace/kernel/cpu/dnnl.h"
#include "headrace/kernel/internal/gemm_tile.h"

namespace headrace {
namespace {

struct Tiling {
  int64_t rows = 0, columns = 0;  // of a tile; the last ones are smaller
  int64_t row_tiles = 1, column_tiles = 1;
};

int64_t CeilDiv(int64_t a, int64_t b) {
  return (a + b - 1) / b;
}
int64_t RoundUp(int64_t a, int64_t unit) {
  return CeilDiv(a, unit) * unit;
}

double Flops(int64_t m, int64_t n, int64_t k) {
  return 2.0 * static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(k);
}

// Microseconds on one core.
double Estimate(int64_t m, int64_t n, int64_t k, double flops_per_us) {
  const double bytes =
      4.0 * (static_cast<double>(m) * k + static_cast<double>(k) * n + static_cast<double>(m) * n);
  return std::max(Flops(m, n, k) / flops_per_us, bytes / 60e3);
}

// How many pieces a product of that size is worth, from its estimated time on one core.
int64_t Pieces(int64_t m, int64_t n, int64_t k, double flops_per_us) {
  const double us = Estimate(m, n, k, flops_per_us);
  if (us < 20) return 1;
  const double small = std::min(us / 10, 4.0), middle = std::min(us / 100, 16.0), large = us / 1300;
  return static_cast<int64_t>(std::max({small, middle, large}));
}

// Products up to this size run on our own tiles; larger ones on oneDNN's, which pack their
// operands, but take 30 ms to generate when a process first calls one.
constexpr double kOwnFlops = 4e8;

// The cut for our own tiles: they read a where it lies and pack no panel of b twice unless there is
// more than one row of tiles; a block of 256 rows of a stays in the second cache.
Tiling CutOwn(int64_t m, int64_t n, int64_t k, bool transpose_b) {
  constexpr int64_t kMostRows = 256, kLeastRows = 28;
  int64_t width = internal::FloatTileColumns();
  const double us = Estimate(m, n, k, 1e5);
  const int64_t pieces =
      us < 8 ? 1 : static_cast<int64_t>(std::max(std::min(us / 5, 4.0), std::min(us / 40, 64.0)));
  Tiling t;
  t.row_tiles = CeilDiv(m, kMostRows);
  if (m == 1 && !transpose_b) width *= 16;  // short pieces of the rows of b come slowly from memory
  const int64_t panels = CeilDiv(n, width);
  t.columns = CeilDiv(panels, std::clamp<int64_t>(CeilDiv(pieces, t.row_tiles), 1, panels)) * width;
  t.column_tiles = CeilDiv(n, t.columns);
  const int64_t wanted =
      std::min(CeilDiv(pieces, t.column_tiles), std::max<int64_t>(1, m / kLeastRows));
  t.rows = CeilDiv(m, std::max(t.row_tiles, wanted));
  t.row_tiles = CeilDiv(m, t.rows);
  return t;
}

void GemmOwn(WorkerPool& workers, bool transpose_a, bool transpose_b, int64_t m, int64_t n,
             int64_t k, const float* a, const float* b, float* c,
             const GemmEpilogue<float>& epilogue) {
  if (n == 1 && m > 1) {  // a column is a row seen from the other side
    GemmOwn(workers, false, !transpose_a, 1, m, k, b, a, c, {.accumulate = epilogue.accumulate});
    if (epilogue.bias != nullptr || epilogue.relu)
      internal::FinishTile(c, 1, m, 1, epilogue.bias, epilogue.relu);
    return;
  }
  const Tiling t = CutOwn(m, n, k, transpose_b);
  const int64_t a_row = transpose_a ? m : k, b_row = transpose_b ? k : n;
  workers.ParallelChunks(t.row_tiles * t.column_tiles, 1, [&](int64_t begin, int64_t end) {
    for (int64_t at = begin; at < end; ++at) {
      const int64_t i = at / t.column_tiles * t.rows, j = at % t.column_tiles * t.columns;
      internal::RunFloatTile(
          {.a = a + i * (transpose_a ? 1 : k),
           .a_row = a_row,
           .transpose_a = transpose_a,
           .b = b + j * (transpose_b ? k : 1),
           .b_row = b_row,
           .transpose_b = transpose_b,
           .c = c + i * n + j,
           .c_row = n,
           .m = std::min(t.rows, m - i),
           .n = std::min(t.columns, n - j),
           .k = k,
           .finish = {.add = epilogue.accumulate,
                      .bias = epilogue.bias == nullptr ? nullptr : epilogue.bias + j,
                      .relu = epilogue.relu,
                      .where = epilogue.where == nullptr ? nullptr : epilogue.where + i * n + j,
                      .decay = epilogue.decay,
                      .rate = epilogue.rate}});
    }
  });
}

// A tile packs its part of a and b, so few rows of tiles for a wide c, few columns for a tall one;
// to pack a transposed b again costs about eight times as much. A function of the sizes only: see
// gemm.h.
Tiling Cut(int64_t m, int64_t n, int64_t k, bool transpose_b, double flops_per_us) {
  const int64_t pieces = Pieces(m, n, k, flops_per_us);
  Tiling best{m, n, 1, 1};
  double least = -1;
  for (int64_t wanted = 1; wanted <= pieces; ++wanted) {
    Tiling t;
    t.rows = std::min(m, RoundUp(CeilDiv(m, wanted), 8));
    t.row_tiles = CeilDiv(m, t.rows);
    t.columns = RoundUp(CeilDiv(n, CeilDiv(pieces, t.row_tiles)), 16);
    if (t.columns % 48 == 16)
      t.columns += 16;  // oneDNN's kernel is 48 wide; a rest of 16 costs as much as 32
    t.columns = std::min(n, t.columns);
    t.column_tiles = CeilDiv(n, t.columns);
    const double packed =
        static_cast<double>(m) * t.column_tiles + (transpose_b ? 8.0 : 1.0) * n * t.row_tiles;
    // Fewer tiles than wanted leave cores idle: as bad as as much more packing.
    const double cost =
        packed * std::max(1.0, static_cast<double>(pieces) / (t.row_tiles * t.column_tiles));
    if (least < 0 || cost < least) {
      least = cost;
      best = t;
    }
  }
  return best;
}

// Runs `tile(i, rows, j, columns)` for every tile; the first error wins.
template <class Tile>
Status ForEachTile(WorkerPool& workers, const Tiling& t, int64_t m, int64_t n, Tile tile) {
  std::mutex mutex;
  Status first;
  workers.ParallelChunks(t.row_tiles * t.column_tiles, 1, [&](int64_t begin, int64_t end) {
    for (int64_t at = begin; at < end; ++at) {
      const int64_t i = at / t.column_tiles * t.rows, j = at % t.column_tiles * t.columns;
      Status status = tile(i, std::min(t.rows, m - i), j, std::min(t.columns, n - j));
      if (status.ok()) continue;
      std::lock_guard lock(mutex);
      if (first.ok()) first = std::move(status);
    }
  });
  return first;
}

// Narrow products: oneDNN's batch-reduce kernels do them up to half faster than its sgemm. One call
// object for each size and thread.
struct NarrowKey {
  int64_t m, n, k;
  bool transpose_b, accumulate;
  bool operator==(const NarrowKey&) const = default;
};
struct NarrowHash {
  size_t operator()(const NarrowKey& key) const {
    size_t hash = key.transpose_b * 2 + key.accumulate;
    for (int64_t v : {key.m, key.n, key.k})
      hash = (hash ^ static_cast<size_t>(v)) * 0x9E3779B97F4A7C15u;
    return hash ^ (hash >> 32);
  }
};

StatusOr<DnnlCall> MakeNarrow(const NarrowKey& key) {
  using Tag = dnnl::memory::format_tag;
  const int64_t a[] = {key.m, key.k}, b[] = {key.k, key.n}, c[] = {key.m, key.n};
  HR_ASSIGN_OR_RETURN(const dnnl::memory::desc a_desc, DnnlDesc(DType::kFloat32, a));
  HR_ASSIGN_OR_RETURN(const dnnl::memory::desc b_desc,
                      DnnlDesc(DType::kFloat32, b, key.transpose_b ? Tag::ba : Tag::ab));
  HR_ASSIGN_OR_RETURN(const dnnl::memory::desc c_desc, DnnlDesc(DType::kFloat32, c));
  HR_ASSIGN_OR_RETURN(
      auto primitive,
      CachedDnnlPrimitive(
          StrCat("gemm ", key.m, " ", key.n, " ", key.k, " ", key.transpose_b, key.accumulate),
          [&] {
            dnnl::primitive_attr attr = DnnlAttr();
            if (key.accumulate) {
              dnnl::post_ops ops;
              ops.append_sum(1.0f);
              attr.set_post_ops(ops);
            }
            return dnnl::matmul::primitive_desc({a_desc, b_desc, c_desc}, attr, DnnlEngine());
          }));
  return DnnlCall::Create(
      std::move(primitive),
      {{DNNL_ARG_SRC, a_desc}, {DNNL_ARG_WEIGHTS, b_desc}, {DNNL_ARG_DST, c_desc}});
}

Status RunNarrow(const NarrowKey& key, const float* a, const float* b, float* c) {
  constexpr size_t kMost = 256;
  thread_local std::unordered_map<NarrowKey, DnnlCall, NarrowHash> calls;
  auto it = calls.find(key);
  if (it == calls.end()) {
    HR_ASSIGN_OR_RETURN(DnnlCall call, MakeNarrow(key));
    if (calls.size() >= kMost) calls.clear();
    it = calls.emplace(key, std::move(call)).first;
  }
  it->second.Bind(0, a);
  it->second.Bind(1, b);
  it->second.Bind(2, c);
  return it->second.Run();
}

template <class T>
void NoProduct(WorkerPool& workers, int64_t m, int64_t n, T* c, const GemmEpilogue<T>& epilogue) {
  if (!epilogue.accumulate) std::fill_n(c, m * n, T());
  if (epilogue.bias != nullptr || epilogue.relu)
    internal::FinishTile(c, n, m, n, epilogue.bias, epilogue.relu);
}

// oneDNN 2.6's sgemm keeps values below its stack pointer, where a signal handler's frame goes: a
// signal that comes meanwhile makes it write elsewhere. It comes a tile later instead.
class SignalsBlocked {
 public:
  SignalsBlocked() {
    sigset_t all;
    sigfillset(&all);
    for (int fault : {SIGSEGV, SIGBUS, SIGFPE, SIGILL}) sigdelset(&all, fault);  // never come late
    pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  ~SignalsBlocked() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  SignalsBlocked(const SignalsBlocked&) = delete;
  SignalsBlocked& operator=(const SignalsBlocked&) = delete;

 private:
  sigset_t before_;
};

}  // namespace

bool GemmUpdates(bool transpose_b, int64_t m, int64_t n, int64_t k) {
  if (m == 0 || n <= 1 || k == 0 || k > internal::kFloatTileDepth) return false;
  return Flops(m, n, k) < kOwnFlops && (m > 1 || transpose_b || k <= internal::kFloatRowDepth);
}

Status Gemm(WorkerPool& workers, bool transpose_a, bool transpose_b, int64_t m, int64_t n,
            int64_t k, const float* a, const float* b, float* c,
            const GemmEpilogue<float>& epilogue) {
  if (m == 0 || n == 0) return absl::OkStatus();
  if ((epilogue.where != nullptr || epilogue.rate != nullptr) &&
      !GemmUpdates(transpose_b, m, n, k)) {
    return Internal("a product of ", m, "x", n, "x", k, " cannot update what it is added to");
  }
  if (k == 0) {
    NoProduct(workers, m, n, c, epilogue);
    return absl::OkStatus();
  }
  if (Flops(m, n, k) < kOwnFlops) {
    GemmOwn(workers, transpose_a, transpose_b, m, n, k, a, b, c, epilogue);
    return absl::OkStatus();
  }
  constexpr int64_t kNarrow = 32;
  const bool narrow = n <= kNarrow && m > 1 && !transpose_a;
  const bool finish = epilogue.bias != nullptr || epilogue.relu;
  const Tiling tiling = Cut(m, n, k, transpose_b, 1e5);
  const int64_t a_row = transpose_a ? 1 : k, b_column = transpose_b ? k : 1;
  return ForEachTile(
      workers, tiling, m, n, [&](int64_t i, int64_t rows, int64_t j, int64_t columns) -> Status {
        const float* a_tile = a + i * a_row;
        const float* b_tile = b + j * b_column;
        float* c_tile = c + i * n + j;
        if (narrow && columns == n) {
          HR_RETURN_IF_ERROR(RunNarrow({rows, columns, k, transpose_b, epilogue.accumulate}, a_tile,
                                       b_tile, c_tile));
        } else {
          const DnnlSingleThread single;
          const SignalsBlocked no_signals;
          const dnnl_status_t code =
              dnnl_sgemm(transpose_a ? 'T' : 'N', transpose_b ? 'T' : 'N', rows, columns, k, 1.0f,
                         a_tile, transpose_a ? m : k, b_tile, transpose_b ? k : n,
                         epilogue.accumulate ? 1.0f : 0.0f, c_tile, n);
          HR_RETURN_IF_ERROR(DnnlStatus(code, "multiply matrices"));
        }
        if (finish) {
          internal::FinishTile(c_tile, n, rows, columns,
                               epilogue.bias == nullptr ? nullptr : epilogue.bias + j,
                               epilogue.relu);
        }
        return absl::OkStatus();
      });
}

Status Gemm(WorkerPool& workers, bool transpose_a, bool transpose_b, int64_t m, int64_t n,
            int64_t k, const double* a, const double* b, double* c,
            const GemmEpilogue<double>& epilogue) {
  if (m == 0 || n == 0) return absl::OkStatus();
  if (k == 0) {
    NoProduct(workers, m, n, c, epilogue);
    return absl::OkStatus();
  }
  const int64_t a_row = transpose_a ? 1 : k, a_column = transpose_a ? m : 1;
  const int64_t b_row = transpose_b ? 1 : n, b_column = transpose_b ? k : 1;
  return ForEachTile(
      workers, Cut(m, n, k, transpose_b, 3e4), m, n,
      [&](int64_t i, int64_t rows, int64_t j, int64_t columns) -> Status {
        internal::RunDoubleTile({a + i * a_row, a_row, a_column, b + j * b_column, b_row, b_column,
                                 c + i * n + j, n, rows, columns, k, epilogue.accumulate});
        if (epilogue.bias != nullptr || epilogue.relu) {
          internal::FinishTile(c + i * n + j, n, rows, columns,
                               epilogue.bias == nullptr ? nullptr : epilogue.bias + j,
                               epilogue.relu);
        }
        return absl::OkStatus();
      });
}

}  // namespace headrace
