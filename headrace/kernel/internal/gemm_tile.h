// The parts of a matrix product that are vectorised by us: a tile of float64, and what follows the
// product.
#pragma once

#include <cstdint>

namespace headrace::internal {

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
