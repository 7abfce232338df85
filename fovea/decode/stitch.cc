#include "fovea/decode/stitch.h"

#include <algorithm>
#include <numeric>
#include <set>

#include "fovea/base/unicode.h"
#include "fovea/base/words.h"

namespace fovea {
namespace {

// How many more choices of several parts there are than translations wanted:
// some turn out to be the same text.
constexpr size_t kSpare = 4;

// One hypothesis of each part.
struct PartChoice {
  double score = 0;
  std::vector<int> of_parts = {};
};

std::vector<PartChoice> best_choices(std::span<const FoundPart> parts,
                                     size_t count) {
  std::vector<PartChoice> best(1);
  for (const FoundPart& part : parts) {
    std::vector<PartChoice> longer;
    for (const PartChoice& before : best) {
      for (size_t i = 0; i < part.hypotheses.size(); ++i) {
        PartChoice& next = longer.emplace_back(before);
        next.score += part.hypotheses[i].score;
        next.of_parts.push_back(static_cast<int>(i));
      }
    }
    std::stable_sort(longer.begin(), longer.end(),
                     [](const PartChoice& a, const PartChoice& b) {
                       return a.score > b.score;
                     });
    if (longer.size() > count) longer.resize(count);
    best = std::move(longer);
  }
  return best;
}

// Its last character is one of those that stand without spaces.
bool ends_wide(std::string_view text) {
  size_t begin = text.size();
  while (begin > 0 && begin + 4 > text.size()) {
    --begin;
    const bool continues = (static_cast<unsigned char>(text[begin]) >> 6) == 2;
    if (!continues) return display_width(text.substr(begin)) == 2;
  }
  return false;
}

std::string spaced_once(std::string_view text) {
  std::string all;
  for (const std::string_view word : split_words(text)) {
    all.append(word).append(" ");
  }
  return all;
}

class Stitcher {
 public:
  Stitcher(std::string_view source, std::span<const FoundPart> parts,
           const Tokenizer& target, const TranslateOptions& options)
      : source_(source), parts_(parts), target_(target), options_(options) {}

  Translation make(const PartChoice& choice) const {
    Translation all;
    all.score = static_cast<float>(choice.score);
    double log_probability = 0;
    for (size_t i = 0; i < parts_.size(); ++i) {
      const Hypothesis& h = parts_[i].hypotheses[choice.of_parts[i]];
      if (i > 0) all.text += between(i, all.text);
      append(all, parts_[i], h);
      log_probability += h.log_probability;
      all.cut_off = all.cut_off || !h.finished;
    }
    all.log_probability = static_cast<float>(log_probability);
    return all;
  }

 private:
  // What goes before the part's translation, behind those so far.
  std::string_view between(size_t part, std::string_view so_far) const {
    const TextRange gap{parts_[part - 1].range.end, parts_[part].range.begin};
    if (gap.begin < gap.end) return gap.of(source_);
    const bool lacks_space =
        ends_wide(source_.substr(0, gap.begin)) && !ends_wide(so_far);
    return lacks_space ? " " : "";
  }

  void append(Translation& all, const FoundPart& part,
              const Hypothesis& h) const {
    JoinedText joined = target_.decode_pieces(h.ids);
    std::replace(joined.text.begin(), joined.text.end(), '\n', ' ');
    for (size_t i = 0; i < part.given.size(); ++i) {
      if (!part.given[i].empty()) put_word(joined, i, part.given[i]);
    }
    if (options_.unknown_words != nullptr) {
      replace_unknown(joined, {target_.unknown(), part.given.size()},
                      {part.range.of(source_), part.tokens, h.weights},
                      *options_.unknown_words);
    }
    TranslatedPart added;
    added.target = moved(joined.pieces, static_cast<int>(all.text.size()));
    added.log_probabilities = h.log_probabilities;
    if (options_.all.search.want_weights) {
      added.source = moved(part.tokens, part.range.begin);
      added.weights = h.weights;
    }
    all.parts.push_back(std::move(added));
    all.text += joined.text;
  }

  static std::vector<Piece> moved(std::vector<Piece> pieces, int by) {
    for (Piece& piece : pieces) {
      piece.begin += by;
      piece.end += by;
    }
    return pieces;
  }

  const std::string_view source_;
  const std::span<const FoundPart> parts_;
  const Tokenizer& target_;
  const TranslateOptions& options_;
};

}  // namespace

std::vector<Translation> stitch(std::string_view source,
                                std::span<const FoundPart> parts,
                                const Tokenizer& target,
                                const TranslateOptions& options) {
  const Stitcher stitcher(source, parts, target, options);
  const auto wanted = static_cast<size_t>(options.all.search.n_best);
  size_t most = wanted;
  for (const FoundPart& part : parts) {
    most = std::max(most, part.hypotheses.size());
  }
  if (parts.size() > 1) most *= kSpare;
  std::vector<Translation> all;
  std::set<std::string> texts;
  for (const PartChoice& choice : best_choices(parts, most)) {
    if (all.size() == wanted) break;
    Translation one = stitcher.make(choice);
    // The same words cut into other tokens are no alternative.
    const bool is_new = texts.insert(spaced_once(one.text)).second;
    if (is_new || options.all.search.sample) all.push_back(std::move(one));
  }
  return all;
}

}  // namespace fovea
