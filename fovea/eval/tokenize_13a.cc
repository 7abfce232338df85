#include "fovea/eval/tokenize_13a.h"

#include "fovea/base/words.h"

namespace fovea {
namespace {

// Objects, not functions, so that the rules have them inside.
constexpr auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
constexpr auto is_no_digit = [](char c) { return !is_digit(c); };
constexpr auto is_point = [](char c) { return c == '.' || c == ','; };
constexpr auto is_dash = [](char c) { return c == '-'; };

// The rule has the space among them, which changes no words.
bool is_sign(char c) {
  return (c >= '{' && c <= '~') || (c >= '[' && c <= '`') ||
         (c >= '!' && c <= '&') || (c >= '(' && c <= '+') ||
         (c >= ':' && c <= '@') || c == '/';
}

// Where a character of the one kind stands before one of the other, puts a
// space between them and one before or after both. One pass: a character is
// part of one such pair at most.
enum class Space { kBefore, kAfter };
template <class First, class Second>
std::string separate_pairs(std::string_view text, First first, Second second,
                           Space space) {
  std::string out;
  out.reserve(text.size() + text.size() / 2);
  size_t copied = 0;
  for (size_t i = 0; i + 1 < text.size(); ++i) {
    if (!first(text[i]) || !second(text[i + 1])) continue;
    out.append(text, copied, i - copied);
    if (space == Space::kBefore) out += ' ';
    out += text[i];
    out += ' ';
    out += text[++i];
    if (space == Space::kAfter) out += ' ';
    copied = i + 1;
  }
  return out.append(text, copied);
}

}  // namespace

std::string replace_all(std::string text, std::string_view from,
                        std::string_view to) {
  for (size_t at = text.find(from); at != std::string::npos;
       at = text.find(from, at + to.size())) {
    text.replace(at, from.size(), to);
  }
  return text;
}

std::string without_entities(std::string text) {
  if (text.find('&') == std::string::npos) return text;
  text = replace_all(std::move(text), "&quot;", "\"");
  text = replace_all(std::move(text), "&amp;", "&");
  text = replace_all(std::move(text), "&lt;", "<");
  return replace_all(std::move(text), "&gt;", ">");
}

std::string separate_signs(std::string_view text) {
  std::string out;
  out.reserve(text.size() + text.size() / 2);
  size_t copied = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    if (!is_sign(text[i])) continue;
    out.append(text, copied, i - copied);
    out += ' ';
    out += text[i];
    out += ' ';
    copied = i + 1;
  }
  return out.append(text, copied);
}

std::string separate_points(std::string_view text) {
  std::string out = separate_pairs(text, is_no_digit, is_point, Space::kAfter);
  out = separate_pairs(out, is_point, is_no_digit, Space::kBefore);
  return separate_pairs(out, is_digit, is_dash, Space::kAfter);
}

std::string separate_13a(std::string_view line) {
  std::string text(without_end_space(line));
  text = replace_all(std::move(text), "<skipped>", "");
  text = replace_all(std::move(text), "-\n", "");
  text = without_entities(std::move(text));
  return separate_points(separate_signs(" " + text + " "));
}

std::string tokenize_13a(std::string_view line) {
  const std::string text = separate_13a(line);
  std::string out;
  for (const std::string_view word : split_words(text)) {
    if (!out.empty()) out += ' ';
    out += word;
  }
  return out;
}

}  // namespace fovea
