#pragma once

#include <vector>

#include "fovea/decode/hypothesis.h"

namespace fovea {

// What a step of a search has found for one sentence.
struct SearchStep {
  struct Choice {
    int word;
    float probability;
  };
  const Hypothesis& best;  // so far, with weights if they are asked for
  // Where one hypothesis is followed alone: no word of it is taken back.
  bool certain;
  // Then the likeliest words that this step could choose from, best first.
  std::vector<Choice> choices;
};

// Follows a search while it runs, on the search's thread. Sentences are counted
// as in the call of the search. A search without one does nothing for it.
class SearchWatch {
 public:
  virtual ~SearchWatch() = default;

  // Asked after each step: true ends the search for a sentence, which then has
  // no hypotheses and is not said to be finished.
  virtual bool stops(int sentence) = 0;
  // Whether step() is to be told of this sentence.
  virtual bool follows(int sentence) = 0;
  virtual void step(int sentence, const SearchStep& step) = 0;
  // At once, while the search for others goes on.
  virtual void finished(int sentence, const std::vector<Hypothesis>& found) = 0;
};

}  // namespace fovea
