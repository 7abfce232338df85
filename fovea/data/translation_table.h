#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "fovea/data/sentences.h"

namespace fovea {

// The probability of a target word given a source word, for every two words
// that occur in a pair of sentences, and for every target word given none. Each
// source word has a small hash table of its own, so that a sentence's lookups
// lie close together; slots are numbered through all of them.
class TranslationTable {
 public:
  static constexpr int kNull = -1;  // the source word that stands for none

  struct Slot {
    int word = -1;  // target; -1: empty
    float probability = 0;
    float count = 0;
  };

  struct Row {
    uint32_t begin = 0, size = 0;  // slots
    int words = 0;                 // used ones
  };

  // Of the pairs of sentences named. All probabilities are alike.
  TranslationTable(const Sentences& from, const Sentences& to,
                   std::span<const int64_t> pairs);

  const Row& row(int from) const { return rows_[from + 1]; }
  int row_count() const { return static_cast<int>(rows_.size()); }
  std::span<const Slot> slots(const Row& row) const {
    return {slots_.data() + row.begin, row.size};
  }
  std::span<Slot> slots(const Row& row) {
    return {slots_.data() + row.begin, row.size};
  }
  Slot& operator[](uint32_t slot) { return slots_[slot]; }
  const Slot& operator[](uint32_t slot) const { return slots_[slot]; }

  // The slot of a word that is in the row, or the empty one where it would be.
  uint32_t find(const Row& row, int to) const {
    uint32_t at = home(row, to);
    while (slots_[at].word != to && slots_[at].word >= 0) {
      at = at + 1 == row.begin + row.size ? row.begin : at + 1;
    }
    return at;
  }

  // 0 for words that never met, or that nobody knows.
  float probability(int from, int to) const;

  int64_t size() const;  // pairs of words
  int target_words() const { return target_words_; }

 private:
  // The multiplier spreads ids; its upper bits choose the slot.
  static uint32_t home(const Row& row, int to) {
    const uint32_t hash = static_cast<uint32_t>(to) * 0x9e3779b1u;
    return row.begin + static_cast<uint32_t>(uint64_t{hash} * row.size >> 32);
  }

  std::vector<Row> rows_;  // none first
  std::vector<Slot> slots_;
  int target_words_ = 0;
};

}  // namespace fovea
