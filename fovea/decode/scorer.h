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
  const Tensor& scores() const { return scores_; }
  std::span<float> row_scores(int row) const;  // to be changed
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
  // Sentences that are scored together, for all words that any of them has.
  struct Group {
    std::vector<int> words;       // sorted
    std::vector<Linear> outputs;  // of each model, for the words
  };
  struct Listed {  // a sentence's words
    int group;
    std::vector<int> places;  // in the group's
  };

  void list_words();
  void normalise();
  Tensor own_words(size_t model, const Var& hidden) const;

  std::span<const Seq2Seq* const> models_;
  std::span<const SearchSource> sources_;
  std::vector<State> states_;   // of each model
  std::vector<int> source_;     // of each hypothesis
  std::vector<Group> groups_;   // none: all words are scored
  std::vector<Listed> listed_;  // of each sentence, where there are groups
  std::optional<Trace> trace_;
  Tensor scores_;
  std::vector<int> lengths_;  // columns of each row that count
  std::vector<float> normalisers_;
};

}  // namespace fovea
