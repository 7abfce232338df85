#include "fovea/decode/prepared_text.h"

#include <algorithm>

#include "fovea/base/unicode.h"
#include "fovea/base/words.h"
#include "fovea/data/long_text.h"

namespace fovea {
namespace {

// Random numbers of a part are its own.
constexpr int kPartShift = 40;

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
                          int max_input) {
  PreparedText all;
  all.text = mend_utf8(request.text);
  all.number = request.number;
  if (is_blank(all.text)) return all;
  const auto add = [&](const TextRange& range, std::vector<Piece> tokens) {
    all.ids.push_back(ids_of(tokens));
    all.parts.push_back({range, std::move(tokens), {}});
  };
  std::vector<Piece> whole = source.pieces(all.text);
  if (std::ssize(whole) <= max_input) {
    add({0, static_cast<int>(all.text.size())}, std::move(whole));
  } else {
    const auto count = [&](std::string_view part) {
      return static_cast<int>(source.encode(part).size());
    };
    for (const TextRange range : cut_long_text(all.text, max_input, count)) {
      add(range, source.pieces(range.of(all.text)));
    }
  }
  all.prefix = target.encode(without_end_space(request.prefix));
  return all;
}

void add_shortlists(PreparedText& text, const Shortlist& shortlist,
                    int unknown) {
  for (const std::vector<int>& ids : text.ids) {
    std::vector<int> words = shortlist.words_for(ids);
    words.insert(words.end(), text.prefix.begin(), text.prefix.end());
    words.push_back(unknown);
    std::sort(words.begin(), words.end());
    words.erase(std::unique(words.begin(), words.end()), words.end());
    text.shortlists.push_back(std::move(words));
  }
}

}  // namespace fovea
