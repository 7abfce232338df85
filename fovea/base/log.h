#pragma once

#include <string_view>

#include "fovea/base/check.h"

namespace fovea {

// Messages for people, on standard error: one line each, with the time. Colour
// only where a terminal shows it. Threads may share it.
enum class LogLevel { kDebug, kInfo, kWarning, kError, kSilent };

// Messages below the level are dropped; kInfo unless set.
void set_log_level(LogLevel level);
LogLevel log_level();

void log_line(LogLevel level, std::string_view message);

template <class... Parts>
void log(LogLevel level, const Parts&... parts) {
  if (level >= log_level()) log_line(level, join(parts...));
}

template <class... Parts>
void log_debug(const Parts&... parts) {
  log(LogLevel::kDebug, parts...);
}

template <class... Parts>
void log_info(const Parts&... parts) {
  log(LogLevel::kInfo, parts...);
}

template <class... Parts>
void log_warning(const Parts&... parts) {
  log(LogLevel::kWarning, parts...);
}

template <class... Parts>
void log_error(const Parts&... parts) {
  log(LogLevel::kError, parts...);
}

}  // namespace fovea
