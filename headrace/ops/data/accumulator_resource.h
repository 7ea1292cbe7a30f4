// Gradients that steps add up until another step takes their mean: synchronous training with a
// parameter server.
//
// Every gradient comes with the step that its maker saw (`local_step`); those from before the
// accumulator's own step are stale and dropped. Take waits for enough gradients, gives their mean
// or sum, and moves the accumulator to the next step. Thread-safe; held by shared_ptr.
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "headrace/base/cancellation.h"
#include "headrace/kernel/resource.h"
#include "headrace/ops/data/waiting_calls.h"

namespace headrace {

// What gradients add up to. Not thread-safe: the accumulator holds a lock.
class GradientSum {
 public:
  virtual ~GradientSum() = default;
  // Adds a gradient: one tensor, or the indices and values (and shape) of slices. InvalidArgument
  // for one that does not fit those before: "Shape mismatch: expected [2], got [3]".
  virtual Status Add(std::span<const Tensor* const> gradient) = 0;
  // The sum, or the mean of `count` gradients, in the form of a gradient; starts afresh.
  virtual std::vector<Tensor> Take(int64_t count, bool mean) = 0;
  virtual int64_t memory_bytes() const = 0;
};

// `shape`: of the gradients, as far as it is known. DTypes: float16, float32, float64.
std::unique_ptr<GradientSum> MakeDenseSum(DType type, const PartialShape& shape);
// Of slices: a row that several gradients have is summed, and the mean is taken over those that
// have it. Rows come out by index.
std::unique_ptr<GradientSum> MakeSparseSum(DType type, const PartialShape& shape);

struct AccumulatorOptions {
  std::string op;    // "ConditionalAccumulator"
  std::string name;  // for errors
  DType type = DType::kFloat32;
  PartialShape shape;
  bool mean = true;  // false: the sum
};

class Accumulator final : public Resource, public std::enable_shared_from_this<Accumulator> {
 public:
  using Done = std::function<void(StatusOr<std::vector<Tensor>>)>;

  Accumulator(AccumulatorOptions options, std::unique_ptr<GradientSum> sum);
  ~Accumulator() override;

  std::string_view kind() const override { return "gradient accumulator"; }
  int64_t memory_bytes() const override;
  const AccumulatorOptions& options() const { return options_; }

  // Errors: those of GradientSum::Add. A stale gradient is dropped without one, and counted.
  Status Apply(int64_t local_step, std::span<const Tensor* const> gradient);
  // What `num_required` gradients or more add up to. Errors: InvalidArgument "Argument num_required
  // must be positive, but was 0"; Cancelled "TakeGrad operation was cancelled".
  void Take(int64_t num_required, Cancellation& step, Done done);
  void SetGlobalStep(int64_t step);
  int64_t num_accumulated() const;
  int64_t num_stale() const;  // dropped so far

 private:
  struct Call;
  // REQUIRES: mutex_ is held.
  void Serve(EndedCalls& ended);
  void Cancel(const std::shared_ptr<Call>& call, EndedCalls& ended);

  const AccumulatorOptions options_;
  mutable std::mutex mutex_;
  const std::unique_ptr<GradientSum> sum_;
  int64_t global_step_ = 0;
  int64_t count_ = 0, stale_ = 0;
  std::deque<std::shared_ptr<Call>> takes_;
};

}  // namespace headrace
