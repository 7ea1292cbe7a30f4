#include "benchmarks/workloads/workload.h"

#include <algorithm>
#include <chrono>

namespace headrace::bench {
namespace {

using Clock = std::chrono::steady_clock;

double NanosecondsOf(int64_t calls, const std::function<Status()>& step, Status& status) {
  const auto start = Clock::now();
  for (int64_t i = 0; i < calls && status.ok(); ++i) status = step();
  return std::chrono::duration<double, std::nano>(Clock::now() - start).count() / static_cast<double>(calls);
}

}  // namespace

const std::vector<Workload>& Workloads() {
  static const auto* const workloads = new std::vector<Workload>{
      {"B1", "y = 2x + 1 on 16 floats, feed and fetch", {"callable", "name"}, RunB1},
      {"B2", "a chain of 1,000 dependent ops on 16 floats", {"tanh_add", "matvec_tanh"}, RunB2},
      {"B3", "gradient-descent step of a perceptron 784-500-10", {"batch100", "batch1", "penalty", "penalty_batch1"}, RunB3},
      {"B4", "gradient-descent step of LeNet-5, batch 100", {"batch100"}, RunB4},
      {"B10", "records read with their checksums, each thread a file of 64 MB that is in memory; examples of 20 features parsed",
       {"records_100k", "records_128", "parse_example"}, RunB10},
      {"B13", "from exec to the end of the first step of B3", {"process"}, RunB13},
      {"idle", "resident memory of a process with an open session", {"session"}, RunIdle},
  };
  return *workloads;
}

Status Measure(double seconds, Result& result, const std::function<Status()>& step) {
  Status status;
  const double once = NanosecondsOf(20, step, status);
  const int64_t calls = std::clamp<int64_t>(static_cast<int64_t>(20e6 / std::max(once, 1.0)), 1, 100'000);
  std::vector<double> rounds;
  const auto end = Clock::now() + std::chrono::duration<double>(seconds);
  while (status.ok() && (rounds.size() < 5 || Clock::now() < end)) rounds.push_back(NanosecondsOf(calls, step, status));
  HR_RETURN_IF_ERROR(status);
  std::ranges::sort(rounds);
  const auto at = [&](double quantile) { return rounds[static_cast<size_t>(quantile * static_cast<double>(rounds.size() - 1))]; };
  result.value = at(0.5);
  result.spread = (at(0.9) - at(0.1)) / at(0.5);
  return absl::OkStatus();
}

}  // namespace headrace::bench
