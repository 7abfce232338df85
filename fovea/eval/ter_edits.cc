#include "fovea/eval/ter_edits.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <tuple>
#include <vector>

namespace fovea {
namespace {

// Tercom's limits, and the number of moves tried that sacreBLEU adds.
constexpr int kMostMoved = 10, kMostDistance = 50, kBeam = 25,
              kMostTries = 1000;
constexpr int kInfinity = 1 << 29;

// Levenshtein distances of a text's beginnings (rows) to a reference's
// (columns), computed near the diagonal only. All texts have the same length:
// moves do not change it.
class BeamDistance {
 public:
  BeamDistance(std::span<const int> reference, size_t length)
      : reference_(reference.begin(), reference.end()),
        length_(static_cast<int>(length)),
        columns_(static_cast<int>(reference.size()) + 1),
        rows_(static_cast<size_t>(length_ + 1) * columns_),
        last_(columns_),
        now_(columns_) {
    for (int j = 0; j < columns_; ++j) rows_[j] = j;
  }

  // Keeps all rows of this text.
  int compute(std::span<const int> words) {
    for (int i = 1; i <= length_; ++i) {
      fill_row(i, words[i - 1], row(i - 1), row(i));
    }
    return row(length_)[columns_ - 1];
  }

  // The distance of a text that begins with `same` words of the kept one.
  int distance(std::span<const int> words, int same) {
    std::copy_n(row(same), columns_, last_.begin());
    for (int i = same + 1; i <= length_; ++i) {
      fill_row(i, words[i - 1], last_.data(), now_.data());
      std::swap(last_, now_);
    }
    return last_[columns_ - 1];
  }

  // The word of the kept text that each word of the reference stands at (-1:
  // before the first), and which words are wrong.
  struct Alignment {
    std::vector<int> word_at;
    std::vector<char> wrong_word, wrong_reference;
  };
  Alignment align(std::span<const int> words) const;

 private:
  int* row(int i) { return rows_.data() + static_cast<size_t>(i) * columns_; }
  const int* row(int i) const {
    return rows_.data() + static_cast<size_t>(i) * columns_;
  }

  void fill_row(int i, int word, const int* above, int* out) const {
    const double ratio = double(columns_ - 1) / length_;
    // So that rows overlap even if the reference is very much longer.
    const int beam = kBeam < ratio / 2
                         ? static_cast<int>(std::ceil(ratio / 2 + kBeam))
                         : kBeam;
    const int diagonal = static_cast<int>(std::floor(i * ratio));
    const int begin = std::max(0, diagonal - beam);
    const int end =
        i == length_ ? columns_ : std::min(columns_, diagonal + beam);
    std::fill_n(out, columns_, kInfinity);
    for (int j = begin; j < end; ++j) {
      int best = above[j] + 1;
      if (j > 0) {
        best = std::min(
            {best, above[j - 1] + (word != reference_[j - 1]), out[j - 1] + 1});
      }
      out[j] = std::min(best, kInfinity);
    }
  }

