#include "fovea/base/log.h"

#include <spdlog/sinks/stdout_color_sinks.h>
#include <spdlog/spdlog.h>

#include <atomic>
#include <memory>
#include <string>

#include "fovea/base/terminal.h"

namespace fovea {
namespace {

std::atomic<LogLevel> level_now{LogLevel::kInfo};

spdlog::logger& logger() {
  static const std::shared_ptr<spdlog::logger> shared = [] {
    auto sink = std::make_shared<spdlog::sinks::stderr_color_sink_mt>(
        spdlog::color_mode::automatic);
    auto made = std::make_shared<spdlog::logger>("fovea", sink);
    made->set_level(spdlog::level::trace);  // the level is ours to keep
    made->set_pattern("[%H:%M:%S] %^%v%$");
    return made;
  }();
  return *shared;
}

spdlog::level::level_enum colour_of(LogLevel level) {
  switch (level) {
    case LogLevel::kWarning:
      return spdlog::level::warn;
    case LogLevel::kError:
      return spdlog::level::err;
    case LogLevel::kDebug:
      return spdlog::level::debug;
    default:
      return spdlog::level::trace;  // no colour of its own
  }
}

const char* word_for(LogLevel level) {
  switch (level) {
    case LogLevel::kDebug:
      return "debug: ";
    case LogLevel::kWarning:
      return "warning: ";
    case LogLevel::kError:
      return "error: ";
    default:
      return "";
  }
}

}  // namespace

void set_log_level(LogLevel level) { level_now = level; }

LogLevel log_level() { return level_now; }

void log_line(LogLevel level, std::string_view message) {
  clear_open_line();
  logger().log(colour_of(level), "{}{}", word_for(level), message);
}

}  // namespace fovea
