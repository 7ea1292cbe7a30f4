#include "headrace/base/log.h"

#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <mutex>
#include <set>
#include <string>

namespace headrace {
namespace {

LogLevel LevelFromEnvironment() {
  const char* value = std::getenv("HEADRACE_LOG");
  const std::string_view text = value ? value : "";
  if (text == "info") return LogLevel::kInfo;
  if (text == "error") return LogLevel::kError;
  if (text == "off") return LogLevel::kOff;
  return LogLevel::kWarning;
}

struct Logger {
  std::mutex mutex;
  LogLevel level = LevelFromEnvironment();
  std::function<void(LogLevel, std::string_view)> sink;
  std::set<std::string, std::less<>> said;
};

Logger& TheLogger() {
  static auto* logger = new Logger;
  return *logger;
}

void Write(Logger& logger, LogLevel level, std::string_view message) {
  if (level < logger.level) return;
  if (logger.sink) {
    logger.sink(level, message);
    return;
  }
  const std::time_t now = std::time(nullptr);
  std::tm local{};
  localtime_r(&now, &local);
  std::fprintf(stderr, "%c %02d:%02d:%02d %.*s\n", "IWE"[static_cast<int>(level)], local.tm_hour,
               local.tm_min, local.tm_sec, static_cast<int>(message.size()), message.data());
}

}  // namespace

void Log(LogLevel level, std::string_view message) {
  Logger& logger = TheLogger();
  std::lock_guard lock(logger.mutex);
  Write(logger, level, message);
}

void LogOnce(LogLevel level, std::string_view key, std::string_view message) {
  Logger& logger = TheLogger();
  std::lock_guard lock(logger.mutex);
  if (logger.said.emplace(key).second) Write(logger, level, message);
}

void SetLogLevel(LogLevel level) {
  Logger& logger = TheLogger();
  std::lock_guard lock(logger.mutex);
  logger.level = level;
}

void SetLogSink(std::function<void(LogLevel, std::string_view)> sink) {
  Logger& logger = TheLogger();
  std::lock_guard lock(logger.mutex);
  logger.sink = std::move(sink);
}

}  // namespace headrace
