#include "fovea/serve/html_entity.h"

#include <algorithm>
#include <charconv>

#include "fovea/base/unicode.h"

namespace fovea {
namespace {

// U+00A0 to U+00FF, in their order.
constexpr std::string_view kLatin[] = {
    "nbsp",   "iexcl",  "cent",   "pound",  "curren", "yen",    "brvbar",
    "sect",   "uml",    "copy",   "ordf",   "laquo",  "not",    "shy",
    "reg",    "macr",   "deg",    "plusmn", "sup2",   "sup3",   "acute",
    "micro",  "para",   "middot", "cedil",  "sup1",   "ordm",   "raquo",
    "frac14", "frac12", "frac34", "iquest", "Agrave", "Aacute", "Acirc",
    "Atilde", "Auml",   "Aring",  "AElig",  "Ccedil", "Egrave", "Eacute",
    "Ecirc",  "Euml",   "Igrave", "Iacute", "Icirc",  "Iuml",   "ETH",
    "Ntilde", "Ograve", "Oacute", "Ocirc",  "Otilde", "Ouml",   "times",
    "Oslash", "Ugrave", "Uacute", "Ucirc",  "Uuml",   "Yacute", "THORN",
    "szlig",  "agrave", "aacute", "acirc",  "atilde", "auml",   "aring",
    "aelig",  "ccedil", "egrave", "eacute", "ecirc",  "euml",   "igrave",
    "iacute", "icirc",  "iuml",   "eth",    "ntilde", "ograve", "oacute",
    "ocirc",  "otilde", "ouml",   "divide", "oslash", "ugrave", "uacute",
    "ucirc",  "uuml",   "yacute", "thorn",  "yuml"};
constexpr char32_t kFirstLatin = 0xa0;

struct Named {
  std::string_view name;
  char32_t character;
};
constexpr Named kOthers[] = {
    {"amp", '&'},       {"lt", '<'},        {"gt", '>'},
    {"quot", '"'},      {"apos", '\''},     {"OElig", 0x152},
    {"oelig", 0x153},   {"Scaron", 0x160},  {"scaron", 0x161},
    {"ensp", 0x2002},   {"emsp", 0x2003},   {"thinsp", 0x2009},
    {"ndash", 0x2013},  {"mdash", 0x2014},  {"lsquo", 0x2018},
    {"rsquo", 0x2019},  {"sbquo", 0x201a},  {"ldquo", 0x201c},
    {"rdquo", 0x201d},  {"bdquo", 0x201e},  {"bull", 0x2022},
    {"hellip", 0x2026}, {"lsaquo", 0x2039}, {"rsaquo", 0x203a},
    {"euro", 0x20ac},   {"trade", 0x2122}};

char32_t named(std::string_view name) {
  const auto latin = std::ranges::find(kLatin, name);
  if (latin != std::end(kLatin)) {
    return kFirstLatin + static_cast<char32_t>(latin - std::begin(kLatin));
  }
  const auto other = std::ranges::find(kOthers, name, &Named::name);
  return other == std::end(kOthers) ? 0 : other->character;
}

// "233" or "xe9".
char32_t numbered(std::string_view digits) {
  const bool hex = digits.starts_with('x') || digits.starts_with('X');
  if (hex) digits.remove_prefix(1);
  uint32_t value = 0;
  const auto [end, error] = std::from_chars(
      digits.data(), digits.data() + digits.size(), value, hex ? 16 : 10);
  const bool right = error == std::errc() && !digits.empty() &&
                     end == digits.data() + digits.size();
  const bool surrogate = value >= 0xd800 && value < 0xe000;
  return right && value < kNoCodePoint && !surrogate ? value : 0;
}

}  // namespace

HtmlEntity entity_at(std::string_view html) {
  constexpr size_t kLongest = 12;
  if (!html.starts_with('&')) return {};
  const size_t end = html.substr(0, kLongest).find(';');
  if (end == html.npos || end < 2) return {};
  const std::string_view name = html.substr(1, end - 1);
  const char32_t c =
      name.starts_with('#') ? numbered(name.substr(1)) : named(name);
  HtmlEntity entity;
  if (c == 0) return entity;
  append_code_point(entity.text, c);
  entity.bytes = end + 1;
  return entity;
}

std::string html_escaped(std::string_view text) {
  std::string html;
  for (const char c : text) {
    if (c == '&') {
      html += "&amp;";
    } else if (c == '<') {
      html += "&lt;";
    } else if (c == '>') {
      html += "&gt;";
    } else {
      html += c;
    }
  }
  return html;
}

}  // namespace fovea
