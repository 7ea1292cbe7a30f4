#include "headrace/train/progress.h"

#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace headrace {
namespace {

std::string Format(const char* format, auto... values) {
  char text[128];
  std::snprintf(text, sizeof(text), format, values...);
  return text;
}

// "0:07", "12:34", "1:02:03".
std::string Clock(double seconds) {
  const auto s = static_cast<long long>(std::llround(seconds));
  if (s < 3600) return Format("%lld:%02lld", s / 60, s % 60);
  return Format("%lld:%02lld:%02lld", s / 3600, s / 60 % 60, s % 60);
}

std::string Rate(double per_second) {
  if (per_second >= 100000) return Format("%.0fk", per_second / 1000);
  return Format(per_second >= 100 ? "%.0f" : "%.1f", per_second);
}

}  // namespace

Progress::Progress(ProgressOptions options)
    : options_(std::move(options)),
      enabled_(options_.enabled.value_or(isatty(STDERR_FILENO) == 1)) {
  start_ = Now();
  step_ = options_.first_step;
}

Progress::~Progress() {
  Done();
}

double Progress::Now() const {
  if (options_.clock) return options_.clock();
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

void Progress::Step(int64_t step, double loss) {
  if (!enabled_) return;
  std::lock_guard lock(mutex_);
  if (done_) return;
  step_ = std::max(step_, step);
  loss_ = loss;
  const double now = Now();
  if (drawn_ && now - last_drawn_ < std::chrono::duration<double>(options_.interval).count())
    return;
  Draw(now);
}

void Progress::Draw(double now) {
  const double elapsed = now - start_;
  const auto done = static_cast<double>(step_ - options_.first_step);
  const double steps_per_second = elapsed > 0 ? done / elapsed : 0;
  std::string line = options_.label.empty() ? "" : options_.label + "  ";
  line += Format("step %lld", static_cast<long long>(step_));
  if (options_.total_steps > 0) {
    const double part = static_cast<double>(step_) / static_cast<double>(options_.total_steps);
    line += Format("/%lld %3.0f%%", static_cast<long long>(options_.total_steps),
                   std::min(part, 1.0) * 100);
  }
  line += Format("  loss %.4g", loss_);
  if (options_.examples_per_step > 0) {
    line += "  " + Rate(steps_per_second * static_cast<double>(options_.examples_per_step)) +
            " examples/s";
  } else {
    line += "  " + Rate(steps_per_second) + " steps/s";
  }
  if (options_.total_steps > 0 && steps_per_second > 0) {
    line +=
        "  ETA " + Clock(static_cast<double>(std::max<int64_t>(options_.total_steps - step_, 0)) /
                         steps_per_second);
  }
  std::string bytes = "\r" + line;
  if (line.size() < width_) bytes.append(width_ - line.size(), ' ');  // what a longer line left
  width_ = line.size();
  if (options_.sink) {
    options_.sink(bytes);
  } else {
    std::fwrite(bytes.data(), 1, bytes.size(), stderr);
    std::fflush(stderr);
  }
  last_drawn_ = now;
  drawn_ = true;
}

void Progress::Done() {
  if (!enabled_) return;
  std::lock_guard lock(mutex_);
  if (done_) return;
  done_ = true;
  if (!drawn_) return;
  Draw(Now());
  if (options_.sink) {
    options_.sink("\n");
  } else {
    std::fputc('\n', stderr);
  }
}

}  // namespace headrace
