#include "headrace/ops/linalg/eigen_maps.h"

#include "headrace/ops/linalg/solve_kernels.h"

namespace headrace {
namespace {

struct Triangle {
  bool lower = true, adjoint = false;
};

template <class T>
Status Solve(const MatrixCall& call, Triangle triangle) {
  const auto a = In<T>(call, 0);
  const auto rhs = In<T>(call, 1);
  if (a.rows() == 0 || rhs.cols() == 0) return absl::OkStatus();
  if ((a.diagonal().array() == T(0)).any())
    return InvalidArgument("Input matrix is not invertible.");
  auto x = Out<T>(call, 0);
  x = rhs;
  if (triangle.lower) {
    if (triangle.adjoint) {
      a.adjoint().template triangularView<Eigen::Upper>().solveInPlace(x);
    } else {
      a.template triangularView<Eigen::Lower>().solveInPlace(x);
    }
  } else if (triangle.adjoint) {
    a.adjoint().template triangularView<Eigen::Lower>().solveInPlace(x);
  } else {
    a.template triangularView<Eigen::Upper>().solveInPlace(x);
  }
  return absl::OkStatus();
}

double Cost(const MatrixCall& call) {
  const double m = static_cast<double>(call.in[0].rows), k = static_cast<double>(call.in[1].cols);
  return 100 + 0.5 * m * m * k;
}

}  // namespace

StatusOr<std::unique_ptr<Kernel>> MakeMatrixTriangularSolveCpu(const KernelInit& init) {
  const Triangle triangle{.lower = init.Attr<bool>("lower"), .adjoint = init.Attr<bool>("adjoint")};
  return MakeMatrixKernelFor(init.input_type(0), {.inputs = 2, .ns = Cost}, [&]<class T>() {
    return MatrixFunction([triangle](const MatrixCall& call) { return Solve<T>(call, triangle); });
  });
}

}  // namespace headrace
