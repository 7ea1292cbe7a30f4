// Fits a line through noisy points by gradient descent: variables, gradients, an optimizer, a feed and a fetch.
#include <cstdio>
#include <random>

#include "headrace/headrace.h"

using namespace headrace;  // NOLINT: an example reads better without prefixes

namespace {

Status Fit() {
  Graph g;
  Output x = Placeholder(g, DType::kFloat32, {-1}, {.name = "x"});
  Output y = Placeholder(g, DType::kFloat32, {-1}, {.name = "y"});
  Variable slope(g, 0.0f, {.name = "slope"});
  Variable offset(g, 0.0f, {.name = "offset"});
  Output loss = ReduceMean(Square(slope * x + offset - y), {}, {.name = "loss"});
  Node* train = GradientDescentOptimizer(0.2).Minimize(loss);
  Node* init = GlobalVariablesInitializer(g);

  Tensor xs(DType::kFloat32, Shape{200}), ys(DType::kFloat32, Shape{200});
  std::mt19937 random(7);
  std::normal_distribution<float> noise(0.0f, 0.05f);
  for (int i = 0; i < 200; ++i) {
    xs.data<float>()[i] = static_cast<float>(i) / 100.0f - 1.0f;
    ys.data<float>()[i] = 3.0f * xs.data<float>()[i] - 1.0f + noise(random);
  }

  HR_ASSIGN_OR_RETURN(auto session, Session::Create(g));
  HR_RETURN_IF_ERROR(session->Run({}, {}, {init}).status());
  for (int step = 0; step <= 100; ++step) {
    HR_ASSIGN_OR_RETURN(const auto out, session->Run({{x, xs}, {y, ys}}, {loss}, {train}));
    if (step % 20 == 0) std::printf("step %3d  loss %.5f\n", step, out[0].scalar<float>());
  }
  HR_ASSIGN_OR_RETURN(const auto line, session->Run({}, {slope, offset}));
  std::printf("y = %.2f x %+.2f\n", line[0].scalar<float>(), line[1].scalar<float>());
  return absl::OkStatus();
}

}  // namespace

int main() {
  if (const Status status = Fit(); !status.ok()) return std::fprintf(stderr, "%s\n", status.ToString().c_str()), 1;
  return 0;
}
