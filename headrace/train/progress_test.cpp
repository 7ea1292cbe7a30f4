#include "headrace/train/progress.h"

#include <unistd.h>

#include "gtest/gtest.h"

namespace headrace {
namespace {

struct Display {
  ProgressOptions Options() {
    return {.label = "mlp",
            .total_steps = 200,
            .examples_per_step = 100,
            .enabled = true,
            .sink = [this](std::string_view bytes) { text.append(bytes); },
            .clock = [this] { return now; }};
  }
  std::string text;
  double now = 10;
};

TEST(Progress, DrawsOneLine) {
  Display display;
  Progress progress(display.Options());
  display.now = 12;
  progress.Step(50, 0.25);
  EXPECT_EQ(display.text, "\rmlp  step 50/200  25%  loss 0.25  2500 examples/s  ETA 0:06");
  display.text.clear();
  display.now = 12.05;  // too soon
  progress.Step(51, 0.25);
  EXPECT_EQ(display.text, "");
  display.now = 18;
  progress.Step(200, 0.125);
  progress.Done();
  EXPECT_EQ(display.text.back(), '\n');
  EXPECT_NE(display.text.find("\rmlp  step 200/200 100%  loss 0.125  2500 examples/s  ETA 0:00"),
            std::string::npos);
  const size_t size = display.text.size();
  progress.Step(201, 0);
  progress.Done();
  EXPECT_EQ(display.text.size(), size);
}

TEST(Progress, CoversALongerLine) {
  Display display;
  ProgressOptions options = display.Options();
  options.total_steps = 0;
  options.examples_per_step = 0;
  Progress progress(options);
  display.now = 11;
  progress.Step(1, 0.123456);
  display.text.clear();
  display.now = 12;
  progress.Step(2, 1);
  EXPECT_EQ(display.text, "\rmlp  step 2  loss 1  1.0 steps/s     ");
}

TEST(Progress, IsSilentUnlessEnabled) {
  Display display;
  ProgressOptions options = display.Options();
  options.enabled = false;
  Progress progress(options);
  progress.Step(1, 1);
  progress.Done();
  EXPECT_EQ(display.text, "");
}

// Tests run without a terminal.
TEST(Progress, DefaultFollowsTheTerminal) {
  Progress progress({.label = "x"});
  EXPECT_EQ(progress.enabled(), isatty(2) == 1);
}

}  // namespace
}  // namespace headrace
