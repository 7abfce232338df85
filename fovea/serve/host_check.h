#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace fovea {

// The names by which a server may be called. A page from elsewhere can make a
// name of its own lead to this machine (DNS rebinding) and so ask a server that
// only this machine can reach; but the name that it calls gives it away.
class HostCheck {
 public:
  HostCheck() = default;  // any name
  // Names of this machine, that of the address it listens on, and these.
  HostCheck(const std::string& address, const std::vector<std::string>& more);

  // What a Host header says, with or without a port. None is no browser's.
  bool allows(std::string_view header) const;

 private:
  std::vector<std::string> names_;  // none: all are right
};

}  // namespace fovea
