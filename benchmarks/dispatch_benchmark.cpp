// What a step costs beside its arithmetic: small graphs run many times. Prints nanoseconds, the
// best of several rounds and the spread over them.
//
//   dispatch_benchmark [rounds]
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "headrace/ops/array/constant.h"
#include "headrace/ops/array/placeholder.h"
#include "headrace/ops/math/binary.h"
#include "headrace/ops/math/unary.h"
#include "headrace/session/session.h"

namespace headrace {
namespace {

using Clock = std::chrono::steady_clock;

template <class Body>
void Measure(const char* name, int rounds, int calls, double per, Body body) {
  std::vector<double> ns;
  for (int round = 0; round < rounds; ++round) {
    const auto start = Clock::now();
    for (int i = 0; i < calls; ++i) body();
    ns.push_back(std::chrono::duration<double, std::nano>(Clock::now() - start).count() / calls /
                 per);
  }
  std::sort(ns.begin(), ns.end());
  std::printf("%-44s %9.1f ns  (median %.1f, worst %.1f)\n", name, ns.front(), ns[ns.size() / 2],
              ns.back());
}

Status Run(int rounds) {
  constexpr int kElements = 16;
  constexpr int kOps = 1000;
  const Tensor value = [] {
    Tensor t(DType::kFloat32, Shape{kElements});
    std::fill_n(t.data<float>(), kElements, 0.5f);
    return t;
  }();
  const std::vector<Tensor> feeds{value};

  Graph g;
  Output x = Placeholder(g, DType::kFloat32, {kElements}, {.name = "x"});
  Output y = Add(Mul(x, 2.0f), 1.0f, {.name = "y"});
  Output chain = x, tanh_only = x, add_only = x;
  for (int i = 0; i < kOps / 2; ++i) chain = Add(Tanh(chain), 0.25f);
  for (int i = 0; i < kOps; ++i) tanh_only = Tanh(tanh_only);
  for (int i = 0; i < kOps; ++i) add_only = Add(add_only, 0.25f);
  HR_ASSIGN_OR_RETURN(auto session, Session::Create(g, {.devices = {.threads = 1}}));

  Status status;
  auto keep = [&](Status s) {
    if (!s.ok()) status = std::move(s);
  };
  HR_ASSIGN_OR_RETURN(Callable affine, session->MakeCallable({x}, {y}));
  std::vector<Tensor> fetches;
  Measure("callable, y = 2x+1, fetch written over", rounds, 20000, 1,
          [&] { keep(affine(feeds, &fetches)); });
  Measure("callable, y = 2x+1, fresh fetch", rounds, 20000, 1, [&] {
    fetches.clear();
    keep(affine(feeds, &fetches));
  });
  Measure("Run with outputs, y = 2x+1", rounds, 20000, 1, [&] {
    keep(session->Run({{x, value}}, {y}).status());
  });
  Measure("Run by name, y = 2x+1", rounds, 20000, 1, [&] {
    keep(session->RunByName({{"x:0", value}}, {"y:0"}).status());
  });
  for (const auto& [name, output] : {std::pair("chain of tanh, add: each op", chain),
                                     std::pair("chain of tanh: each op", tanh_only),
                                     std::pair("chain of add: each op", add_only)}) {
    HR_ASSIGN_OR_RETURN(Callable step, session->MakeCallable({x}, {output}));
    Measure(name, rounds, 100, kOps, [&] { keep(step(feeds, &fetches)); });
  }
  return status;
}

}  // namespace
}  // namespace headrace

int main(int argc, char** argv) {
  const absl::Status status = headrace::Run(argc > 1 ? std::atoi(argv[1]) : 20);
  if (!status.ok()) std::fprintf(stderr, "%s\n", status.ToString().c_str());
  return status.ok() ? 0 : 1;
}
