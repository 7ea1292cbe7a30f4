// The sub-commands of `headrace`. Each adds itself to the parser; its callback returns the exit code through
// `exit_code` (0 = done, 1 = an error was printed to stderr, 2 = the comparison found a difference).
#pragma once

#include <CLI/CLI.hpp>

#include "headrace/base/status.h"

namespace headrace::tools {

void AddDevicesCommand(CLI::App& app, int& exit_code);
void AddOpsCommand(CLI::App& app, int& exit_code);
void AddPlaceCommand(CLI::App& app, int& exit_code);
void AddCheckpointCommand(CLI::App& app, int& exit_code);
void AddBenchCommand(CLI::App& app, int& exit_code);

// Prints "headrace: <message>" to stderr and returns 1, or returns 0 for OK.
int Report(const Status& status);

}  // namespace headrace::tools
