#include "fovea/decode/replace_unknown.h"

#include <algorithm>
#include <vector>

#include "fovea/base/words.h"
#include "fovea/decode/word_alignment.h"

namespace fovea {
namespace {

// The source word that a token's row of attention is on.
std::string_view attended_word(const AttendedSource& source,
                               const std::vector<TextRange>& words,
                               std::span<const float> row) {
  const std::vector<int> of_tokens = words_of_tokens(words, source.tokens);
  std::vector<double> sums(words.size() + 1);
  for (size_t i = 0; i < of_tokens.size(); ++i) sums[of_tokens[i]] += row[i];
  const auto best = std::max_element(sums.begin(), sums.end() - 1);
  return words[best - sums.begin()].of(source.text);
}

}  // namespace

void put_word(JoinedText& joined, size_t token, std::string_view word) {
  TextRange range{joined.pieces[token].begin, joined.pieces[token].end};
  while (const size_t space = white_space_at(range.of(joined.text))) {
    range.begin += static_cast<int>(space);
  }
  const std::string_view old =
      without_end_space(range.of(std::string_view(joined.text)));
  const int more = static_cast<int>(word.size()) - static_cast<int>(old.size());
  joined.text.replace(range.begin, old.size(), word);
  joined.pieces[token].end += more;
  for (size_t i = token + 1; i < joined.pieces.size(); ++i) {
    joined.pieces[i].begin += more;
    joined.pieces[i].end += more;
  }
}

void replace_unknown(JoinedText& translation, const UnknownTokens& unknown,
                     const AttendedSource& source,
                     const Dictionary& dictionary) {
  const std::vector<TextRange> words = words_of(source.text);
  if (words.empty() || source.weights.empty()) return;
  const size_t keys = source.tokens.size() + 1;
  for (size_t i = unknown.first; i < translation.pieces.size(); ++i) {
    if (translation.pieces[i].id != unknown.id) continue;
    const std::string_view word =
        attended_word(source, words, source.weights.subspan(i * keys, keys));
    const auto entry = dictionary.find(word);
    put_word(translation, i, entry == dictionary.end() ? word : entry->second);
  }
}

}  // namespace fovea
