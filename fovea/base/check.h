#pragma once

#include <sstream>
#include <stdexcept>
#include <string>
#include <utility>

namespace fovea {

// What kind of trouble an Error reports. The command line turns each kind into
// its exit code, the server into a status.
enum class ErrorKind { kRun, kUsage, kData, kResource };

// The only exception that Fovea throws on purpose. The message is one line that
// names the culprit and, where there is one, the remedy; what it quotes can
// neither break the line nor steer a terminal.
class Error : public std::runtime_error {
 public:
  Error(ErrorKind kind, const std::string& message);
  ErrorKind kind() const { return kind_; }

 private:
  ErrorKind kind_;
};

template <class... Parts>
std::string join(const Parts&... parts) {
  std::ostringstream out;
  (out << ... << parts);
  return std::move(out).str();
}

template <class... Parts>
[[noreturn]] void fail(ErrorKind kind, const Parts&... parts) {
  throw Error(kind, join(parts...));
}

// Throws unless `holds`. For mistakes of the caller; our own are asserted.
template <class... Parts>
void check(bool holds, const Parts&... parts) {
  if (!holds) [[unlikely]] {
    fail(ErrorKind::kRun, parts...);
  }
}

template <class... Parts>
void check_usage(bool holds, const Parts&... parts) {
  if (!holds) [[unlikely]] {
    fail(ErrorKind::kUsage, parts...);
  }
}

template <class... Parts>
void check_data(bool holds, const Parts&... parts) {
  if (!holds) [[unlikely]] {
    fail(ErrorKind::kData, parts...);
  }
}

}  // namespace fovea
