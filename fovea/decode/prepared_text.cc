#include "fovea/decode/prepared_text.h"

#include <algorithm>

#include "fovea/base/unicode.h"
#include "fovea/base/words.h"
#include "fovea/decode/clean_text.h"

namespace fovea {
namespace {

// Random numbers of a part are its own.
constexpr int kPartShift = 40;

// What a token stands for, without the space in front.
std::string word_of(std::string_view text, const Piece& piece) {
  std::string_view word = TextRange{piece.begin, piece.end}.of(text);
  while (const size_t space = white_space_at(word)) word.remove_prefix(space);
  return std::string(word);
}

}  // namespace

SearchSource PreparedText::source(size_t part) const {
  SearchSource one{
      .ids = ids[part],
      .number = number + (static_cast<uint64_t>(part) << kPartShift)};
  if (part == 0) one.prefix = prefix;
  if (!shortlists.empty()) one.shortlist = shortlists[part];
  return one;
}

PreparedText prepare_text(const TranslateRequest& request,
                          const Tokenizer& source, const Tokenizer& target,
                          int longest_part) {
  PreparedText all;
  all.text = mend_utf8(request.text);
  all.number = request.number;
  const CleanText clean = clean_text(all.text, source);
  if (clean.text.empty()) return all;
  const auto add = [&](const TextRange& range, std::vector<Piece> tokens) {
    all.ids.push_back(ids_of(tokens));
    all.parts.push_back({clean.before(range), std::move(tokens)});
  };
  const TextRange whole{0, static_cast<int>(clean.text.size())};
  std::vector<Piece> tokens = clean.pieces(whole, source);
  if (std::ssize(tokens) <= longest_part) {
    add(whole, std::move(tokens));
  } else {
    const auto count = [&](std::string_view part) {
      return static_cast<int>(source.encode(part).size());
    };
    for (const TextRange& range :
         cut_long_text(clean.text, longest_part, count)) {
      add(range, clean.pieces(range, source));
    }
  }
  const std::string prefix = mend_utf8(request.prefix);
  for (const Piece& piece : clean_pieces(prefix, target)) {
    const bool unknown = piece.id == target.unknown();
    all.prefix.push_back(piece.id);
    all.parts.front().given.push_back(unknown ? word_of(prefix, piece)
                                              : std::string());
  }
  return all;
}

std::vector<int> words_allowed(const Shortlist& shortlist,
                               std::span<const int> ids,
                               std::span<const int> prefix, int unknown) {
  std::vector<int> words = shortlist.words_for(ids);
  words.insert(words.end(), prefix.begin(), prefix.end());
  words.push_back(unknown);
  std::sort(words.begin(), words.end());
  words.erase(std::unique(words.begin(), words.end()), words.end());
  return words;
}

void add_shortlists(PreparedText& text, const Shortlist& shortlist,
                    int unknown) {
  for (const std::vector<int>& ids : text.ids) {
    text.shortlists.push_back(
        words_allowed(shortlist, ids, text.prefix, unknown));
  }
}

}  // namespace fovea
