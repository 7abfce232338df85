#include "fovea/serve/host_check.h"

#include <algorithm>

#include "fovea/serve/http_text.h"

namespace fovea {
namespace {

// Without the port, in small letters: "localhost", "[::1]".
std::string name_of(std::string_view host) {
  const size_t end = host.starts_with('[') ? host.find(']') : host.find(':');
  const size_t bracket = host.starts_with('[') ? 1 : 0;
  if (end != host.npos) host = host.substr(0, end + bracket);
  return small_letters(std::string(host));
}

}  // namespace

HostCheck::HostCheck(const std::string& address,
                     const std::vector<std::string>& more)
    : names_{"localhost", "127.0.0.1", "[::1]"} {
  const bool is_v6 = address.find(':') != std::string::npos;
  names_.push_back(is_v6 ? "[" + address + "]" : small_letters(address));
  for (const std::string& name : more) names_.push_back(name_of(name));
}

bool HostCheck::allows(std::string_view header) const {
  if (names_.empty() || header.empty()) return true;
  return std::ranges::find(names_, name_of(header)) != names_.end();
}

}  // namespace fovea
