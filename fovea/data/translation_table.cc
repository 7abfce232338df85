#include "fovea/data/translation_table.h"

#include <algorithm>
#include <limits>

#include "fovea/base/check.h"
#include "fovea/base/parallel.h"

namespace fovea {
namespace {

// In which pairs each source word occurs, one list after another.
struct Occurrences {
  std::vector<size_t> begins;
  std::vector<int64_t> pairs;

  std::span<const int64_t> of(int word) const {
    return {pairs.data() + begins[word], begins[word + 1] - begins[word]};
  }
};

// Calls fn(word) once for each word that the lists name.
class Distinct {
 public:
  explicit Distinct(int words) : seen_(words, -1) {}

  template <class Fn>
  void each(std::span<const int> words, int64_t round, const Fn& fn) {
    for (const int word : words) {
      if (seen_[word] == round) continue;
      seen_[word] = round;
      fn(word);
    }
  }

 private:
  std::vector<int64_t> seen_;  // in which round
};

Occurrences occurrences_of(const Sentences& from,
                           std::span<const int64_t> pairs) {
  Occurrences all;
  all.begins.assign(from.id_count() + 1, 0);
  Distinct counted(from.id_count()), placed(from.id_count());
  for (const int64_t pair : pairs) {
    counted.each(from[pair], pair, [&](int word) { ++all.begins[word + 1]; });
  }
  for (int i = 0; i < from.id_count(); ++i) all.begins[i + 1] += all.begins[i];
  all.pairs.resize(all.begins.back());
  std::vector<size_t> next = all.begins;
  for (const int64_t pair : pairs) {
    placed.each(from[pair], pair,
                [&](int word) { all.pairs[next[word]++] = pair; });
  }
  return all;
}

}  // namespace

TranslationTable::TranslationTable(const Sentences& from, const Sentences& to,
                                   std::span<const int64_t> pairs) {
  const Occurrences where = occurrences_of(from, pairs);
  const auto lists = [&](int row) {
    return row == 0 ? pairs : where.of(row - 1);
  };
  rows_.resize(from.id_count() + 1);
  Distinct counted(to.id_count());
  size_t total = 0;
  for (int r = 0; r < row_count(); ++r) {
    Row& row = rows_[r];
    for (const int64_t pair : lists(r)) {
      counted.each(to[pair], r, [&](int) { ++row.words; });
    }
    // Two thirds full: few steps, little waste.
    row.begin = static_cast<uint32_t>(total);
    row.size = static_cast<uint32_t>(row.words + row.words / 2 + 1);
    total += row.size;
    if (total > std::numeric_limits<uint32_t>::max()) {
      fail(ErrorKind::kResource, "too many pairs of words to align");
    }
  }
  target_words_ = rows_[0].words;
  slots_.resize(total);
  const float same = 1.0f / static_cast<float>(std::max(1, target_words_));
  Distinct added(to.id_count());
  for (int r = 0; r < row_count(); ++r) {
    for (const int64_t pair : lists(r)) {
      added.each(to[pair], r, [&](int word) {
        slots_[find(rows_[r], word)] = {.word = word, .probability = same};
      });
    }
  }
}

float TranslationTable::probability(int from, int to) const {
  if (from < kNull || from + 1 >= row_count() || to < 0) return 0;
  const Slot& slot = slots_[find(row(from), to)];
  return slot.word == to ? slot.probability : 0;
}

int64_t TranslationTable::size() const {
  int64_t words = 0;
  for (const Row& row : rows_) words += row.words;
  return words;
}

}  // namespace fovea
