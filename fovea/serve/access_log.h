#pragma once

#include <mutex>
#include <optional>
#include <string>

#include "fovea/io/append_file.h"
#include "fovea/serve/http.h"

namespace fovea {

// A line of JSON for each request. Threads may share it.
class AccessLog {
 public:
  // A file that is added to, "-" for standard output, or empty for none.
  explicit AccessLog(const std::string& path);
  void write(const HttpAccess& access);
  // The file of that name, which is another one if it was moved away.
  void reopen();

 private:
  const std::string path_;
  const bool to_output_;
  std::mutex mutex_;
  std::optional<AppendFile> file_;
};

// {"time": "2026-01-31T12:00:00.123Z", "client": "127.0.0.1", ...}
std::string access_line(const HttpAccess& access);

}  // namespace fovea
