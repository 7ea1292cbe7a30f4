#include <cstdio>
#include <memory>

#include "headrace/device/device_set.h"
#include "headrace/graph/graph_io.h"
#include "headrace/place/place.h"
#include "tools/commands/commands.h"

namespace headrace::tools {
namespace {

struct Options {
  std::string graph;
  std::string devices = "cpu:1";
  bool allow_soft_placement = false;
  bool json = false;
};

Status ShowPlacement(const Options& options) {
  Graph graph;
  HR_RETURN_IF_ERROR(ImportGraphFile(graph, options.graph));
  HR_ASSIGN_OR_RETURN(const std::vector<DeviceInfo> devices, DeviceSet::Imagine(options.devices));
  HR_ASSIGN_OR_RETURN(const PlacementReport report,
                      Place(graph, devices, {.allow_soft_placement = options.allow_soft_placement}));
  std::fputs((options.json ? report.ToJson() : report.ToString()).c_str(), stdout);
  if (options.json) std::fputs("\n", stdout);
  return absl::OkStatus();
}

}  // namespace

void AddPlaceCommand(CLI::App& app, int& exit_code) {
  CLI::App* command =
      app.add_subcommand("place", "Show what of a graph file would run where and why, with no such hardware at hand");
  auto options = std::make_shared<Options>();
  command->add_option("GRAPH", options->graph, "A GraphDef: .pb, or .pbtxt as text")->required();
  command->add_option("--devices", options->devices, "Devices to imagine, such as cpu:1,gpu:4")->capture_default_str();
  command->add_flag("--allow_soft_placement", options->allow_soft_placement, "Move what a request cannot get");
  command->add_flag("--json", options->json, "Print the report as JSON");
  command->callback([options, &exit_code] { exit_code = Report(ShowPlacement(*options)); });
}

}  // namespace headrace::tools
