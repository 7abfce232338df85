#include "fovea/serve/key_ring.h"

#include "fovea/base/check.h"
#include "fovea/base/words.h"
#include "fovea/io/text_file.h"

namespace fovea {
namespace {

constexpr size_t kShortest = 8;

// All of `given` is looked at, whatever the key is.
bool same(std::string_view key, std::string_view given) {
  unsigned difference = key.size() == given.size() ? 0 : 1;
  for (size_t i = 0; i < given.size(); ++i) {
    difference |= static_cast<unsigned char>(given[i]) ^
                  static_cast<unsigned char>(key[i % key.size()]);
  }
  return difference == 0;
}

}  // namespace

KeyRing KeyRing::read(const std::string& path) {
  KeyRing ring;
  LineReader reader(path);
  while (const auto line = reader.next()) {
    const std::string_view key = without_end_space(*line);
    if (key.empty() || key.starts_with("#")) continue;
    check_data(key.size() >= kShortest, reader.place(), ": a key has at least ",
               kShortest, " characters");
    ring.keys_.emplace_back(key);
  }
  check_data(!ring.empty(), path, ": there is no key");
  return ring;
}

bool KeyRing::contains(std::string_view key) const {
  bool found = false;
  for (const std::string& known : keys_) {
    const bool is_this = same(known, key);
    found = found || is_this;
  }
  return found;
}

}  // namespace fovea