  std::vector<int> reference_;
  int length_, columns_;
  std::vector<int> rows_, last_, now_;
};

BeamDistance::Alignment BeamDistance::align(std::span<const int> words) const {
  int i = length_, j = columns_ - 1;
  Alignment alignment{std::vector<int>(j), std::vector<char>(i),
                      std::vector<char>(j)};
  // From the end. Of ways that cost the same, first keep or replace, then leave
  // out a word of the text, then put in one of the reference.
  while (i > 0 || j > 0) {
    const bool both = i > 0 && j > 0;
    const bool wrong = both && words[i - 1] != reference_[j - 1];
    const int cost = row(i)[j];
    if (both && row(i - 1)[j - 1] + wrong == cost) {
      --i, --j;
      alignment.word_at[j] = i;
      alignment.wrong_word[i] = alignment.wrong_reference[j] = wrong;
    } else if (i > 0 && row(i - 1)[j] + 1 == cost) {
      alignment.wrong_word[--i] = true;
    } else {
      alignment.word_at[--j] = i - 1;
      alignment.wrong_reference[j] = true;
    }
  }
  return alignment;
}

// A block of words of the text that the reference has elsewhere.
struct Block {
  int begin, reference, length;
};

// Puts the block before word `target` of the text, counted as sacreBLEU does
// when that lies inside the block. `words` is a copy of the text.
void move_block(std::vector<int>& words, const Block& block, int target) {
  const auto begin = words.begin() + block.begin;
  const auto end = begin + block.length;
  if (target < block.begin) {
    std::rotate(words.begin() + target, begin, end);
    return;
  }
  const bool inside = target <= block.begin + block.length;
  const int64_t stop = target + (inside ? block.length : 0);
  std::rotate(begin, end,
              words.begin() + std::min(stop, int64_t(words.size())));
}

bool any(const std::vector<char>& flags, int begin, int length) {
  const auto from = flags.begin() + begin;
  return std::find(from, from + length, char{true}) != from + length;
}

// Looks for the move that helps most.
class MoveSearch {
 public:
  MoveSearch(std::span<const int> words, std::span<const int> reference)
      : words_(words.begin(), words.end()),
        reference_(reference),
        beam_(reference, words.size()) {}

  int edits() {
    int moves = 0;
    while (move_once()) ++moves;
    return moves + beam_.compute(words_);
  }

 private:
  // What a move is judged by: the edits it saves, then a long block, an early
  // one, and an early place.
  using Rank = std::tuple<int, int, int, int>;

  bool move_once() {
    before_ = beam_.compute(words_);
    alignment_ = beam_.align(words_);
    best_.reset();
    try_blocks();
    if (tries_ >= kMostTries || !best_ || std::get<0>(*best_) <= 0) {
      return false;
    }
    words_ = best_words_;
    return true;
  }

  void try_blocks() {
    const auto words = static_cast<int>(words_.size());
    const auto references = static_cast<int>(reference_.size());
    for (int begin = 0; begin < words; ++begin) {
      const int last = std::min(references - 1, begin + kMostDistance);
      for (int r = std::max(0, begin - kMostDistance); r <= last; ++r) {
        const int most = std::min({kMostMoved, words - begin, references - r});
        for (int n = 1; n <= most; ++n) {
          if (words_[begin + n - 1] != reference_[r + n - 1]) break;
          if (is_candidate({begin, r, n})) try_places({begin, r, n});
          if (tries_ >= kMostTries) return;
        }
      }
    }
  }

  // Something must be wrong at both places, and they must differ.
  bool is_candidate(const Block& block) const {
    const int at = alignment_.word_at[block.reference];
    return any(alignment_.wrong_word, block.begin, block.length) &&
           any(alignment_.wrong_reference, block.reference, block.length) &&
           (at < block.begin || at >= block.begin + block.length);
  }

  void try_places(const Block& block) {
    int last = -1;
    for (int offset = -1; offset < block.length; ++offset) {
      const int reference = block.reference + offset;
      const int target = reference < 0 ? 0 : alignment_.word_at[reference] + 1;
      if (target == last) continue;
      last = target;
      try_move(block, target);
    }
  }

  void try_move(const Block& block, int target) {
    trial_ = words_;
    move_block(trial_, block, target);
    const int after = beam_.distance(trial_, std::min(block.begin, target));
    const Rank rank{before_ - after, block.length, -block.begin, -target};
    if (!best_ || rank > *best_) {
      best_ = rank;
      best_words_ = trial_;
    }
    ++tries_;
  }

  std::vector<int> words_;
  std::span<const int> reference_;
  BeamDistance beam_;
  BeamDistance::Alignment alignment_;
  int before_ = 0, tries_ = 0;
  std::optional<Rank> best_;
  std::vector<int> best_words_, trial_;
};

}  // namespace

int ter_edits(std::span<const int> words, std::span<const int> reference) {
  if (reference.empty()) return static_cast<int>(words.size());
  if (words.empty()) return static_cast<int>(reference.size());
  return MoveSearch(words, reference).edits();
}

}  // namespace fovea
