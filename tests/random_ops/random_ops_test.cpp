// Random graphs over most ops, with gradients: every way of running them gives the same bits, and
// every node of float32 what it gives in float64.
//
//   random_ops_test                                   a few seconds, as ctest runs it
//   random_ops_test --graphs 100000 --seed 5000       a long run
//   random_ops_test --graphs 1000 --export FOLDER     files for scripts/compare_with_tensorflow.py
//
// A difference is printed with its seed and the smallest graph that still shows it; exit code 1.
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "headrace/base/strings.h"
#include "tests/random_ops/check.h"
#include "tests/random_ops/export.h"
#include "tests/random_ops/generator.h"

namespace headrace::random_ops {
namespace {

struct Flags {
  int graphs = 150;
  uint32_t seed = 1;
  int failures = 1;  // stop after so many
  std::string export_folder;
  bool counts = false;
};

// Prints what differs in the smallest form of a program.
void Report(uint32_t seed, const Program& program, std::string (*check)(const Program&)) {
  const Program smallest = Shrunk(program, [check](const Program& p) { return !check(p).empty(); });
  std::printf("seed %u: %s\n%s", seed, check(smallest).c_str(), Listing(smallest).c_str());
  std::fflush(stdout);
}

bool CheckSeed(uint32_t seed) {
  Generator generator(seed);
  const Program program = generator.Make();
  if (!generator.failure().empty()) {
    std::printf("seed %u: %s\n", seed, generator.failure().c_str());
    return false;
  }
  for (auto* check : {&CheckWays, &CheckAgainstFloat64}) {
    if (check(program).empty()) continue;
    Report(seed, program, check);
    return false;
  }
  return true;
}

// A rule whose op is hardly ever taken checks nothing.
bool AllOpsWereMade(int graphs, bool print) {
  bool all = true;
  int made = 0;
  for (const Rule& rule : Rules()) {
    const auto [taken, refused] = Generator::Counts()[rule.op];
    made += taken > 0;
    if (print) std::printf("%-40s made %d, refused %d\n", rule.op, taken, refused);
    if (taken == 0 && graphs >= 1000) {
      std::printf("%s was never made (refused %d times)\n", rule.op, refused);
      all = false;
    }
  }
  std::printf("%d of %zu kinds of steps were made\n", made, Rules().size());
  return all && made > static_cast<int>(Rules().size()) / 2;
}

int Run(const Flags& flags) {
  int failures = 0;
  for (int i = 0; i < flags.graphs; ++i) {
    const uint32_t seed = flags.seed + static_cast<uint32_t>(i);
    if (!flags.export_folder.empty()) {
      Generator generator(
          seed, {.real = i % 2 == 0 ? DType::kFloat64 : DType::kFloat32, .special_values = false});
      const Status status = ExportProgram(generator.Make(), StrCat(flags.export_folder, "/", seed));
      if (!status.ok()) return std::printf("seed %u: %s\n", seed, status.ToString().c_str()), 1;
    } else if (!CheckSeed(seed) && ++failures >= flags.failures) {
      break;
    }
    if ((i + 1) % 5000 == 0)
      std::printf("%d graphs, %d failed\n", i + 1, failures), std::fflush(stdout);
  }
  const bool all = AllOpsWereMade(flags.graphs, flags.counts);
  std::printf("random_ops: %d graphs from seed %u, %d failed\n", flags.graphs, flags.seed,
              failures);
  return failures == 0 && all ? 0 : 1;
}

}  // namespace
}  // namespace headrace::random_ops

int main(int argc, char** argv) {
  headrace::random_ops::Flags flags;
  for (int i = 1; i < argc; ++i) {
    const std::string flag = argv[i];
    const char* value = i + 1 < argc ? argv[i + 1] : "";
    if (flag == "--counts") {
      flags.counts = true;
      continue;
    }
    ++i;
    if (flag == "--graphs")
      flags.graphs = std::atoi(value);
    else if (flag == "--seed")
      flags.seed = static_cast<uint32_t>(std::atoll(value));
    else if (flag == "--failures")
      flags.failures = std::atoi(value);
    else if (flag == "--export")
      flags.export_folder = value;
    else
      return std::fprintf(
                 stderr,
                 "usage: %s [--graphs N] [--seed S] [--failures N] [--export FOLDER] [--counts]\n",
                 argv[0]),
             2;
  }
  return headrace::random_ops::Run(flags);
}
