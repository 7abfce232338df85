#include "fovea/explain/attribution.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "fovea/base/check.h"
#include "fovea/eval/distribution_distance.h"
#include "fovea/explain/rows.h"

namespace fovea {
namespace {

constexpr double kMostError = 0.01;
constexpr double kLeastChange = 0.01;  // that errors are shares of
constexpr int kMostDoublings = 5;

Tensor embedded(const TestedModel& model, const TestTexts& texts) {
  const NoGrad none;
  return model.embed(texts.source).value().clone();
}

Tensor scaled(const Tensor& x, float factor) {
  Tensor y = x.clone();
  for (float& v : y.span()) v *= factor;
  return y;
}

// Gradients of the probabilities of outcomes. Refers to all that it has.
struct Gradients {
  const TestedModel& model;
  const TestTexts& texts;
  const std::vector<int>& outcomes;
  const LayerRun* frozen = nullptr;
  std::vector<bool> only = {};  // cases to compute; empty: all

  bool wants(int64_t i) const { return only.empty() || only[i]; }

  // The case with this number of each text, where it is wanted.
  std::vector<int64_t> cases_at(int number) const {
    const Segments cases = texts.cases();
    std::vector<int64_t> some;
    for (int b = 0; b < cases.count(); ++b) {
      const int64_t i = cases.begin(b) + number;
      some.push_back(number < cases.length(b) && wants(i) ? i : -1);
    }
    return some;
  }

  // With respect to the embedded rows. Texts do not know each other, so one
  // pass serves one case of each.
  Tensor at(const Tensor& rows, const std::vector<int64_t>& some) const {
    const Var leaf = Var::parameter(rows);
    const Encoded source = model.encode(leaf, texts.source.of);
    const auto held = [](const LayerCall& call, size_t) -> Var {
      return call.weights;
    };
    const Var outputs = frozen
                            ? run_changed(model, source, texts, *frozen, held)
                            : model.outputs(source, texts.target, Pass{});
    Tensor seed = Tensor::zeros(outputs.shape());
    for (const int64_t i : some) {
      if (i >= 0) seed[i * seed.cols() + outcomes[i]] = 1.0f;
    }
    outputs.backward(seed);
    const Tensor gradient = leaf.grad();
    return gradient ? gradient : Tensor::zeros(rows.shape());
  }

