#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace fovea {

// Text from outside as one harmless line: control characters, invisible
// formatting (which can turn a line around) and bytes that are no UTF-8 are
// written as \n, \x1b or \u{202e}. Joiners stay: emoji and Persian need them.
std::string one_line(std::string_view text);

bool is_utf8(std::string_view text);

// The text with every byte that is no UTF-8 replaced by U+FFFD.
std::string mend_utf8(std::string_view text);

// How many bytes the first code point takes, or 1 for a byte that is no UTF-8.
// The text is not empty.
size_t code_point_bytes(std::string_view text);

// The code points of UTF-8 text. A byte that is no UTF-8 counts as one, with
// kNoCodePoint added.
inline constexpr char32_t kNoCodePoint = 0x110000;
std::u32string code_points(std::string_view text);

// The bytes of one of those.
void append_code_point(std::string& text, char32_t c);

// What a reader takes for a character each: a letter with its accents, an
// emoji with its parts. Views into `text`.
std::vector<std::string_view> graphemes(std::string_view text);

// Columns that UTF-8 text takes in a terminal: combining marks none, Chinese
// characters and emoji two.
int display_width(std::string_view text);

// The longest beginning of whole graphemes that is at most so wide.
std::string cut_to_columns(std::string_view text, int columns);

}  // namespace fovea
