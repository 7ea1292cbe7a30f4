// B1 and B2: what a run and a node cost when there is next to nothing to compute.
#include "benchmarks/workloads/workload.h"
#include "headrace/headrace.h"

namespace headrace::bench {
namespace {

SessionOptions Threads(int threads) {
  SessionOptions options;
  options.devices.threads = threads;
  return options;
}

Tensor Sixteen() {
  Tensor x(DType::kFloat32, Shape{16});
  for (int i = 0; i < 16; ++i) x.data<float>()[i] = static_cast<float>(i) * 0.01f;
  return x;
}

}  // namespace

StatusOr<Result> RunB1(const Options& options) {
  Graph g;
  Output x = Placeholder(g, DType::kFloat32, {16}, {.name = "x"});
  Output y = Add(2.0f * x, 1.0f, {.name = "y"});
  HR_ASSIGN_OR_RETURN(auto session, Session::Create(g, Threads(options.threads)));
  Result result{.variant = options.variant, .metric = "time per call", .unit = "us"};
  const Tensor fed = Sixteen();
  if (options.variant == "name") {
    const Session::NamedFeeds feeds{{"x:0", fed}};
    const std::vector<std::string> fetches{"y:0"};
    HR_RETURN_IF_ERROR(Measure(options.seconds, result, [&] { return session->RunByName(feeds, fetches).status(); }));
  } else {
    HR_ASSIGN_OR_RETURN(Callable step, session->MakeCallable({x}, {y}));
    std::vector<Tensor> fetched;
    HR_RETURN_IF_ERROR(Measure(options.seconds, result, [&] { return step(std::span(&fed, 1), &fetched); }));
  }
  result.value /= 1e3;
  return result;
}

StatusOr<Result> RunB2(const Options& options) {
  constexpr int kOps = 1000;
  const bool matvec = options.variant == "matvec_tanh";
  Graph g;
  Output x = Placeholder(g, DType::kFloat32, matvec ? PartialShape{1, 16} : PartialShape{16}, {.name = "x"});
  Output y = x;
  Variable w(g, Tensor::Of<float>(std::vector<float>(256, 0.05f), Shape{16, 16}), {.name = "w"});
  Variable b(g, Sixteen(), {.name = "b"});
  for (int i = 0; i < kOps / 2; ++i) {
    y = matvec ? Tanh(MatMul(y, w)) : Add(Tanh(y), b);
  }
  Node* init = GlobalVariablesInitializer(g);
  HR_ASSIGN_OR_RETURN(auto session, Session::Create(g, Threads(options.threads)));
  HR_RETURN_IF_ERROR(session->Run({}, {}, {init}).status());
  HR_ASSIGN_OR_RETURN(Callable step, session->MakeCallable({x}, {y}));
  Result result{.variant = options.variant, .metric = "time per op", .unit = "ns"};
  const Tensor fed = matvec ? Sixteen().Reshaped(Shape{1, 16}) : Sixteen();
  std::vector<Tensor> fetched;
  HR_RETURN_IF_ERROR(Measure(options.seconds, result, [&] { return step(std::span(&fed, 1), &fetched); }));
  result.value /= kOps;
  return result;
}

}  // namespace headrace::bench
