#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "fovea/base/fields.h"
#include "fovea/data/batch.h"
#include "fovea/eval/rank_correlation.h"
#include "fovea/explain/attribution.h"
#include "fovea/explain/weight_tests.h"

// Does attention explain the output? The tests of Jain & Wallace 2019 (SPEC E8)
// on a model as it is; those that train again are in retraining.h.
namespace fovea {

// A text to test with, without end marks.
struct TestText {
  std::vector<int> source = {};
  std::vector<int> target = {};    // of a sequence model
  int label = -1;                  // or unknown
  std::vector<int> evidence = {};  // tokens that decide, where it is known
};

struct FaithfulnessConfig {
  int head = -1;
  int permutations = 100;
  AdversaryConfig adversary;
  int integrated_steps = 32;
  int batch_size = 16;
  int64_t seed = 1;

  void fields(auto&& field) {
    field("head", head, "the head to test, from 0; -1: the mean over heads");
    field("permutations", permutations, "times that weights are shuffled");
    field("restarts", adversary.restarts, "of the search for other weights");
    field("adversary-steps", adversary.steps, "of that search");
    field("threshold", adversary.threshold,
          "total variation of outputs that are called the same");
    field("integrated-steps", integrated_steps,
          "first parts of the way of integrated gradients; 0: none");
    field("batch-size", batch_size,
          "texts computed together; of pairs, 2 at most");
    field("seed", seed, "seed of all draws");
  }
};

// How far weights and other scores of the same tokens agree. The end mark does
// not count.
struct Agreement {
  RankCorrelation order = {};
  bool same_top = false;  // one token is first in both
};

// What was found for one distribution that the model gave.
struct CaseResult {
  int64_t text = 0;        // in the data
  int number = 0;          // target word, of a sequence model
  int outcome = 0;         // label or word that was looked at...
  double probability = 0;  // ...and how likely the model finds it
  bool right = false;      // it is the one that the data has
  int tokens = 0;          // that were compared
  double largest = 0;      // weight
  int top = 0;             // token that has it, the end mark aside
  Agreement gradient, states, erasure, input, integrated;  // with the weights
  Agreement reference;  // of gradient and erasure with each other
  double integrated_error = 0;
  double permuted = 0;  // median change of the output
  Adversary adversary = {};
  int evidence = -1;  // 1: the top token is known evidence, 0: not, -1: unknown
};

// The cases of all texts, in their order. `done` is told how many texts are
// finished, by one thread at a time. Depends neither on threads nor on the
// company of a text in a batch beyond rounding.
std::vector<CaseResult> test_weights(
    const TestedModel& model, std::span<const TestText> texts,
    const EndMarks& ends, const FaithfulnessConfig& config,
    const std::function<void(int64_t)>& done = {});

// Texts as models read them.
TestTexts with_end_marks(std::span<const TestText> texts, const EndMarks& ends);

}  // namespace fovea
