#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace fovea {

// The keys that clients may have.
class KeyRing {
 public:
  KeyRing() = default;
  // One in each line of a file; blank lines and those that begin with # do not
  // count. A data error if there is none, or one of fewer than 8 characters.
  static KeyRing read(const std::string& path);

  bool empty() const { return keys_.empty(); }
  // Takes as long whatever the keys have in common with this text.
  bool contains(std::string_view key) const;

 private:
  std::vector<std::string> keys_;
};

}  // namespace fovea
