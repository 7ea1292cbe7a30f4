// Uses the op: its values, its gradient, and the gradient of its gradient.
#include <cmath>
#include <cstdio>

#include "swish.h"

using namespace headrace;  // NOLINT: an example reads better without prefixes

namespace {

Status Check() {
  custom::DefineSwish(OpRegistry::Global());
  Graph g;
  Output x = Const(g, {-2.0, -0.5, 0.0, 1.5});
  Output y = custom::Swish(x, {.beta = 2.0f});
  Output first = Gradients(y, {x})[0].Dense();
  Output second = Gradients(first, {x})[0].Dense();
  HR_ASSIGN_OR_RETURN(auto session, Session::Create(g));
  HR_ASSIGN_OR_RETURN(const auto out, session->Run({}, {x, y, first, second}));
  const auto swish = [](double v) { return v / (1 + std::exp(-2 * v)); };
  constexpr double h = 1e-4;
  std::printf("       x         y       dy/dx   d2y/dx2\n");
  for (int i = 0; i < 4; ++i) {
    const double v = out[0].data<double>()[i], dy = out[2].data<double>()[i], ddy = out[3].data<double>()[i];
    std::printf("%8.3f  %8.5f  %8.5f  %8.5f\n", v, out[1].data<double>()[i], dy, ddy);
    const double slope = (swish(v + h) - swish(v - h)) / (2 * h);
    const double bend = (swish(v + h) - 2 * swish(v) + swish(v - h)) / (h * h);
    if (std::abs(out[1].data<double>()[i] - swish(v)) > 1e-12 || std::abs(dy - slope) > 1e-6 || std::abs(ddy - bend) > 1e-5) {
      return Internal("values and finite differences disagree at x = ", v);
    }
  }
  std::printf("values, first and second derivative agree with finite differences\n");
  return absl::OkStatus();
}

}  // namespace

int main() {
  if (const Status status = Check(); !status.ok()) return std::fprintf(stderr, "%s\n", status.ToString().c_str()), 1;
  return 0;
}
