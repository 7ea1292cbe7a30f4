// Messages for people, on stderr: "I 12:03:44 text". Quiet by default: warnings and errors only.
// HEADRACE_LOG=info|warning|error|off sets the level at start. Thread-safe.
#pragma once

#include <functional>
#include <string_view>

namespace headrace {

enum class LogLevel { kInfo, kWarning, kError, kOff };

void Log(LogLevel level, std::string_view message);
// At most once in the process for each distinct `key`.
void LogOnce(LogLevel level, std::string_view key, std::string_view message);
void SetLogLevel(LogLevel level);
// Sends messages to `sink` instead of stderr (an empty function restores stderr).
void SetLogSink(std::function<void(LogLevel, std::string_view)> sink);

}  // namespace headrace
