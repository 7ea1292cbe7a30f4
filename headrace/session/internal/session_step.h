// What a session keeps for one set of feeds, fetches and targets: the compiled step for each
// combination of feed shapes.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "headrace/graph/graph.h"
#include "headrace/runtime/executor.h"
#include "headrace/runtime/plan.h"

namespace headrace {

struct StepSignature {
  std::vector<Output> feeds;
  std::vector<Output> fetches;
  std::vector<const Node*> targets;
  friend bool operator==(const StepSignature&, const StepSignature&) = default;
};

// A step compiled for feeds of these shapes.
struct CompiledStep {
  std::vector<PartialShape> feed_shapes;
  std::shared_ptr<Plan> plan;  // one of the two
  std::shared_ptr<Executor> executor;

  Status Run(const StepArguments& arguments) {
    return plan != nullptr ? plan->Run(arguments) : executor->Run(arguments);
  }
};

class SessionStep {
 public:
  using Compile = std::function<StatusOr<std::unique_ptr<CompiledStep>>(const StepSignature&,
                                                                        std::vector<PartialShape>)>;

  SessionStep(StepSignature signature, Compile compile)
      : signature_(std::move(signature)), compile_(std::move(compile)) {}
  const StepSignature& signature() const { return signature_; }

  // The compiled step for these feeds; compiles it if it is new. Errors: InvalidArgument for feeds
  // that do not fit the graph; those of compilation.
  StatusOr<CompiledStep*> For(std::span<const Tensor> feeds);
  // REQUIRES: nobody runs it, now or later.
  void Release();

 private:
  // After this many shapes, dimensions that vary are compiled as unknown.
  static constexpr size_t kMostVariants = 16;

  bool Fits(const CompiledStep& step, std::span<const Tensor> feeds) const;
  Status CheckFeeds(std::span<const Tensor> feeds) const;
  std::vector<PartialShape> Generalized(std::span<const Tensor> feeds) const;

  const StepSignature signature_;
  const Compile compile_;
  std::atomic<CompiledStep*> last_{nullptr};
  std::mutex mutex_;
  std::vector<std::unique_ptr<CompiledStep>> variants_;
};

}  // namespace headrace
