#include "fovea/eval/tokenize_13a.h"

#include "fovea/base/words.h"

namespace fovea {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_no_digit(char c) { return !is_digit(c); }
bool is_point(char c) { return c == '.' || c == ','; }
bool is_dash(char c) { return c == '-'; }

bool is_sign(char c) {
  return (c >= '{' && c <= '~') || (c >= '[' && c <= '`') ||
         (c >= ' ' && c <= '&') || (c >= '(' && c <= '+') ||
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
  out.reserve(2 * text.size());
  for (size_t i = 0; i < text.size(); ++i) {
    if (i + 1 == text.size() || !first(text[i]) || !second(text[i + 1])) {
      out += text[i];
      continue;
    }
    if (space == Space::kBefore) out += ' ';
    out += text[i];
    out += ' ';
    out += text[++i];
    if (space == Space::kAfter) out += ' ';
  }
  return out;
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
  out.reserve(2 * text.size());
  for (const char c : text) {
    if (!is_sign(c)) {
      out += c;
      continue;
    }
    out += ' ';
    out += c;
    out += ' ';
  }
  return out;
}

std::string separate_points(std::string_view text) {
  std::string out = separate_pairs(text, is_no_digit, is_point, Space::kAfter);
  out = separate_pairs(out, is_point, is_no_digit, Space::kBefore);
  return separate_pairs(out, is_digit, is_dash, Space::kAfter);
}

std::string tokenize_13a(std::string_view line) {
  std::string text(without_end_space(line));
  text = replace_all(std::move(text), "<skipped>", "");
  text = replace_all(std::move(text), "-\n", "");
  text = without_entities(std::move(text));
  text = separate_points(separate_signs(" " + text + " "));
  std::string out;
  for (const std::string_view word : split_words(text)) {
    if (!out.empty()) out += ' ';
    out += word;
  }
  return out;
}

}  // namespace fovea
