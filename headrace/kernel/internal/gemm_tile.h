// The parts of a matrix product that are vectorised by us: tiles of float32 and float64, and what
// follows the product.
#pragma once

#include <cstdint>

namespace headrace::internal {

// What happens to a product before it is stored, in this order. Rows of matrices are `c_row` apart.
struct FloatFinish {
  bool add = false;             // what c holds
  const float* bias = nullptr;  // [n], added to each row
  bool relu = false;
  const float* where = nullptr;  // [m, n]: times 1 where it is above 0, times 0 elsewhere
  const float* decay = nullptr;  // one number: plus decay * c
  const float* rate = nullptr;   // one number: c - product * rate; not together with `add`
};

// A tile of c = finish(a * b), all row-major; `transpose` says that a is kept as [k, m], b
// as [n, k]. The bits of an element of c do not depend on where a tile begins or ends, except that
// a tile of one row has an order of its own.
struct FloatTile {
  const float* a;
  int64_t a_row;  // from one row of memory to the next
  bool transpose_a;
  const float* b;
  int64_t b_row;
  bool transpose_b;
  float* c;
  int64_t c_row;
  int64_t m, n, k;
  FloatFinish finish;
};
// The deepest product whose sums stay in registers to the end, which `rate` needs.
constexpr int64_t kFloatTileDepth = 400;
constexpr int64_t kFloatRowDepth = 8;  // the same for tiles of one row, b not transposed
void RunFloatTile(const FloatTile& tile);
// Columns of a tile had best be a multiple of these.
int64_t FloatTileColumns();

// A tile of c = a * b: element (i, p) of a at a[i * a_row + p * a_column], and so on.
struct DoubleTile {
  const double* a;
  int64_t a_row, a_column;
  const double* b;
  int64_t b_row, b_column;
  double* c;
  int64_t c_row;
  int64_t m, n, k;
  bool accumulate;
};
void RunDoubleTile(const DoubleTile& tile);

// c[i, j] = relu(c[i, j] + bias[j]) over a tile of [m, n] with rows `c_row` apart; bias may be
// null.
void FinishTile(float* c, int64_t c_row, int64_t m, int64_t n, const float* bias, bool relu);
void FinishTile(double* c, int64_t c_row, int64_t m, int64_t n, const double* bias, bool relu);

}  // namespace headrace::internal
