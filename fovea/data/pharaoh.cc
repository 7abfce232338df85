#include "fovea/data/pharaoh.h"

#include <algorithm>
#include <charconv>

#include "fovea/data/word_ranges.h"

namespace fovea {
namespace {

// The first and the last token of each word, as [begin, end).
std::vector<std::pair<int, int>> tokens_of_words(const CutText& cut) {
  std::vector<std::pair<int, int>> tokens;
  const auto count = static_cast<int>(cut.pieces.size());
  int next = 0;
  for (const auto& [begin, end] : word_ranges(cut.text)) {
    // A token may reach over several words: go back to the first that touches.
    while (next > 0 && cut.pieces[next - 1].end > begin) --next;
    while (next < count && cut.pieces[next].end <= begin) ++next;
    const int first = next;
    while (next < count && cut.pieces[next].begin < end) ++next;
    tokens.emplace_back(first, next);
  }
  return tokens;
}

}  // namespace

std::optional<WordLinks> read_pharaoh(std::string_view line) {
  WordLinks links;
  for (const auto& [begin, end] : word_ranges(line)) {
    const char* at = line.data() + begin;
    const char* const last = line.data() + end;
    int source = -1, target = -1;
    const auto left = std::from_chars(at, last, source);
    if (left.ec != std::errc() || left.ptr == last || *left.ptr != '-') {
      return {};
    }
    const auto right = std::from_chars(left.ptr + 1, last, target);
    if (right.ec != std::errc() || right.ptr != last || source < 0 ||
        target < 0) {
      return {};
    }
    links.emplace_back(source, target);
  }
  return links;
}

std::string write_pharaoh(const WordLinks& links) {
  std::string line;
  for (const auto& [source, target] : links) {
    if (!line.empty()) line += ' ';
    line += std::to_string(source) + "-" + std::to_string(target);
  }
  return line;
}

TokenLinks token_links(const WordLinks& words, const CutText& source,
                       const CutText& target) {
  const auto from = tokens_of_words(source), to = tokens_of_words(target);
  TokenLinks links;
  for (const auto& [s, t] : words) {
    if (s >= static_cast<int>(from.size()) || t >= static_cast<int>(to.size()))
      continue;
    for (int i = from[s].first; i < from[s].second; ++i) {
      for (int j = to[t].first; j < to[t].second; ++j) links.emplace_back(i, j);
    }
  }
  std::sort(links.begin(), links.end());
  links.erase(std::unique(links.begin(), links.end()), links.end());
  return links;
}

}  // namespace fovea
