#include "fovea/explain/faithfulness.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <mutex>

#include "fovea/base/check.h"
#include "fovea/base/parallel.h"
#include "fovea/explain/rows.h"

namespace fovea {
namespace {

Ids ids_with_end(std::span<const TestText> texts,
                 std::vector<int> TestText::*side, int end) {
  std::vector<std::vector<int>> sentences;
  for (const TestText& text : texts) sentences.push_back(text.*side);
  return with_end(sentences, end);
}

Agreement agreement(std::span<const float> x, std::span<const float> y) {
  if (x.size() < 2) {
    return {{std::numeric_limits<double>::quiet_NaN(), 1.0}, true};
  }
  return {kendall_tau_b(x, y), first_largest(x) == first_largest(y)};
}

// Sizes of the scores of tokens that weights are of.
TokenScores sizes(const TokenScores& scores, int first, size_t count) {
  TokenScores some;
  for (size_t i = 0; i < count; ++i)
    some.push_back(std::abs(scores[first + i]));
  return some;
}

// A test that is not run finds nothing, and must not seem to have.
void check_config(const FaithfulnessConfig& c) {
  const auto at_least = [](int value, int least, const char* name) {
    check_usage(value >= least, name, " ", value, ": give at least ", least);
  };
  at_least(c.batch_size, 1, "--batch-size");
  at_least(c.permutations, 1, "--permutations");
  at_least(c.adversary.restarts, 1, "--restarts");
  at_least(c.adversary.steps, 1, "--adversary-steps");
  at_least(c.integrated_steps, 0, "--integrated-steps");
  at_least(c.head, -1, "--head");
  check_usage(c.adversary.threshold >= 0 && c.adversary.threshold <= 1,
              "--threshold ", c.adversary.threshold,
              ": give a number from 0 to 1");
}

// The tests of some texts.
class Tester {
 public:
  Tester(const TestedModel& model, std::span<const TestText> all, int64_t first,
         const TestTexts& texts, const FaithfulnessConfig& config)
      : model_(model),
        given_(all),
        texts_(texts),
        config_(config),
        cases_(texts.cases()),
        first_(first) {
    change_ = {.head = config.head,
               .key = RandomKey(static_cast<uint64_t>(config.seed))};
    for (int b = 0; b < texts.count(); ++b) {
      change_.numbers.push_back(first + b);
    }
  }

  std::vector<CaseResult> operator()() {
    {
      const NoGrad none;
      own_ = run_watched(model_, model_.encode(texts_.source), texts_);
    }
    outcomes_ = explained_outcomes(texts_, own_.outputs);
    weights_ = weights_of_cases(own_, config_.head);
    results_.resize(outcomes_.size());
    describe();
    compare();
    replace();
    return std::move(results_);
  }

 private:
  // Tokens of a case whose weights are compared: not the end mark.
  std::span<const float> inner(int i, int text) const {
    const CaseWeights& w = weights_[i];
    const auto length = std::min<size_t>(
        w.weights.size(),
        std::max(0, texts_.source.of.length(text) - 1 - w.first));
    return std::span(w.weights).first(length);
  }

  void describe() {
    const Tensor& p = own_.outputs;
    for (int b = 0; b < cases_.count(); ++b) {
      const TestText& text = given_[first_ + b];
      for (int i = cases_.begin(b); i < cases_.end(b); ++i) {
        CaseResult& r = results_[i];
        r.text = first_ + b;
        r.number = i - cases_.begin(b);
        r.outcome = outcomes_[i];
        r.probability = p[i * p.cols() + outcomes_[i]];
        const int likeliest = first_largest(row_of(p, i));
        r.right = texts_.is_sequence() ? likeliest == outcomes_[i]
                                       : likeliest == text.label;
        const auto tokens = inner(i, b);
        r.tokens = static_cast<int>(tokens.size());
        const auto& all = weights_[i].weights;
        r.largest = all.empty() ? 0 : *std::max_element(all.begin(), all.end());
        if (tokens.empty()) continue;
        r.top = weights_[i].first + first_largest(tokens);
        if (!text.evidence.empty()) {
          r.evidence = std::ranges::count(text.evidence, r.top) > 0;
        }
      }
    }
  }

