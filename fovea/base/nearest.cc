#include "fovea/base/nearest.h"

#include <algorithm>
#include <vector>

namespace fovea {
namespace {

// Edits (insert, delete, replace, swap neighbours) from one word to another.
size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<size_t> before, last(b.size() + 1), row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j) last[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      const size_t replaced = last[j - 1] + (a[i - 1] != b[j - 1]);
      row[j] = std::min({replaced, last[j] + 1, row[j - 1] + 1});
      const bool swapped =
          i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) row[j] = std::min(row[j], before[j - 2] + 1);
    }
    before = last;
    last = row;
  }
  return last[b.size()];
}

}  // namespace

std::string nearest(std::string_view word, std::span<const std::string> known) {
  std::string best;
  size_t fewest = word.size() / 3 + 2;
  for (const std::string& candidate : known) {
    // More edits than half of the word make it another word.
    const auto [less, more] = std::minmax({word.size(), candidate.size()});
    const size_t most = more / 2;
    if (more - less > most) continue;  // it takes as many, at least
    const size_t edits = edit_distance(word, candidate);
    if (edits < fewest && edits <= most) {
      best = candidate;
      fewest = edits;
    }
  }
  return best;
}

std::string did_you_mean(std::string_view word,
                         std::span<const std::string> known) {
  const std::string best = nearest(word, known);
  return best.empty() ? "" : " (did you mean '" + best + "'?)";
}

}  // namespace fovea
