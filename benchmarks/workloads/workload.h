// The workloads of `headrace bench`: each builds its graph, runs for some seconds, and reports one figure.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "headrace/base/status.h"

namespace headrace::bench {

struct Options {
  std::string variant;  // "" = the workload's first
  int threads = 0;      // 0 = all cores
  double seconds = 2;
};

struct Result {
  std::string workload, variant, metric, unit;
  double value = 0;   // median over rounds
  double spread = 0;  // (90th - 10th percentile) / median over rounds
  int threads = 0;
  std::optional<double> loss_first, loss_last;
  std::optional<double> allocations_per_step;  // of tensors, in the steady state
};

struct Workload {
  std::string name, what;
  std::vector<std::string> variants;
  StatusOr<Result> (*run)(const Options&);
};

const std::vector<Workload>& Workloads();

// Calls `step` again and again for `seconds` (after a short warm-up), in rounds of about 20 ms. Value and spread of the time of
// one call in nanoseconds are put into the result.
Status Measure(double seconds, Result& result, const std::function<Status()>& step);

// One process's first step of training, from exec to done: what B13 starts. Prints the time when it is done.
Status FirstStepChild();

StatusOr<Result> RunB1(const Options& options);
StatusOr<Result> RunB2(const Options& options);
StatusOr<Result> RunB3(const Options& options);
StatusOr<Result> RunB4(const Options& options);
StatusOr<Result> RunB10(const Options& options);
StatusOr<Result> RunB13(const Options& options);
StatusOr<Result> RunIdle(const Options& options);

}  // namespace headrace::bench
