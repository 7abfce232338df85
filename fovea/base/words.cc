#include "fovea/base/words.h"

namespace fovea {
namespace {

bool in(unsigned char c, unsigned char first, unsigned char last) {
  return c >= first && c <= last;
}

// U+1680, U+2000 to U+200A, U+2028, U+2029, U+202F, U+205F and U+3000.
bool is_wide_space(unsigned char a, unsigned char b, unsigned char c) {
  if (a == 0xe1) return b == 0x9a && c == 0x80;
  if (a == 0xe3) return b == 0x80 && c == 0x80;
  if (a != 0xe2) return false;
  if (b == 0x81) return c == 0x9f;
  return b == 0x80 && (in(c, 0x80, 0x8a) || in(c, 0xa8, 0xa9) || c == 0xaf);
}

}  // namespace

size_t white_space_at(std::string_view text) {
  if (text.empty()) return 0;
  const auto byte = [&](size_t i) {
    return i < text.size() ? static_cast<unsigned char>(text[i]) : 0;
  };
  const unsigned char first = byte(0);
  if (first < 0x80) {
    return first == ' ' || in(first, '\t', '\r') || in(first, 0x1c, 0x1f);
  }
  if (first == 0xc2) return byte(1) == 0x85 || byte(1) == 0xa0 ? 2 : 0;
  return is_wide_space(first, byte(1), byte(2)) ? 3 : 0;
}

std::vector<std::string_view> split_words(std::string_view text) {
  std::vector<std::string_view> words;
  size_t begin = 0;
  const auto end_word = [&](size_t end) {
    if (end > begin) words.push_back(text.substr(begin, end - begin));
  };
  for (size_t i = 0; i < text.size();) {
    // Nearly all bytes: no white space begins with one of these.
    if (in(static_cast<unsigned char>(text[i]), '!', 0xc1)) {
      ++i;
      continue;
    }
    const size_t space = white_space_at(text.substr(i));
    if (space == 0) {
      ++i;
      continue;
    }
    end_word(i);
    i += space;
    begin = i;
  }
  end_word(text.size());
  return words;
}

std::string_view without_end_space(std::string_view text) {
  size_t end = text.size();
  while (end > 0) {
    // The last character begins one, two or three bytes before the end.
    size_t bytes = 1;
    while (bytes <= 3 && bytes <= end &&
           white_space_at(text.substr(end - bytes, bytes)) != bytes) {
      ++bytes;
    }
    if (bytes > 3 || bytes > end) break;
    end -= bytes;
  }
  return text.substr(0, end);
}

}  // namespace fovea
