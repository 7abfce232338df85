#pragma once

#include <functional>
#include <span>
#include <vector>

#include "fovea/data/pharaoh.h"
#include "fovea/data/sentences.h"
#include "fovea/data/translation_table.h"

namespace fovea {

struct AlignerConfig {
  int ibm1_iterations = 5;
  int diagonal_iterations = 5;
  double null_probability = 0.08;
  double tension = 4;
  bool optimise_tension = true;
  bool variational_bayes = true;
  double alpha = 0.01;
  int max_words = 256;

  void fields(auto&& field) {
    field("ibm1-iterations", ibm1_iterations,
          "rounds that look at words only (IBM model 1)");
    field("diagonal-iterations", diagonal_iterations,
          "rounds that also prefer places near the diagonal");
    field("null-probability", null_probability,
          "how likely a target word comes from no source word");
    field("tension", tension, "how near the diagonal, at the start");
    field("optimise-tension", optimise_tension, "fit the tension to the data");
    field("variational-bayes", variational_bayes,
          "let rare words have few translations, in the later rounds");
    field("alpha", alpha, "the smaller, the fewer (with variational_bayes)");
    field("max-words", max_words,
          "longer sentences are not learned from (they can be aligned)");
  }
};

// After a round of learning.
struct AlignerStep {
  int iteration = 0;  // from 1
  bool diagonal = false;
  double log_likelihood = 0;  // of the target words, before the round's change
  double tension = 0;         // after it
};

// A translation of a word and its probability.
struct WordTranslation {
  int word = 0;
  float probability = 0;
};

// Learns from pairs of sentences which words translate each other: IBM model 1
// (Brown et al. 1993), then a model that prefers the diagonal (Dyer, Chahuneau,
// Smith 2013). Each target word has one source word or none. The result does
// not depend on the number of threads. Immutable, so threads may share one.
class WordAligner {
 public:
  // Sentence i of `source` belongs to sentence i of `target`.
  static WordAligner train(
      const Sentences& source, const Sentences& target,
      const AlignerConfig& config = {},
      const std::function<void(const AlignerStep&)>& after = {});

  // The best source word of each target word that has one, by target. Ids that
  // were never seen can only stand where the diagonal is.
  WordLinks align(std::span<const int> source,
                  std::span<const int> target) const;

  // The likeliest translations, the best first; none for an unknown word.
  std::vector<WordTranslation> translations(int source, int most) const;
  float probability(int source, int target) const {
    return table_.probability(source, target);
  }

  // What it learned, for others to go on with.
  TranslationTable take_table() && { return std::move(table_); }
  double tension() const { return tension_; }
  int64_t table_size() const { return table_.size(); }

 private:
  WordAligner(TranslationTable table, const AlignerConfig& config)
      : table_(std::move(table)), config_(config), tension_(config.tension) {}

  TranslationTable table_;
  AlignerConfig config_;
  double tension_;
};

}  // namespace fovea