  // What `gradients_of` outcomes gives: of the word that is said, or the sizes
  // summed over all labels.
  template <class Fn>
  std::vector<TokenScores> over_outcomes(Fn gradients_of) const {
    if (texts_.is_sequence()) return gradients_of(outcomes_);
    std::vector<TokenScores> sums(outcomes_.size());
    for (int label = 0; label < own_.outputs.cols(); ++label) {
      const std::vector<TokenScores> one =
          gradients_of(std::vector<int>(outcomes_.size(), label));
      for (size_t i = 0; i < sums.size(); ++i) {
        sums[i].resize(one[i].size(), 0.0f);
        for (size_t t = 0; t < one[i].size(); ++t) {
          sums[i][t] += std::abs(one[i][t]);
        }
      }
    }
    return sums;
  }

  void compare() {
    const std::vector<TokenScores> gradients =
        over_outcomes([&](const std::vector<int>& outcomes) {
          return gradient_times_input(model_, texts_, outcomes, &own_);
        });
    const std::vector<TokenScores> states =
        over_outcomes([&](const std::vector<int>& outcomes) {
          return gradient_times_state(model_, texts_, outcomes, own_);
        });
    const std::vector<TokenScores> inputs =
        gradient_times_input(model_, texts_, outcomes_);
    const Erasure erased =
        erase_tokens(model_, texts_, own_.outputs, outcomes_);
    IntegratedGradients integrated;
    if (config_.integrated_steps > 0) {
      integrated = integrated_gradients(model_, texts_, outcomes_,
                                        config_.integrated_steps);
    }
    for (int b = 0; b < cases_.count(); ++b) {
      for (int i = cases_.begin(b); i < cases_.end(b); ++i) {
        const auto w = inner(i, b);
        const auto of = [&](const TokenScores& scores) {
          return sizes(scores, weights_[i].first, w.size());
        };
        CaseResult& r = results_[i];
        const TokenScores gradient = of(gradients[i]),
                          distance = of(erased.distances[i]);
        r.gradient = agreement(w, gradient);
        r.erasure = agreement(w, distance);
        r.reference = agreement(gradient, distance);
        r.states = agreement(w, of(states[i]));
        r.input = agreement(w, of(inputs[i]));
        if (integrated.scores.empty()) {  // not asked for, so of no case
          r.integrated = agreement({}, {});
          continue;
        }
        r.integrated = agreement(w, of(integrated.scores[i]));
        r.integrated_error = integrated.errors[i];
      }
    }
  }

  void replace() {
    const std::vector<double> permuted =
        permute_weights(model_, texts_, own_, change_, config_.permutations);
    std::vector<Adversary> adversaries =
        find_adversaries(model_, texts_, change_, config_.adversary);
    for (size_t i = 0; i < results_.size(); ++i) {
      results_[i].permuted = permuted[i];
      results_[i].adversary = std::move(adversaries[i]);
    }
  }

  const TestedModel& model_;
  std::span<const TestText> given_;
  const TestTexts& texts_;
  const FaithfulnessConfig& config_;
  Segments cases_;
  int64_t first_;
  WeightChange change_;
  LayerRun own_;
  std::vector<int> outcomes_;
  std::vector<CaseWeights> weights_;
  std::vector<CaseResult> results_;
};

}  // namespace

TestTexts with_end_marks(std::span<const TestText> texts,
                         const EndMarks& ends) {
  TestTexts made{ids_with_end(texts, &TestText::source, ends.source), {}};
  if (!texts.empty() && !texts.front().target.empty()) {
    made.target = ids_with_end(texts, &TestText::target, ends.target);
  }
  return made;
}

std::vector<CaseResult> test_weights(const TestedModel& model,
                                     std::span<const TestText> texts,
                                     const EndMarks& ends,
                                     const FaithfulnessConfig& config,
                                     const std::function<void(int64_t)>& done) {
  check_config(config);
  const int64_t size = config.batch_size;
  const int64_t batches = (std::ssize(texts) + size - 1) / size;
  std::vector<std::vector<CaseResult>> results(batches);
  std::mutex mutex;
  int64_t finished = 0;
  parallel_tasks(batches, [&](int64_t i, int) {
    const ThreadLimit one(1);  // products of matrices depend on threads
    const int64_t first = i * size;
    const int64_t count = std::min(size, std::ssize(texts) - first);
    const TestTexts some = with_end_marks(texts.subspan(first, count), ends);
    results[i] = Tester(model, texts, first, some, config)();
    const std::lock_guard lock(mutex);
    finished += count;
    if (done) done(finished);
  });
  std::vector<CaseResult> all;
  for (std::vector<CaseResult>& some : results) {
    std::move(some.begin(), some.end(), std::back_inserter(all));
  }
  return all;
}

}  // namespace fovea
