#include "fovea/base/unicode.h"

#include <utf8proc.h>

#include <algorithm>
#include <cstdint>

namespace fovea {
namespace {

constexpr int32_t kNonJoiner = 0x200c, kJoiner = 0x200d;
constexpr int32_t kEmojiStyle = 0xfe0f;  // asks for the wide form

struct CodePoint {
  int32_t value;  // negative: a byte that is no UTF-8
  size_t bytes;
};

CodePoint first_of(std::string_view text) {
  int32_t value = -1;
  const auto bytes =
      utf8proc_iterate(reinterpret_cast<const utf8proc_uint8_t*>(text.data()),
                       static_cast<utf8proc_ssize_t>(text.size()), &value);
  if (bytes < 1) return {-1, 1};
  return {value, static_cast<size_t>(bytes)};
}

bool is_harmless(int32_t c) {
  if (c < 0) return false;
  if (c == kNonJoiner || c == kJoiner) return true;
  switch (utf8proc_category(c)) {
    case UTF8PROC_CATEGORY_CN:
    case UTF8PROC_CATEGORY_CC:
    case UTF8PROC_CATEGORY_CF:
    case UTF8PROC_CATEGORY_CS:
    case UTF8PROC_CATEGORY_ZL:
    case UTF8PROC_CATEGORY_ZP:
      return false;
    default:
      return true;
  }
}

std::string hex(uint32_t number) {
  std::string digits;
  do {
    digits.insert(digits.begin(), "0123456789abcdef"[number & 15]);
    number >>= 4;
  } while (number > 0);
  return digits;
}

std::string escaped(CodePoint c, char first_byte) {
  if (first_byte == '\n') return "\\n";
  if (c.bytes > 1) return "\\u{" + hex(static_cast<uint32_t>(c.value)) + "}";
  const std::string digits = hex(static_cast<unsigned char>(first_byte));
  return (digits.size() < 2 ? "\\x0" : "\\x") + digits;
}

int width_of_grapheme(std::string_view text) {
  int width = 0, count = 0;
  bool wide = false;
  while (!text.empty()) {
    const CodePoint c = first_of(text);
    // Two letters of a flag are joined; other parts lie upon each other.
    wide = wide || c.value == kEmojiStyle ||
           (count > 0 && utf8proc_get_property(c.value)->boundclass ==
                             UTF8PROC_BOUNDCLASS_REGIONAL_INDICATOR);
    width = std::max(width, c.value < 0 ? 1 : utf8proc_charwidth(c.value));
    text.remove_prefix(c.bytes);
    ++count;
  }
  return wide ? 2 : width;
}

// Most text is ASCII, which needs no look at the bits.
size_t ascii_bytes(std::string_view text) {
  size_t n = 0;
  while (n < text.size() && static_cast<unsigned char>(text[n]) < 0x80) ++n;
  return n;
}

}  // namespace

bool is_utf8(std::string_view text) {
  while (true) {
    text.remove_prefix(ascii_bytes(text));
    if (text.empty()) return true;
    const CodePoint c = first_of(text);
    if (c.value < 0) return false;
    text.remove_prefix(c.bytes);
  }
}

std::string mend_utf8(std::string_view text) {
  std::string mended;
  mended.reserve(text.size());
  while (!text.empty()) {
    const CodePoint c = first_of(text);
    mended += c.value < 0 ? "\xef\xbf\xbd" : text.substr(0, c.bytes);
    text.remove_prefix(c.bytes);
  }
  return mended;
}

size_t code_point_bytes(std::string_view text) {
  return static_cast<unsigned char>(text.front()) < 0x80 ? 1
                                                         : first_of(text).bytes;
}

std::string one_line(std::string_view text) {
  std::string line;
  line.reserve(text.size());
  while (!text.empty()) {
    const CodePoint c = first_of(text);
    line += is_harmless(c.value) ? std::string(text.substr(0, c.bytes))
                                 : escaped(c, text.front());
    text.remove_prefix(c.bytes);
  }
  return line;
}

std::u32string code_points(std::string_view text) {
  std::u32string points;
  points.reserve(text.size());
  while (!text.empty()) {
    const CodePoint c = first_of(text);
    points.push_back(
        c.value >= 0 ? static_cast<char32_t>(c.value)
                     : kNoCodePoint + static_cast<unsigned char>(text.front()));
    text.remove_prefix(c.bytes);
  }
  return points;
}

void append_code_point(std::string& text, char32_t c) {
  if (c >= kNoCodePoint) {
    text.push_back(static_cast<char>(c - kNoCodePoint));
    return;
  }
  utf8proc_uint8_t bytes[4];
  const auto count = utf8proc_encode_char(static_cast<int32_t>(c), bytes);
  text.append(bytes, bytes + count);
}

std::vector<std::string_view> graphemes(std::string_view text) {
  std::vector<std::string_view> parts;
  size_t begin = 0, end = 0;
  int32_t last = -1, state = 0;
  while (end < text.size()) {
    const CodePoint c = first_of(text.substr(end));
    if (end > 0 && (last < 0 || c.value < 0 ||
                    utf8proc_grapheme_break_stateful(last, c.value, &state))) {
      parts.push_back(text.substr(begin, end - begin));
      begin = end;
    }
    last = c.value;
    end += c.bytes;
  }
  if (end > begin) parts.push_back(text.substr(begin));
  return parts;
}

int display_width(std::string_view text) {
  int width = 0;
  for (const std::string_view part : graphemes(text)) {
    width += width_of_grapheme(part);
  }
  return width;
}

std::string cut_to_columns(std::string_view text, int columns) {
  size_t end = 0;
  for (const std::string_view part : graphemes(text)) {
    columns -= width_of_grapheme(part);
    if (columns < 0) break;
    end += part.size();
  }
  return std::string(text.substr(0, end));
}

}  // namespace fovea
