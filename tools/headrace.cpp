// headrace: what the library knows and does, from the command line.
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <iostream>

#include "headrace/base/strings.h"
#include "tools/commands/commands.h"

namespace headrace::tools {

int Report(const Status& status) {
  if (status.ok()) return 0;
  std::fprintf(stderr, "headrace: %s\n", StrCat(Message(status)).c_str());
  return 1;
}

// What was printed may still wait in a buffer, and a full disk shows only now.
bool FlushOutput() {
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0 && std::cout.flush()) return true;
  std::fprintf(stderr, "headrace: cannot write to standard output: %s\n", std::strerror(errno));
  return false;
}

}  // namespace headrace::tools

int main(int argc, char** argv) {
  using namespace headrace::tools;
  CLI::App app{"headrace: devices, ops, placement, checkpoints and benchmarks of the engine"};
  app.require_subcommand(1);
  app.failure_message([](const CLI::App* failed, const CLI::Error& error) {
    std::string text = CLI::FailureMessage::simple(failed, error);
    // A word that is no command counts as a missing command: name it, and what there is at that place ("ckpt lss").
    if (error.get_exit_code() != static_cast<int>(CLI::ExitCodes::RequiredError)) return text;
    while (!failed->get_subcommands().empty()) failed = failed->get_subcommands().front();
    const std::vector<std::string> unknown = failed->remaining();
    std::vector<std::string> commands;
    for (const CLI::App* command : failed->get_subcommands([](const CLI::App*) { return true; }))
      commands.push_back(command->get_name());
    if (commands.empty()) return text;
    if (!unknown.empty() && unknown[0] == "run") {
      return std::string("'headrace run' is the Python package's: `pip install .` from the source folder brings it.\n");
    }
    if (!unknown.empty()) text = headrace::StrCat("There is no command '", unknown[0], "'.\n", text);
    return headrace::StrCat(text, "Commands: ", headrace::StrJoin(commands, ", "), "\n");
  });
  app.set_version_flag("--version", std::string("headrace ") + HEADRACE_VERSION);
  int exit_code = 0;
  AddDevicesCommand(app, exit_code);
  AddOpsCommand(app, exit_code);
  AddPlaceCommand(app, exit_code);
  AddCheckpointCommand(app, exit_code);
  AddBenchCommand(app, exit_code);
  CLI11_PARSE(app, argc, argv);
  return FlushOutput() ? exit_code : 1;
}
