#include <cstdio>
#include <memory>
#include <thread>

#include <nlohmann/json.hpp>

#include "benchmarks/workloads/workload.h"
#include "headrace/base/strings.h"
#include "headrace/base/worker_pool.h"
#include "tools/commands/commands.h"
#include "tools/commands/table.h"

namespace headrace::tools {
namespace {

struct BenchFlags {
  std::string name;
  bool json = false;
  bench::Options options;
};

const bench::Workload* FindWorkload(const std::string& name) {
  for (const bench::Workload& workload : bench::Workloads()) {
    if (workload.name == name) return &workload;
  }
  return nullptr;
}

void Print(const bench::Result& r, bool json) {
  if (!json) {
    std::printf("%s %s: %.4g %s (%s, spread %.0f %%, %d threads)\n", r.workload.c_str(), r.variant.c_str(), r.value,
                r.unit.c_str(), r.metric.c_str(), r.spread * 100, r.threads);
    return;
  }
  nlohmann::ordered_json line = {{"workload", r.workload}, {"variant", r.variant}, {"metric", r.metric},
                                 {"unit", r.unit},         {"value", r.value},     {"spread", r.spread},
                                 {"threads", r.threads}};
  line["loss_first"] = r.loss_first ? nlohmann::ordered_json(*r.loss_first) : nlohmann::ordered_json();
  line["loss_last"] = r.loss_last ? nlohmann::ordered_json(*r.loss_last) : nlohmann::ordered_json();
  if (r.allocations_per_step) line["allocations_per_step"] = *r.allocations_per_step;
  std::printf("%s\n", line.dump().c_str());
}

Status RunBench(BenchFlags flags) {
  if (flags.name == "first_step_child") return bench::FirstStepChild();
  if (flags.name.empty()) {
    Table table({"workload", "what", "variants"});
    for (const bench::Workload& workload : bench::Workloads()) {
      table.Add({workload.name, workload.what, StrJoin(workload.variants, ", ")});
    }
    std::fputs(table.ToString().c_str(), stdout);
    return absl::OkStatus();
  }
  const bench::Workload* workload = FindWorkload(flags.name);
  if (workload == nullptr) {
    return NotFound("no workload '", flags.name, "'; there are ",
                    StrJoin(bench::Workloads(), ", ", [](const bench::Workload& w) { return w.name; }));
  }
  if (flags.options.variant.empty()) flags.options.variant = workload->variants.front();
  if (std::ranges::find(workload->variants, flags.options.variant) == workload->variants.end()) {
    return NotFound("workload ", workload->name, " has no variant '", flags.options.variant, "'; it has ",
                    StrJoin(workload->variants, ", "));
  }
  HR_ASSIGN_OR_RETURN(bench::Result result, workload->run(flags.options));
  result.workload = workload->name;
  result.threads = flags.options.threads > 0 ? flags.options.threads : AvailableCores();
  Print(result, flags.json);
  return absl::OkStatus();
}

}  // namespace

void AddBenchCommand(CLI::App& app, int& exit_code) {
  CLI::App* command = app.add_subcommand("bench", "Measure a workload; without NAME list them");
  auto flags = std::make_shared<BenchFlags>();
  command->add_option("NAME", flags->name, "Such as B3");
  command->add_flag("--json", flags->json, "One line of JSON");
  command->add_option("--variant", flags->options.variant);
  command->add_option("--threads", flags->options.threads, "Worker threads; 0 = all cores")->check(CLI::Range(0, 1024));
  command->add_option("--seconds", flags->options.seconds, "How long to measure")->check(CLI::Range(0.01, 3600.0));
  command->callback([flags, &exit_code] { exit_code = Report(RunBench(*flags)); });
}

}  // namespace headrace::tools