  // Adds factor * <gradient at rows, inputs> to the scores of each token.
  void add_products(const Tensor& rows, const Tensor& inputs, float factor,
                    std::vector<TokenScores>& scores) const {
    const Segments& of = texts.source.of;
    const int longest = texts.cases().longest();
    for (int number = 0; number < longest; ++number) {
      const std::vector<int64_t> some = cases_at(number);
      if (std::ranges::count(some, -1) == std::ssize(some)) continue;
      const Tensor gradient = at(rows, some);
      for (int b = 0; b < of.count(); ++b) {
        if (some[b] < 0) continue;
        TokenScores& to = scores[some[b]];
        to.resize(of.length(b), 0.0f);
        for (int t = 0; t < of.length(b); ++t) {
          const auto g = row_of(gradient, of.begin(b) + t),
                     x = row_of(inputs, of.begin(b) + t);
          to[t] +=
              factor * std::inner_product(g.begin(), g.end(), x.begin(), 0.0f);
        }
      }
    }
  }
};

std::vector<double> probabilities(const Gradients& of, const Tensor& rows) {
  const NoGrad none;
  const Tensor p = of.model
                       .outputs(of.model.encode(Var(rows), of.texts.source.of),
                                of.texts.target, Pass{})
                       .value();
  std::vector<double> all;
  for (int64_t i = 0; i < p.rows(); ++i) {
    all.push_back(p[i * p.cols() + of.outcomes[i]]);
  }
  return all;
}

IntegratedGradients integrate(const Gradients& of, int steps) {
  const Tensor rows = embedded(of.model, of.texts);
  const std::vector<double> from = probabilities(of, scaled(rows, 0.0f)),
                            to = probabilities(of, rows);
  IntegratedGradients result{std::vector<TokenScores>(to.size()), {}};
  const auto share = 1.0f / static_cast<float>(steps);
  for (int s = 0; s < steps; ++s) {
    // The way is u^3: layer norms make the output change most near 0.
    const float u = (static_cast<float>(s) + 0.5f) * share;
    of.add_products(scaled(rows, u * u * u), rows, 3 * u * u * share,
                    result.scores);
  }
  for (size_t c = 0; c < to.size(); ++c) {
    const TokenScores& scores = result.scores[c];
    const double sum = std::accumulate(scores.begin(), scores.end(), 0.0);
    const double change = to[c] - from[c];
    result.errors.push_back(std::abs(sum - change) /
                            std::max(std::abs(change), kLeastChange));
  }
  return result;
}

// Numbers of all cases, by those of some texts.
template <class T>
std::vector<T> of_texts(const std::vector<T>& all, const Segments& cases,
                        const std::vector<TextCopy>& which) {
  std::vector<T> some;
  for (const TextCopy& copy : which) {
    some.insert(some.end(), all.begin() + cases.begin(copy.text),
                all.begin() + cases.end(copy.text));
  }
  return some;
}

}  // namespace

std::vector<int> explained_outcomes(const TestTexts& texts,
                                    const Tensor& outputs) {
  if (texts.is_sequence()) return texts.target.ids;
  std::vector<int> outcomes;
  for (int64_t i = 0; i < outputs.rows(); ++i) {
    outcomes.push_back(first_largest(row_of(outputs, i)));
  }
  return outcomes;
}

std::vector<TokenScores> gradient_times_input(const TestedModel& model,
                                              const TestTexts& texts,
                                              const std::vector<int>& outcomes,
                                              const LayerRun* frozen) {
  const Tensor rows = embedded(model, texts);
  std::vector<TokenScores> scores(outcomes.size());
  Gradients{model, texts, outcomes, frozen}.add_products(rows, rows, 1.0f,
                                                         scores);
  return scores;
}

IntegratedGradients integrated_gradients(const TestedModel& model,
                                         const TestTexts& texts,
                                         const std::vector<int>& outcomes,
                                         int steps) {
  check_usage(steps >= 1, "steps of integrated gradients: ", steps);
  const Segments cases = texts.cases();
  IntegratedGradients all{std::vector<TokenScores>(outcomes.size()),
                          std::vector<double>(outcomes.size(), 0.0)};
  std::vector<bool> wanted(outcomes.size(), true);
  for (int i = 0; i <= kMostDoublings; ++i, steps *= 2) {
    std::vector<TextCopy> left;
    for (int b = 0; b < cases.count(); ++b) {
      const auto begin = wanted.begin() + cases.begin(b);
      if (std::count(begin, begin + cases.length(b), true) > 0) {
        left.push_back({.text = b});
      }
    }
    if (left.empty()) break;
    const TestTexts some = copies_of(texts, left);
    const std::vector<int> theirs = of_texts(outcomes, cases, left);
    IntegratedGradients found = integrate(
        {model, some, theirs, nullptr, of_texts(wanted, cases, left)}, steps);
    size_t next = 0;
    for (const TextCopy& copy : left) {
      for (int c = cases.begin(copy.text); c < cases.end(copy.text);
           ++c, ++next) {
        if (!wanted[c]) continue;
        all.scores[c] = std::move(found.scores[next]);
        all.errors[c] = found.errors[next];
        wanted[c] = all.errors[c] > kMostError;
      }
    }
  }
  return all;
}

Erasure erase_tokens(const TestedModel& model, const TestTexts& texts,
                     const Tensor& outputs, const std::vector<int>& outcomes) {
  const NoGrad none;
  const Segments cases = texts.cases();
  Erasure all{std::vector<TokenScores>(outcomes.size()),
              std::vector<TokenScores>(outcomes.size())};
  for (int b = 0; b < cases.count(); ++b) {
    const int tokens = texts.source.of.length(b), count = cases.length(b);
    for (int i = cases.begin(b); i < cases.end(b); ++i) {
      all.drops[i].resize(tokens, 0.0f);
      all.distances[i].resize(tokens, 0.0f);
    }
    std::vector<TextCopy> which;
    for (int t = 0; t + 1 < tokens; ++t) which.push_back({b, t});
    if (which.empty()) continue;
    const TestTexts copies = copies_of(texts, which);
    const Tensor without =
        model.outputs(model.encode(copies.source), copies.target, Pass{})
            .value();
    for (int i = cases.begin(b); i < cases.end(b); ++i) {
      const auto p = row_of(outputs, i);
      for (int t = 0; t + 1 < tokens; ++t) {
        const auto q = row_of(without, int64_t{t} * count + i - cases.begin(b));
        all.drops[i][t] = p[outcomes[i]] - q[outcomes[i]];
        all.distances[i][t] = static_cast<float>(total_variation(p, q));
      }
    }
  }
  return all;
}

}  // namespace fovea
