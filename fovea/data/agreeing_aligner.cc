#include "fovea/data/agreeing_aligner.h"

#include <algorithm>

#include "fovea/base/parallel.h"
#include "fovea/data/aligner_steps.h"

namespace fovea {
namespace {

// Computed at a time: few enough to stay in the caches.
constexpr size_t kBlockCells = size_t{1} << 16;

Lengths lengths_of(std::span<const int> from, std::span<const int> to) {
  return {static_cast<int>(from.size()), static_cast<int>(to.size())};
}

// The likeliest row of each column, unless it is the first.
WordLinks best_rows(const HmmPosterior& posterior, const Lengths& of) {
  WordLinks links;
  for (int j = 0; j < of.target; ++j) {
    int best = 0;
    for (int i = 1; i <= of.source; ++i) {
      if (posterior.links[i * of.target + j] >
          posterior.links[best * of.target + j]) {
        best = i;
      }
    }
    if (best > 0) links.emplace_back(best - 1, j);
  }
  return links;
}

}  // namespace

// One round of learning.
class AgreeingAligner::Round {
 public:
  Round(AgreeingAligner& aligner, const Sentences& source,
        const Sentences& target)
      : aligner_(aligner), text_{&source, &target} {}

  void run(std::span<const int64_t> pairs, std::optional<double> alpha) {
    for (size_t begin = 0; begin < pairs.size();) {
      begin += take(pairs.subspan(begin));
      parallel_for(std::ssize(block_), 16, [&](int64_t first, int64_t end) {
        for (int64_t i = first; i < end; ++i) compute(block_[i]);
      });
      const int parts = thread_limit();
      parallel_tasks(parts, [&](int64_t part, int) {
        for (int d : {0, 1}) add_counts(d, static_cast<int>(part), parts);
      });
      for (const Pair& pair : block_) add_jumps(pair);
    }
    for (int d : {0, 1}) {
      maximise(aligner_.sides_[d].table, alpha);
      aligner_.sides_[d].jumps.fit(jumps_[d]);
    }
  }

  double log_likelihood() const { return log_likelihood_; }  // of both

 private:
  struct Pair {
    int64_t number = 0;
    std::vector<uint32_t> slots[2];
    HmmPosterior posterior[2];
  };

  std::span<const int> from(const Pair& p, int d) const {
    return (*text_[d])[p.number];
  }
  std::span<const int> to(const Pair& p, int d) const {
    return (*text_[1 - d])[p.number];
  }

  size_t take(std::span<const int64_t> pairs) {
    block_.clear();
    size_t cells = 0;
    for (size_t i = 0; i < pairs.size() && cells < kBlockCells; ++i) {
      block_.emplace_back().number = pairs[i];
      cells += from(block_.back(), 0).size() * to(block_.back(), 0).size();
    }
    return block_.size();
  }

  void compute(Pair& pair) const {
    for (int d : {0, 1}) {
      const Side& side = aligner_.sides_[d];
      std::vector<float> words;
      const auto add_row = [&](int word) {
        const TranslationTable::Row& row = side.table.row(word);
        for (const int t : to(pair, d)) {
          pair.slots[d].push_back(side.table.find(row, t));
          words.push_back(side.table[pair.slots[d].back()].probability);
        }
      };
      add_row(TranslationTable::kNull);
      for (const int word : from(pair, d)) add_row(word);
      pair.posterior[d] =
          hmm_posterior({lengths_of(from(pair, d), to(pair, d)), words,
                         side.jumps, aligner_.null_probability_});
    }
    agree(pair);
  }

  void agree(Pair& pair) const {
    const size_t n = from(pair, 0).size(), m = to(pair, 0).size();
    for (size_t i = 0; i < n; ++i) {
      for (size_t j = 0; j < m; ++j) {
        float& a = pair.posterior[0].links[(i + 1) * m + j];
        float& b = pair.posterior[1].links[(j + 1) * n + i];
        a = b = a * b;
      }
    }
  }

  // Of the rows that belong to this part; each row has one part.
  void add_counts(int d, int part, int parts) {
    TranslationTable& table = aligner_.sides_[d].table;
    for (const Pair& pair : block_) {
      const std::span<const int> words = from(pair, d);
      const size_t m = to(pair, d).size();
      for (size_t i = 0; i <= words.size(); ++i) {
        if ((i == 0 ? 0 : words[i - 1] + 1) % parts != part) continue;
        for (size_t at = i * m; at < (i + 1) * m; ++at) {
          table[pair.slots[d][at]].count += pair.posterior[d].links[at];
        }
      }
    }
  }

  void add_jumps(const Pair& pair) {
    for (int d : {0, 1}) {
      const HmmPosterior& found = pair.posterior[d];
      for (int i = 0; i < Jumps::kSlots; ++i) jumps_[d][i] += found.jumps[i];
      log_likelihood_ += found.log_likelihood;
    }
  }

  AgreeingAligner& aligner_;
  const Sentences* text_[2];
  std::vector<Pair> block_;
  std::array<double, Jumps::kSlots> jumps_[2] = {};
  double log_likelihood_ = 0;
};

AgreeingAligner AgreeingAligner::train(
    const Sentences& source, const Sentences& target,
    const AlignerConfig& config, int rounds,
    const std::function<void(const AlignerStep&)>& after) {
  AgreeingAligner aligner(
      {WordAligner::train(source, target, config, after).take_table()},
      {WordAligner::train(target, source, config, after).take_table()},
      config.null_probability);
  const std::vector<int64_t> pairs =
      usable_pairs(source, target, config.max_words);
  for (int r = 1; r <= rounds; ++r) {
    Round round(aligner, source, target);
    round.run(pairs, config.variational_bayes ? std::optional(config.alpha)
                                              : std::nullopt);
    if (after) {
      after({.iteration = r, .log_likelihood = round.log_likelihood()});
    }
  }
  return aligner;
}

AgreeingAligner::Links AgreeingAligner::align(
    std::span<const int> source, std::span<const int> target) const {
  if (source.empty() || target.empty()) return {};
  WordLinks found[2];
  for (int d : {0, 1}) {
    const std::span<const int> from = d == 0 ? source : target;
    const std::span<const int> to = d == 0 ? target : source;
    const Side& side = sides_[d];
    std::vector<float> words;
    const auto add_row = [&](int word) {
      for (const int t : to) {
        words.push_back(
            std::max(kLeastProbability, side.table.probability(word, t)));
      }
    };
    add_row(TranslationTable::kNull);
    // -1 is a word that nobody knows, but also the one that stands for none.
    for (const int word : from)
      add_row(word < 0 ? side.table.row_count() : word);
    const Lengths of = lengths_of(from, to);
    found[d] = best_rows(
        hmm_posterior({of, words, side.jumps, null_probability_}), of);
  }
  for (auto& [first, second] : found[1]) std::swap(first, second);
  return {std::move(found[0]), std::move(found[1])};
}

}  // namespace fovea
