#pragma once

#include <algorithm>
#include <concepts>
#include <limits>
#include <memory>
#include <type_traits>
#include <utility>

#include "fovea/kernels/dual.h"
#include "fovea/kernels/score_function.h"

namespace fovea::kernels {

// Which score is asked about. Positions count from the first key of the
// sequence: the query sees the keys before it at smaller ones.
struct ScoreAt {
  int sequence;            // index of its span
  int head;                // of the queries
  int query, key;          // positions
  int query_row, key_row;  // rows of q and of k
};

// The callables that stand for nothing.
struct KeepScore {
  template <class T>
  T operator()(T score, const ScoreAt&) const {
    return score;
  }
};
struct SeeAll {
  bool operator()(const ScoreAt&) const { return true; }
};
struct SkipNone {
  bool operator()(const ScoreAt&, const ScoreAt&) const { return false; }
};

// See custom_score().
template <class Change, class Mask, class Skip>
class CustomScore final : public ScoreFunction {
 public:
  CustomScore(Change change, Mask mask, Skip skip)
      : change_(std::move(change)),
        mask_(std::move(mask)),
        skip_(std::move(skip)) {}

  void hide(const ScoreTile& tile) const override {
    if constexpr (std::is_same_v<Mask, SeeAll>) {
      std::fill_n(tile.holes, tile.rows, false);
    } else {
      if (skips(tile)) {
        std::fill_n(tile.keys, tile.rows, KeyRange{0, 0});
        return;
      }
      for (int r = 0; r < tile.rows; ++r) hide_in_row(tile, r);
    }
  }

  void change(const ScoreTile& tile) const override {
    for (int r = 0; r < tile.rows; ++r) {
      tile.slopes ? change_row<true>(tile, r) : change_row<false>(tile, r);
    }
  }

 private:
  // Pairs that are worked on at a time, in arrays of our own: no pointer that a
  // callable holds can point there, so that compilers use SIMD.
  static constexpr int kChunk = 32;

  // Calls fn(first column, count); count is a constant but for the last.
  template <class Fn>
  static void for_chunks(KeyRange keys, const Fn& fn) {
    int j = keys.begin;
    for (; j + kChunk <= keys.end; j += kChunk) {
      fn(j, std::integral_constant<int, kChunk>());
    }
    if (j < keys.end) fn(j, keys.end - j);
  }

  static ScoreAt at(const ScoreTile& tile, int r, int j) {
    return {tile.sequence, tile.head,          tile.query + r,
            tile.key + j,  tile.query_row + r, tile.key_row + j};
  }

  bool skips(const ScoreTile& tile) const {
    KeyRange all{0, 0};
    for (int r = 0; r < tile.rows; ++r) all = all.joined(tile.keys[r]);
    return all.empty() ||
           skip_(at(tile, 0, all.begin), at(tile, tile.rows - 1, all.end - 1));
  }

  void hide_in_row(const ScoreTile& tile, int r) const {
    KeyRange seen{0, 0};
    int count_seen = 0;
    const auto sees = [&](int j) { return mask_(at(tile, r, j)); };
    for_chunks(tile.keys[r], [&](int first, auto count) {
      int sum = 0;
      for (int x = 0; x < count; ++x) sum += sees(first + x);
      if (sum == 0) return;
      count_seen += sum;
      int begin = first, end = first + count;
      while (!sees(begin)) ++begin;
      while (!sees(end - 1)) --end;
      seen = seen.joined({begin, end});
    });
    tile.keys[r] = seen;
    tile.holes[r] = count_seen != seen.end - seen.begin;
  }

  template <bool kSlopes>
  void change_row(const ScoreTile& tile, int r) const {
    float* scores = tile.scores + r * tile.stride;
    float* slopes = tile.slopes + (kSlopes ? r * tile.stride : 0);
    for_chunks(tile.keys[r], [&](int first, auto count) {
      float s[kChunk], slope[kChunk];
      for (int x = 0; x < count; ++x) s[x] = scores[first + x];
      for (int x = 0; x < count; ++x) {
        const ScoreAt place = at(tile, r, first + x);
        if constexpr (kSlopes) {
          const Dual<float> y = change_(Dual<float>(s[x], 1.0f), place);
          s[x] = y.value * tile.unit;
          slope[x] = y.slope;
        } else {
          s[x] = static_cast<float>(change_(s[x], place)) * tile.unit;
        }
      }
      if (tile.holes[r]) {
        for (int x = 0; x < count; ++x) {
          const bool sees = mask_(at(tile, r, first + x));
          s[x] = sees ? s[x] : -std::numeric_limits<float>::infinity();
          if constexpr (kSlopes) slope[x] = sees ? slope[x] : 0.0f;
        }
      }
      for (int x = 0; x < count; ++x) scores[first + x] = s[x];
      if constexpr (kSlopes) {
        for (int x = 0; x < count; ++x) slopes[first + x] = slope[x];
      }
    });
  }

  Change change_;
  Mask mask_;
  Skip skip_;
};

// Works on numbers and on dual numbers.
template <class Fn>
concept ChangesScores = requires(const Fn& fn, float score, Dual<float> dual,
                                 ScoreAt at) {
  { fn(score, at) } -> std::convertible_to<float>;
  { fn(dual, at) } -> std::convertible_to<Dual<float>>;
};

// Attention of your own, in the fused kernels, forward and backward.
//
//   change(score, at) -> the score to use in its place. Generic in the type of
//     the score (`auto`): backward evaluates it on dual numbers, which gives
//     its derivative. The score is scaled, and biased if that is asked for.
//   mask(at) -> whether the query sees the key. What causal and windows hide
//     stays hidden; let those options hide what they can, they cost nothing.
//   skip(first, last) -> true if no query from first.query to last.query sees
//     any key from first.key to last.key. Not needed: it spares asking the mask
//     about each pair of a tile, which counts where most tiles are hidden.
//
// They are called in a loop over a tile that compilers turn into SIMD (-O2 will
// do) if all they do is to calculate and to compare. std::exp and the like run
// one by one, and then take longer than the products. In a mask, read memory
// before what follows &&, or use &: what is read on a condition only, SIMD
// cannot read.
//
// Several threads call them at once. They must not throw, and what they refer
// to must outlive the backward pass; what they hold by value does. A hidden key
// adds nothing to a sum, but if it stands between two that are seen, its value
// must be finite.
template <ChangesScores Change, std::predicate<ScoreAt> Mask = SeeAll,
          std::predicate<ScoreAt, ScoreAt> Skip = SkipNone>
std::shared_ptr<const ScoreFunction> custom_score(Change change, Mask mask = {},
                                                  Skip skip = {}) {
  return std::make_shared<CustomScore<Change, Mask, Skip>>(
      std::move(change), std::move(mask), std::move(skip));
}

}  // namespace fovea::kernels
