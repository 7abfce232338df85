#pragma once

#include <cstdint>
#include <vector>

#include "fovea/base/fields.h"

namespace fovea {

// How translations are searched for (SPEC D26).
struct SearchConfig {
  int beam_size = 5;
  int n_best = 1;
  float length_penalty = 0.6f;
  float coverage_penalty = 0.0f;
  float patience = 1.0f;
  float beam_threshold = 0.0f;
  int min_length = 1;
  int max_length = 0;
  int no_repeat_ngram = 0;
  bool sample = false;
  float temperature = 1.0f;
  int top_k = 0;
  float top_p = 1.0f;
  int64_t seed = 1;

  // Set by the caller; no fields.
  std::vector<int> banned = {};  // words that are never chosen
  std::vector<int> blank = {};  // sorted; with no others it may not end, unless
                                // min_length is 0
  bool want_weights = false;    // asks for Hypothesis::weights
  std::vector<int> heads = {};  // whose mean they are; empty: all

  // Hypotheses of each sentence that are followed at once.
  int width() const { return sample ? n_best : beam_size; }

  void fields(auto&& field) {
    field("beam-size", beam_size, "hypotheses kept at each step; 1: greedy");
    field("n-best", n_best, "translations of each sentence, best first");
    field("length-penalty", length_penalty,
          "scores are divided by ((5 + length) / 6) to this power");
    field("coverage-penalty", coverage_penalty,
          "weight of what source words lack of one whole attention");
    field("patience", patience,
          "the search ends when patience x beam-size hypotheses have ended;\n"
          "0: when no other can become better");
    field("beam-threshold", beam_threshold,
          "hypotheses whose log-probability is so far below that of the best\n"
          "are dropped, which saves time; 0: none are");
    field("min-length", min_length,
          "tokens of the shortest translation; 0: it may be empty");
    field("max-length", max_length,
          "tokens of the longest translation; 0: 50 more than the source");
    field("no-repeat-ngram", no_repeat_ngram,
          "no run of so many tokens comes twice; 0: it may");
    field("sample", sample, "draw words at random, not the best ones");
    field("temperature", temperature,
          "sampling: below 1 likely words become likelier");
    field("top-k", top_k, "sampling: from the likeliest so many; 0: all");
    field("top-p", top_p,
          "sampling: from the likeliest that have this probability together");
    field("seed", seed, "sampling: of the random numbers");
  }
};

// A usage error names the first value that makes no sense.
void check_search_config(const SearchConfig& config);

}  // namespace fovea
