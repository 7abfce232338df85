#include "fovea/data/long_text.h"

#include <algorithm>

#include "fovea/base/unicode.h"
#include "fovea/base/words.h"
#include "fovea/data/sentence_split.h"

namespace fovea {
namespace {

using Ranges = std::vector<TextRange>;

Ranges places(std::string_view text,
              const std::vector<std::string_view>& parts) {
  Ranges ranges;
  for (const std::string_view part : parts) {
    const auto begin = static_cast<int>(part.data() - text.data());
    ranges.push_back({begin, begin + static_cast<int>(part.size())});
  }
  return ranges;
}

Ranges words_of(std::string_view text) {
  return places(text, split_words(text));
}

Ranges graphemes_of(std::string_view text) {
  return places(text, graphemes(text));
}

Ranges code_points_of(std::string_view text) {
  Ranges ranges;
  for (int at = 0; at < static_cast<int>(text.size());) {
    const auto bytes = static_cast<int>(code_point_bytes(text.substr(at)));
    ranges.push_back({at, at + bytes});
    at += bytes;
  }
  return ranges;
}

// From the best places to cut to the worst.
constexpr Ranges (*kWays[])(std::string_view) = {
    split_sentences, split_clauses, words_of, graphemes_of, code_points_of};
constexpr size_t kLastWay = std::size(kWays) - 1;

class Cutter {
 public:
  Cutter(std::string_view text, int most, const CountTokens& count)
      : text_(text), most_(most), count_(count) {}

  Ranges run() {
    cut({0, static_cast<int>(text_.size())}, 0);
    return std::move(parts_);
  }

 private:
  bool fits(const TextRange& range) const {
    return count_(range.of(text_)) <= most_;
  }

  void cut(const TextRange& range, size_t way) {
    const bool sentences = way == 0;
    if (fits(range)) {
      parts_.push_back(range);
      return;
    }
    Ranges pieces = kWays[way](range.of(text_));
    for (TextRange& piece : pieces) {
      piece.begin += range.begin;
      piece.end += range.begin;
    }
    for (size_t first = 0; first < pieces.size();) {
      const size_t fitting = sentences ? 0 : fitting_from(pieces, first);
      if (fitting > 0) {
        parts_.push_back(joined(pieces, first, fitting));
      } else if (way < kLastWay) {
        cut(pieces[first], way + 1);
      } else {
        parts_.push_back(pieces[first]);
      }
      first += std::max<size_t>(1, fitting);
    }
  }

  static TextRange joined(const Ranges& pieces, size_t first, size_t count) {
    return {pieces[first].begin, pieces[first + count - 1].end};
  }

  // How many pieces from there fit into a part; found by doubling, then halving
  // what is left, since tokens can only be counted for a whole.
  size_t fitting_from(const Ranges& pieces, size_t first) const {
    const size_t most = pieces.size() - first;
    size_t good = 0, step = 1;
    const auto fit = [&](size_t count) {
      return count <= most && fits(joined(pieces, first, count));
    };
    for (; fit(good + step); step *= 2) good += step;
    for (; step > 0; step /= 2) {
      while (fit(good + step)) good += step;
    }
    return good;
  }

  const std::string_view text_;
  const int most_;  // tokens of a part
  const CountTokens& count_;
  Ranges parts_;
};

}  // namespace

std::vector<TextRange> cut_long_text(std::string_view text, int most,
                                     const CountTokens& count) {
  return Cutter(text, most, count).run();
}

}  // namespace fovea
