#include "fovea/serve/access_log.h"

#include <chrono>
#include <cmath>
#include <ctime>
#include <iostream>
#include <nlohmann/json.hpp>

#include "fovea/base/check.h"
#include "fovea/base/log.h"
#include "fovea/serve/json_fields.h"

namespace fovea {
namespace {

std::string now_text() {
  const auto now = std::chrono::system_clock::now();
  const std::time_t seconds = std::chrono::system_clock::to_time_t(now);
  const auto milliseconds =
      std::chrono::duration_cast<std::chrono::milliseconds>(
          now.time_since_epoch())
          .count() %
      1000;
  std::tm parts{};
  ::gmtime_r(&seconds, &parts);
  char text[40];
  std::strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%S", &parts);
  return join(text, ".", milliseconds / 100, milliseconds / 10 % 10,
              milliseconds % 10, "Z");
}

}  // namespace

AccessLog::AccessLog(const std::string& path)
    : path_(path), to_output_(path == "-") {
  reopen();
}

void AccessLog::reopen() {
  if (path_.empty() || to_output_) return;
  AppendFile file(path_);
  const std::lock_guard<std::mutex> lock(mutex_);
  file_ = std::move(file);
}

void AccessLog::write(const HttpAccess& access) {
  if (path_.empty()) return;
  const std::string line = access_line(access);
  const std::lock_guard<std::mutex> lock(mutex_);
  try {
    if (file_) {
      file_->append(line);
    } else {
      std::cout << line << std::flush;
    }
  } catch (const Error& error) {  // requests go on without it
    log_error("serve: the access log: ", error.what());
  }
}

std::string access_line(const HttpAccess& access) {
  Json line = {
      {"time", now_text()},      {"client", access.address},
      {"method", access.method}, {"path", access.path},
      {"status", access.status}, {"received", access.received},
      {"sent", access.sent},     {"ms", std::round(access.seconds * 1e4) / 10}};
  if (!access.body.empty()) line["body"] = access.body;
  return dump(line);
}

}  // namespace fovea
