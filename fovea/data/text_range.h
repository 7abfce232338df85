#pragma once

#include <string_view>

namespace fovea {

// A part of a text: its bytes [begin, end).
struct TextRange {
  int begin = 0, end = 0;

  std::string_view of(std::string_view text) const {
    return text.substr(begin, end - begin);
  }
  friend bool operator==(const TextRange&, const TextRange&) = default;
};

}  // namespace fovea
