#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

namespace fovea {

// Bytes of the white space character that UTF-8 text begins with; 0 if it
// begins with another one. What Unicode calls white space, the no-break space
// included, and the four separators U+001C to U+001F, as Python has it.
size_t white_space_at(std::string_view text);

// What stands between white space. Views into `text`.
std::vector<std::string_view> split_words(std::string_view text);

// Without the white space at its end.
std::string_view without_end_space(std::string_view text);

// True if there is nothing but white space.
inline bool is_blank(std::string_view text) {
  return without_end_space(text).empty();
}

}  // namespace fovea
