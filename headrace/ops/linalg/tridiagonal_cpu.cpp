#include <cmath>
#include <complex>
#include <vector>

#include "headrace/base/strings.h"
#include "headrace/ops/linalg/matrix_kernel.h"
#include "headrace/ops/linalg/tridiagonal_kernels.h"
#include "headrace/ops/linalg/types.h"
#include "headrace/tensor/dispatch.h"

namespace headrace {
namespace {

// A system with k right-hand sides: rows of x begin as those of rhs.
template <class T>
struct System {
  const T *above, *main, *below, *rhs;
  T* x;
  int64_t m, k;

  explicit System(const MatrixCall& call)
      : above(static_cast<const T*>(call.in[0].data)),
        main(above + call.in[0].cols),
        below(main + call.in[0].cols),
        rhs(static_cast<const T*>(call.in[1].data)),
        x(static_cast<T*>(call.out[0].data)),
        m(call.in[0].cols),
        k(call.in[1].cols) {}
};

template <class T>
Status SolveOne(const System<T>& s) {
  if (s.main[0] == T(0))
    return InvalidArgument("The matrix is not invertible: it is a scalar with value zero.");
  for (int64_t j = 0; j < s.k; ++j) s.x[j] = s.rhs[j] / s.main[0];
  return absl::OkStatus();
}

Status NotInvertible() {
  return InvalidArgument("The matrix is not invertible.");
}

// Gaussian elimination in which neighbouring rows are exchanged: U then has two diagonals above the
// main one. Source: Golub, van Loan, Matrix Computations, 4.3.
template <class T>
Status SolveWithPivoting(const MatrixCall& call) {
  const System<T> s(call);
  const int64_t m = s.m, k = s.k;
  if (m == 0) return absl::OkStatus();
  if (m == 1) return SolveOne(s);
  std::vector<T> u0(static_cast<size_t>(m)), u1(u0.size()), u2(u0.size());
  u0[0] = s.main[0];
  u1[0] = s.above[0];
  std::copy_n(s.rhs, k, s.x);
  for (int64_t i = 0; i + 1 < m; ++i) {
    T* row = s.x + i * k;
    T* next = row + k;
    const T* given = s.rhs + (i + 1) * k;
    const T pivot = u0[i], under = s.below[i + 1];
    const T beyond = i + 2 < m ? s.above[i + 1] : T(0);
    if (std::abs(pivot) >= std::abs(under)) {
      if (pivot == T(0)) return NotInvertible();
      const T factor = under / pivot;
      u0[i + 1] = s.main[i + 1] - factor * u1[i];
      u1[i + 1] = beyond;
      for (int64_t j = 0; j < k; ++j) next[j] = given[j] - factor * row[j];
    } else {
      const T factor = pivot / under;
      u0[i] = under;
      u0[i + 1] = u1[i] - factor * s.main[i + 1];
      u1[i] = s.main[i + 1];
      u2[i] = beyond;
      u1[i + 1] = -factor * beyond;
      for (int64_t j = 0; j < k; ++j) {
        next[j] = row[j] - factor * given[j];
        row[j] = given[j];
      }
    }
  }
  if (u0[m - 1] == T(0)) return NotInvertible();
  for (int64_t i = m - 1; i >= 0; --i) {
    T* row = s.x + i * k;
    for (int64_t j = 0; j < k; ++j) {
      T value = row[j];
      if (i + 1 < m) value -= u1[i] * row[k + j];
      if (i + 2 < m) value -= u2[i] * row[2 * k + j];
      row[j] = value / u0[i];
    }
  }
  return absl::OkStatus();
}

// Thomas's algorithm.
template <class T>
Status SolveWithoutPivoting(const MatrixCall& call) {
  const System<T> s(call);
  const int64_t m = s.m, k = s.k;
  if (m == 0) return absl::OkStatus();
  if (m == 1) return SolveOne(s);
  const auto failed = [] {
    return InvalidArgument(
        "The matrix is either not invertible, or requires pivoting. Try setting partial_pivoting "
        "= True.");
  };
  std::vector<T> u(static_cast<size_t>(m));  // what is left above the diagonal of ones
  T pivot = s.main[0];
  for (int64_t i = 0; i < m; ++i) {
    T* row = s.x + i * k;
    const T* given = s.rhs + i * k;
    if (i > 0) pivot = s.main[i] - s.below[i] * u[i - 1];
    if (pivot == T(0)) return failed();
    if (i + 1 < m) u[i] = s.above[i] / pivot;
    for (int64_t j = 0; j < k; ++j)
      row[j] = (i > 0 ? given[j] - s.below[i] * row[j - k] : given[j]) / pivot;
  }
  for (int64_t i = m - 2; i >= 0; --i) {
    T* row = s.x + i * k;
    for (int64_t j = 0; j < k; ++j) row[j] -= u[i] * row[k + j];
  }
  return absl::OkStatus();
}

template <class T>
Status Multiply(const MatrixCall& call) {
  const T *above = static_cast<const T*>(call.in[0].data),
          *main = static_cast<const T*>(call.in[1].data),
          *below = static_cast<const T*>(call.in[2].data),
          *rhs = static_cast<const T*>(call.in[3].data);
  T* out = static_cast<T*>(call.out[0].data);
  const int64_t m = call.in[3].rows, k = call.in[3].cols;
  for (int64_t i = 0; i < m; ++i) {
    const T* row = rhs + i * k;
    for (int64_t j = 0; j < k; ++j) {
      T value = main[i] * row[j];
      if (i + 1 < m) value += above[i] * row[k + j];
      if (i > 0) value += below[i] * row[j - k];
      out[i * k + j] = value;
    }
  }
  return absl::OkStatus();
}

template <class F>
StatusOr<std::unique_ptr<Kernel>> MakeFor(DType type, MatrixKernelOptions options, F function_for) {
  MatrixFunction function;
  DispatchDType<kLinalgTypes>(type,
                              [&]<class T>() { function = function_for.template operator()<T>(); });
  return MakeMatrixKernel(std::move(function), options);
}

double SolveCost(const MatrixCall& call) {
  return 50 +
         static_cast<double>(call.in[0].cols) * (10 + 4 * static_cast<double>(call.in[1].cols));
}
double ProductCost(const MatrixCall& call) {
  return 20 + 3 * static_cast<double>(call.in[3].rows * call.in[3].cols);
}

}  // namespace

StatusOr<std::unique_ptr<Kernel>> MakeTridiagonalSolveCpu(const KernelInit& init) {
  const bool pivoting = init.Attr<bool>("partial_pivoting");
  return MakeFor(init.input_type(0), {.inputs = 2, .ns = SolveCost}, [&]<class T>() {
    return MatrixFunction(pivoting ? SolveWithPivoting<T> : SolveWithoutPivoting<T>);
  });
}

StatusOr<std::unique_ptr<Kernel>> MakeTridiagonalMatMulCpu(const KernelInit& init) {
  return MakeFor(init.input_type(0), {.inputs = 4, .ns = ProductCost},
                 []<class T>() { return MatrixFunction(Multiply<T>); });
}

}  // namespace headrace
