// headrace: what the library knows and does, from the command line.
#include <cstdio>

#include "headrace/base/strings.h"
#include "tools/commands/commands.h"

namespace headrace::tools {

int Report(const Status& status) {
  if (status.ok()) return 0;
  std::fprintf(stderr, "headrace: %s\n", StrCat(Message(status)).c_str());
  return 1;
}

}  // namespace headrace::tools

int main(int argc, char** argv) {
  using namespace headrace::tools;
  CLI::App app{"headrace: devices, ops, placement, checkpoints and benchmarks of the engine"};
  app.require_subcommand(1);
  app.set_version_flag("--version", std::string("headrace ") + HEADRACE_VERSION);
  int exit_code = 0;
  AddDevicesCommand(app, exit_code);
  AddOpsCommand(app, exit_code);
  AddPlaceCommand(app, exit_code);
  AddCheckpointCommand(app, exit_code);
  AddBenchCommand(app, exit_code);
  CLI11_PARSE(app, argc, argv);
  return exit_code;
}
