#include "fovea/data/sentence_split.h"

#include <algorithm>
#include <array>
#include <span>
#include <string>

#include "fovea/base/unicode.h"
#include "fovea/base/unicode_case.h"
#include "fovea/base/words.h"

namespace fovea {
namespace {

using Signs = std::span<const std::string_view>;

// Full stops of scripts without spaces come last: they end a sentence alone.
constexpr std::array<std::string_view, 11> kEnds = {
    ".", "!", "?", "…", "؟", "۔", "।", "。", "！", "？", "｡"};
constexpr size_t kSpacedEnds = 7;
constexpr std::array<std::string_view, 18> kClosing = {
    "\"", "'",  ")",  "]",  "}",  "”",  "’", "»", "›",
    "」", "』", "）", "】", "》", "〉", "“", "«", "‹"};
constexpr std::array<std::string_view, 13> kClauseEnds = {
    ",", ";", ":", "–", "—", "،", "؛", ")", "]", "，", "、", "；", "："};
constexpr size_t kSpacedClauseEnds = 9;

// Of several languages, in small letters, without the last full stop, sorted.
constexpr std::string_view kAbbreviations[] = {
    "abb", "abs",  "al",  "approx", "apr", "art",  "aug",  "av",  "bd",
    "bzw", "ca",   "cap", "cf",     "co",  "col",  "corp", "dec", "dept",
    "dr",  "ed",   "eds", "etc",    "feb", "ff",   "fig",  "gen", "gov",
    "hr",  "hrsg", "inc", "jan",    "jr",  "jul",  "jun",  "lt",  "ltd",
    "maj", "mar",  "max", "min",    "mio", "mlle", "mme",  "mr",  "mrd",
    "mrs", "ms",   "mt",  "nos",    "nov", "nr",   "núm",  "oct", "okt",
    "op",  "pag",  "pp",  "prof",   "pt",  "pág",  "rep",  "rev", "sen",
    "sep", "sept", "sgt", "sig",    "sr",  "sra",  "st",   "ste", "str",
    "tel", "usw",  "vgl", "vol",    "vs",  "zzgl",
};

// Bytes of the sign that the text begins with; 0 if it is none of these.
size_t sign_at(std::string_view text, Signs signs) {
  for (const std::string_view sign : signs) {
    if (text.starts_with(sign)) return sign.size();
  }
  return 0;
}

size_t white_space_run(std::string_view text) {
  size_t at = 0;
  while (const size_t bytes = white_space_at(text.substr(at))) at += bytes;
  return at;
}

// The word before the full stop at the end of `text` does not end a sentence.
bool is_abbreviation(std::string_view text) {
  const std::vector<std::string_view> words = split_words(text);
  if (words.empty()) return false;
  std::string_view word = words.back();
  constexpr std::string_view kOpening = "([{\"'";
  word.remove_prefix(std::min(word.find_first_not_of(kOpening), word.size()));
  if (word.empty()) return false;
  if (code_point_bytes(word) == word.size()) return true;  // an initial
  const bool number =
      word.find_first_not_of("0123456789") == std::string_view::npos;
  if (number) return word.size() <= 2;
  if (word.find('.') != std::string_view::npos) return true;  // e.g, U.S
  return std::ranges::binary_search(kAbbreviations,
                                    std::string_view(lower_case(word)));
}

// The end of the sentence whose last sign begins at `at`, or 0.
size_t sentence_end(std::string_view text, size_t begin, size_t at) {
  size_t end = at;
  bool alone = false, only_stop = true;
  for (size_t bytes = 0; (bytes = sign_at(text.substr(end), kEnds)) > 0;) {
    alone = alone ||
            sign_at(text.substr(end), Signs(kEnds).subspan(kSpacedEnds)) > 0;
    only_stop = only_stop && end == at && text[end] == '.';
    end += bytes;
  }
  while (const size_t bytes = sign_at(text.substr(end), kClosing)) {
    end += bytes;
  }
  if (alone) return end;
  const size_t space = white_space_run(text.substr(end));
  if (space == 0 || begins_lower_case(text.substr(end + space))) return 0;
  if (only_stop && is_abbreviation(text.substr(begin, at - begin))) return 0;
  return end;
}

// Signs that end a clause only before white space come first.
size_t clause_end(std::string_view text, size_t, size_t at) {
  const size_t bytes = sign_at(text.substr(at), kClauseEnds);
  const bool alone = sign_at(text.substr(at),
                             Signs(kClauseEnds).subspan(kSpacedClauseEnds)) > 0;
  const size_t end = at + bytes;
  return bytes > 0 && (alone || white_space_at(text.substr(end)) > 0) ? end : 0;
}

// `end_at(text, begin, at)` is where a part ends whose last sign is at `at`.
template <class EndAt>
std::vector<TextRange> split(std::string_view text, Signs signs,
                             const EndAt& end_at) {
  std::vector<TextRange> parts;
  size_t begin = white_space_run(text);
  const auto add = [&](size_t end) {
    const std::string_view part =
        without_end_space(text.substr(begin, end - begin));
    if (part.empty()) return;
    parts.push_back(
        {static_cast<int>(begin), static_cast<int>(begin + part.size())});
  };
  for (size_t at = begin; at < text.size();) {
    const size_t sign = sign_at(text.substr(at), signs);
    const size_t end = sign > 0 ? end_at(text, begin, at) : 0;
    if (end == 0) {
      at += sign > 0 ? sign : code_point_bytes(text.substr(at));
      continue;
    }
    add(end);
    begin = at = end + white_space_run(text.substr(end));
  }
  add(text.size());
  return parts;
}

}  // namespace

std::vector<TextRange> split_sentences(std::string_view text) {
  return split(text, kEnds, sentence_end);
}

std::vector<TextRange> split_clauses(std::string_view text) {
  return split(text, kClauseEnds, clause_end);
}

}  // namespace fovea
