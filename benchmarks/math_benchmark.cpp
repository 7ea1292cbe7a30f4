// Kernels of math ops alone: what one call costs without a graph around it. Names: op/shape of the
// first input.
//   math_benchmark --benchmark_filter=Tanh
#include <benchmark/benchmark.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "headrace/device/device_set.h"
#include "headrace/graph/graph.h"
#include "headrace/kernel/context_builder.h"
#include "headrace/ops/array/placeholder.h"
#include "headrace/ops/math/binary.h"
#include "headrace/ops/math/matmul.h"
#include "headrace/ops/math/reduce.h"
#include "headrace/ops/math/unary.h"

namespace headrace {
namespace {

// One node with its kernel and arguments, as a step plan holds them.
class OneNode {
 public:
  OneNode(int threads, std::vector<Shape> shapes,
          Output (*build)(Graph&, const std::vector<Output>&)) {
    devices_ = DeviceSet::Create({.threads = threads, .simulated_gpus = 0}).value();
    std::vector<Output> inputs;
    for (const Shape& shape : shapes) {
      Tensor value(DType::kFloat32, shape);
      float next = 0.1f;
      for (float& x : value.flat<float>()) x = next = next < 0.9f ? next + 0.01f : 0.1f;
      values_.push_back(value);
      inputs.push_back(Placeholder(graph_, DType::kFloat32, shape));
    }
    node_ = build(graph_, inputs).node;
    kernel_ = CreateKernel(*node_, devices_->cpu(), resources_).value();
    // An input that is no placeholder is a constant that the builder made.
    for (const Output& source : node_->inputs()) {
      const size_t at =
          static_cast<size_t>(std::find(inputs.begin(), inputs.end(), source) - inputs.begin());
      arguments_.push_back(at < inputs.size() ? values_[at]
                                              : source.node->attrs().Get<Tensor>("value"));
    }
    for (const Tensor& argument : arguments_) pointers_.push_back(&argument);
    step_.cancellation = &cancellation_;
    step_.resources = &resources_;
    ContextBuilder::Fill(context_, {.node = node_,
                                    .device = &devices_->cpu(),
                                    .inputs = pointers_.data(),
                                    .num_inputs = node_->num_inputs(),
                                    .outputs = &output_,
                                    .step = &step_});
  }

  Status Run() { return kernel_->Compute(context_); }
  const Tensor& output() const { return output_; }

 private:
  std::shared_ptr<DeviceSet> devices_;
  Graph graph_;
  ResourceStore resources_;
  Cancellation cancellation_;
  StepContext step_;
  Node* node_ = nullptr;
  std::unique_ptr<Kernel> kernel_;
  std::vector<Tensor> values_, arguments_;
  std::vector<const Tensor*> pointers_;
  Tensor output_;
  KernelContext context_;
};

void RunNode(benchmark::State& state, std::vector<Shape> shapes,
             Output (*build)(Graph&, const std::vector<Output>&)) {
  OneNode node(static_cast<int>(state.range(0)), std::move(shapes), build);
  for (auto _ : state) {
    if (const Status status = node.Run(); !status.ok())
      return state.SkipWithError(status.ToString().c_str());
  }
  state.SetItemsProcessed(state.iterations() * node.output().num_elements());
}

void Register(const std::string& name, std::vector<Shape> shapes,
              Output (*build)(Graph&, const std::vector<Output>&)) {
  for (int threads : {1, 2}) {
    if (threads > 1 && shapes[0].num_elements() < 4096) continue;
    benchmark::RegisterBenchmark((name + "/" + shapes[0].ToString() + "/threads").c_str(),
                                 [=](benchmark::State& state) { RunNode(state, shapes, build); })
        ->Arg(threads)
        ->UseRealTime();
  }
}

void RegisterAll() {
  using Inputs = std::vector<Output>;
  for (int64_t n : {16, 1024, 1 << 20}) {
    Register("Add", {{n}, {n}}, [](Graph&, const Inputs& x) { return Add(x[0], x[1]); });
    Register("AddNumber", {{n}}, [](Graph&, const Inputs& x) { return Add(x[0], 2.0f); });
    Register("Tanh", {{n}}, [](Graph&, const Inputs& x) { return Tanh(x[0]); });
    Register("Exp", {{n}}, [](Graph&, const Inputs& x) { return Exp(x[0]); });
    Register("Sigmoid", {{n}}, [](Graph&, const Inputs& x) { return Sigmoid(x[0]); });
    Register("Sum", {{n}}, [](Graph&, const Inputs& x) { return ReduceSum(x[0]); });
  }
  Register("AddRow", {{100, 500}, {500}}, [](Graph&, const Inputs& x) { return Add(x[0], x[1]); });
  Register("AddColumn", {{100, 500}, {100, 1}},
           [](Graph&, const Inputs& x) { return Add(x[0], x[1]); });
  Register("AddShortRow", {{100000, 3}, {3}},
           [](Graph&, const Inputs& x) { return Add(x[0], x[1]); });
  Register("SumRows", {{100, 500}}, [](Graph&, const Inputs& x) { return ReduceSum(x[0], 1); });
  Register("SumColumns", {{100, 500}}, [](Graph&, const Inputs& x) { return ReduceSum(x[0], 0); });
  Register("SumColumns", {{100, 10}}, [](Graph&, const Inputs& x) { return ReduceSum(x[0], 0); });
  Register("SumNHWC", {{8, 56, 56, 64}}, [](Graph&, const Inputs& x) {
    return ReduceSum(x[0], {0, 1, 2});
  });
  Register("SumNCHW", {{8, 64, 56, 56}}, [](Graph&, const Inputs& x) {
    return ReduceSum(x[0], {0, 2, 3});
  });
  Register("MatMul", {{100, 784}, {784, 500}},
           [](Graph&, const Inputs& x) { return MatMul(x[0], x[1]); });
  Register("MatMulTransposed", {{784, 100}, {784, 500}},
           [](Graph&, const Inputs& x) { return MatMul(x[0], x[1], {.transpose_a = true}); });
  Register("MatMul", {{1, 16}, {16, 16}},
           [](Graph&, const Inputs& x) { return MatMul(x[0], x[1]); });
}

}  // namespace
}  // namespace headrace

int main(int argc, char** argv) {
  headrace::RegisterAll();
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
}
