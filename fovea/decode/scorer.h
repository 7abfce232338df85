#pragma once

#include <optional>
#include <span>
#include <vector>

#include "fovea/attend/trace.h"
#include "fovea/decode/search.h"
#include "fovea/decode/search_watch.h"

namespace fovea {

// What models say of the next word of hypotheses, one row each. First there is
// one hypothesis for each source.
class Scorer {
 public:
  Scorer(std::span<const Seq2Seq* const> models,
         std::span<const SearchSource> sources, const SearchConfig& config);

  // Reads the last word of each hypothesis, or at the beginning the begin mark.
  void read(std::span<const int> last);
  // Then, for the next word: scores [rows, columns], whose logarithm of the sum
  // of exponentials is normalisers()[row]. What a row lacks is minus infinity.
  Tensor& scores() { return scores_; }
  const Tensor& scores() const { return scores_; }
  float log_probability(int row, int column) const;
  const std::vector<float>& normalisers() const { return normalisers_; }
  int word(int row, int column) const;
  // -1 if the row's sentence may not have this word.
  int column(int row, int word) const;
  // The words with the best scores, as they are now, best first.
  std::vector<SearchStep::Choice> likeliest(int row, int count) const;
  // Attention of the step over the row's source; empty if there is none.
  std::vector<float> weights(int row) const;

  // Hypotheses in another order; some may go, others come twice.
  void keep(std::span<const int> rows);

 private:
  void normalise();
  Tensor own_words(const Tensor& of_all) const;

  std::span<const Seq2Seq* const> models_;
  std::span<const SearchSource> sources_;
  std::vector<State> states_;  // of each model
  std::vector<int> source_;    // of each hypothesis
  std::vector<int> words_;     // that some sentence may have; empty: all
  std::vector<std::vector<int>> places_;  // of each sentence's words in words_
  std::vector<Linear> outputs_;           // of each model, for words_
  std::optional<Trace> trace_;
  Tensor scores_;
  std::vector<int> lengths_;  // columns of each row that count
  std::vector<float> normalisers_;
};

}  // namespace fovea
