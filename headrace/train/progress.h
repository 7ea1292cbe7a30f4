// One line on the terminal that shows how far training is: step, loss, examples per second, time
// left.
//
//   Progress progress({.label = "mlp", .total_steps = 5000, .examples_per_step = 100});
//   for (...) progress.Step(step, loss);
//   progress.Done();
//
// Silent where stderr is not a terminal. Redrawn at most ten times a second, so that Step costs
// nothing to speak of. Thread-safe.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

namespace headrace {

struct ProgressOptions {
  std::string label;
  int64_t total_steps = 0;        // 0 = unknown: no percentage, no time left
  int64_t examples_per_step = 0;  // 0 = steps per second are shown
  int64_t first_step = 0;         // steps done before this run
  std::optional<bool> enabled;    // default: only if stderr is a terminal
  std::chrono::milliseconds interval{100};
  // Where the bytes go instead of stderr, and the clock (seconds) instead of the steady one: for
  // tests and other displays.
  std::function<void(std::string_view)> sink;
  std::function<double()> clock;
};

class Progress {
 public:
  explicit Progress(ProgressOptions options);
  ~Progress();  // Done
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  // `step` steps are done, the first of them as number 1.
  void Step(int64_t step, double loss);
  // Draws the last state and ends the line; later calls do nothing.
  void Done();
  bool enabled() const { return enabled_; }

 private:
  void Draw(double now);
  double Now() const;

  const ProgressOptions options_;
  const bool enabled_;
  std::mutex mutex_;
  double start_ = 0, last_drawn_ = 0;
  int64_t step_ = 0;
  double loss_ = 0;
  bool drawn_ = false, done_ = false;
  size_t width_ = 0;  // of the line that stands on the terminal
};

}  // namespace headrace
