#include "fovea/explain/token_text.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <string_view>

#include "fovea/base/check.h"
#include "fovea/base/unicode.h"

namespace fovea {
namespace {

constexpr std::string_view kWordMark = "▁";

// Of "<0x0a>".
std::optional<char> byte_of(std::string_view token) {
  if (token.size() != 6 || !token.starts_with("<0x") || token[5] != '>') {
    return {};
  }
  unsigned value = 0;
  const char* const end = token.data() + 5;
  const auto read = std::from_chars(token.data() + 3, end, value, 16);
  if (read.ec != std::errc() || read.ptr != end) return {};
  return static_cast<char>(value);
}

// How many bytes a character has that begins with this one; 0: none does.
size_t bytes_from(char byte) {
  const auto first = static_cast<unsigned char>(byte);
  if (first < 0x80) return 1;
  if (first >= 0xc2 && first < 0xe0) return 2;
  if (first >= 0xe0 && first < 0xf0) return 3;
  return first >= 0xf0 && first < 0xf5 ? 4 : 0;
}

// The character that the first tokens make, if they are its bytes.
std::string character_at(std::span<const std::string> tokens) {
  const auto first = byte_of(tokens.front());
  const size_t count = first ? bytes_from(*first) : 0;
  if (count == 0 || tokens.size() < count) return {};
  std::string text;
  for (const std::string& token : tokens.first(count)) {
    const auto byte = byte_of(token);
    if (!byte) return {};
    text += *byte;
  }
  // What controls a terminal is better told as a byte.
  return is_utf8(text) && one_line(text) == text ? text : std::string();
}

std::string plain_text(const std::string& token) {
  if (!token.starts_with(kWordMark)) return token;
  return token == kWordMark ? "␣" : token.substr(kWordMark.size());
}

}  // namespace

std::vector<std::string> token_texts(std::span<const std::string> tokens) {
  std::vector<std::string> texts;
  while (texts.size() < tokens.size()) {
    const auto rest = tokens.subspan(texts.size());
    const std::string character = character_at(rest);
    if (character.size() <= 1) {
      texts.push_back(character.empty() ? plain_text(rest.front()) : character);
      continue;
    }
    for (size_t k = 1; k <= character.size(); ++k) {
      texts.push_back(join(character, " ", k, "/", character.size()));
    }
  }
  return texts;
}

}  // namespace fovea
