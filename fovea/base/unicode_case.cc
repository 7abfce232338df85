#include "fovea/base/unicode_case.h"

#include <utf8proc.h>

#include <algorithm>

#include "fovea/base/unicode.h"

namespace fovea {
namespace {

constexpr char32_t kCapitalSigma = 0x3a3, kSigma = 0x3c3, kFinalSigma = 0x3c2;
constexpr char32_t kCapitalDottedI = 0x130, kDotAbove = 0x307;

// Signs inside words that Unicode lets a final sigma look through, beside
// accents and the like: apostrophe, point, colon and their forms.
constexpr char32_t kInnerSigns[] = {
    0x27,   0x2e,   0x3a,   0xb7,   0x387,  0x55f,  0x5f4,  0x2018, 0x2019,
    0x2024, 0x2027, 0xfe13, 0xfe52, 0xfe55, 0xff07, 0xff0e, 0xff1a};

bool is_cased(char32_t c) {
  if (c >= kNoCodePoint) return false;
  const auto point = static_cast<int32_t>(c);
  return utf8proc_islower(point) || utf8proc_isupper(point) ||
         utf8proc_category(point) == UTF8PROC_CATEGORY_LT;
}

bool is_looked_through(char32_t c) {
  if (c >= kNoCodePoint) return false;
  switch (utf8proc_category(static_cast<int32_t>(c))) {
    case UTF8PROC_CATEGORY_MN:
    case UTF8PROC_CATEGORY_ME:
    case UTF8PROC_CATEGORY_CF:
    case UTF8PROC_CATEGORY_LM:
    case UTF8PROC_CATEGORY_SK:
      return true;
    default:
      return std::find(std::begin(kInnerSigns), std::end(kInnerSigns), c) !=
             std::end(kInnerSigns);
  }
}

// Whether the sigma at `at` ends a word: a letter before it and none behind.
bool is_final(const std::u32string& text, size_t at) {
  size_t before = at;
  while (before > 0 && is_looked_through(text[before - 1])) --before;
  if (before == 0 || !is_cased(text[before - 1])) return false;
  size_t behind = at + 1;
  while (behind < text.size() && is_looked_through(text[behind])) ++behind;
  return behind == text.size() || !is_cased(text[behind]);
}

char32_t lower(char32_t c) {
  if (c >= kNoCodePoint) return c;
  return static_cast<char32_t>(utf8proc_tolower(static_cast<int32_t>(c)));
}

bool is_ascii(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) {
    return static_cast<unsigned char>(c) < 0x80;
  });
}

std::string lower_ascii(std::string_view text) {
  std::string lowered(text);
  for (char& c : lowered) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return lowered;
}

}  // namespace

std::string lower_case(std::string_view text) {
  if (is_ascii(text)) return lower_ascii(text);
  const std::u32string points = code_points(text);
  std::string lowered;
  lowered.reserve(text.size());
  for (size_t i = 0; i < points.size(); ++i) {
    if (points[i] == kCapitalSigma) {
      append_code_point(lowered, is_final(points, i) ? kFinalSigma : kSigma);
    } else if (points[i] == kCapitalDottedI) {
      append_code_point(lowered, U'i');
      append_code_point(lowered, kDotAbove);
    } else {
      append_code_point(lowered, lower(points[i]));
    }
  }
  return lowered;
}

bool begins_lower_case(std::string_view text) {
  if (text.empty()) return false;
  const char32_t c =
      code_points(text.substr(0, code_point_bytes(text))).front();
  return c < kNoCodePoint && utf8proc_islower(static_cast<int32_t>(c));
}

}  // namespace fovea
