#include "fovea/eval/ter_tokens.h"

#include "fovea/base/unicode.h"
#include "fovea/base/unicode_case.h"
#include "fovea/base/words.h"
#include "fovea/eval/tokenize_13a.h"

namespace fovea {
namespace {

struct Range {
  char32_t first, last;
};

// Ideographs, strokes, radicals and compatibility forms. The third range ends
// where sacreBLEU ends it.
constexpr Range kIdeographs[] = {
    {0x2e80, 0x2eff}, {0x31c0, 0x31ef}, {0x3200, 0x3f22}, {0x3400, 0x4dbf},
    {0x4e00, 0x9fff}, {0xf900, 0xfaff}, {0xfe30, 0xfe4f}};
constexpr Range kAsianPunctuation[] = {
    {0x3001, 0x3002}, {0x3008, 0x3011}, {0x3014, 0x301f}, {0x30fb, 0x30fb},
    {0xff01, 0xff02}, {0xff08, 0xff09}, {0xff0c, 0xff0c}, {0xff0e, 0xff0e},
    {0xff1a, 0xff1b}, {0xff1f, 0xff1f}, {0xff61, 0xff65}};

template <size_t N>
bool is_in(char32_t c, const Range (&ranges)[N]) {
  for (const Range& range : ranges) {
    if (c >= range.first && c <= range.last) return true;
  }
  return false;
}

std::string normalized(std::string text) {
  text = replace_all(std::move(text), "\n-", "");
  text = without_entities(std::move(text));
  text = separate_signs(" " + text + " ");
  text = replace_all(std::move(text), "'s ", " 's ");
  return separate_points(text);
}

std::string separate_asian(std::string_view text) {
  std::string out;
  for (const char32_t c : code_points(text)) {
    const bool apart = is_in(c, kIdeographs) || is_in(c, kAsianPunctuation);
    if (apart) out += ' ';
    append_code_point(out, c);
    if (apart) out += ' ';
  }
  return out;
}

std::string without_punctuation(std::string_view text, bool asian) {
  constexpr std::u32string_view kPunctuation = U".,?:;!\"()";
  std::string out;
  for (const char32_t c : code_points(text)) {
    const bool is_it = kPunctuation.find(c) != std::u32string_view::npos ||
                       (asian && is_in(c, kAsianPunctuation));
    if (!is_it) append_code_point(out, c);
  }
  return out;
}

}  // namespace

std::string ter_tokens(std::string_view line, const TerOptions& options) {
  line = without_end_space(line);
  std::string text =
      options.case_sensitive ? std::string(line) : lower_case(line);
  if (options.normalized && !text.empty()) {
    text = normalized(std::move(text));
    if (options.asian_support) text = separate_asian(text);
  }
  if (options.no_punctuation) {
    text = without_punctuation(text, options.asian_support);
  }
  return text;
}

}  // namespace fovea
