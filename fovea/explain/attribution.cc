#include "fovea/explain/attribution.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "fovea/base/check.h"
#include "fovea/eval/distribution_distance.h"
#include "fovea/explain/rows.h"

namespace fovea {
namespace {

constexpr double kMostError = 0.005;
constexpr double kLeastChange = 0.01;  // that errors are shares of
constexpr int kMostSplits = 32;  // of the parts of a way, times their number

Tensor embedded(const TestedModel& model, const TestTexts& texts) {
  const NoGrad none;
  return model.embed(texts.source).value().clone();
}

// Gradients of the probabilities of outcomes. Refers to all that it has.
struct Gradients {
  const TestedModel& model;
  const TestTexts& texts;
  const std::vector<int>& outcomes;
  const LayerRun* frozen = nullptr;

  // The case with this number of each text, or -1.
  std::vector<int64_t> cases_at(int number) const {
    const Segments cases = texts.cases();
    std::vector<int64_t> some;
    for (int b = 0; b < cases.count(); ++b) {
      some.push_back(number < cases.length(b) ? cases.begin(b) + number : -1);
    }
    return some;
  }

  struct Slope {
    Tensor gradient;
    std::vector<double> probabilities;  // of all outcomes
  };

  // With respect to the embedded rows.
  Slope at(const Tensor& rows, const std::vector<int64_t>& some) const {
    const Var leaf = Var::parameter(rows);
    return slope(leaf, model.encode(leaf, texts.source.of), some);
  }

  // With respect to the states.
  Slope at_states(Encoded source, const std::vector<int64_t>& some) const {
    const Var leaf = Var::parameter(source.states.value());
    source.states = leaf;
    return slope(leaf, source, some);
  }

  // With respect to a leaf that the source was made of. Texts do not know each
  // other, so one pass serves one case of each.
  Slope slope(const Var& leaf, const Encoded& source,
              const std::vector<int64_t>& some) const {
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
    return {gradient ? gradient : Tensor::zeros(leaf.shape()),
            of_outcomes(outputs.value())};
  }

  std::vector<double> of_outcomes(const Tensor& p) const {
    std::vector<double> all;
    for (int64_t i = 0; i < p.rows(); ++i) {
      all.push_back(p[i * p.cols() + outcomes[i]]);
    }
    return all;
  }

  // Adds factor * <gradient, inputs> to the scores of each token of a case.
  void add_product(const Tensor& gradient, const Tensor& inputs, int text,
                   double factor, TokenScores& to) const {
    const Segments& of = texts.source.of;
    to.resize(of.length(text), 0.0f);
    for (int t = 0; t < of.length(text); ++t) {
      const auto g = row_of(gradient, of.begin(text) + t),
                 x = row_of(inputs, of.begin(text) + t);
      const double product =
          std::inner_product(g.begin(), g.end(), x.begin(), 0.0);
      to[t] += static_cast<float>(factor * product);
    }
  }

  // Of all cases, the gradient that `slope_of` some gives times the inputs.
  template <class Fn>
  std::vector<TokenScores> times(const Tensor& inputs, Fn slope_of) const {
    std::vector<TokenScores> scores(outcomes.size());
    for (int n = 0; n < texts.cases().longest(); ++n) {
      const std::vector<int64_t> cases = cases_at(n);
      const Slope slope = slope_of(cases);
      for (size_t b = 0; b < cases.size(); ++b) {
        if (cases[b] < 0) continue;
        add_product(slope.gradient, inputs, static_cast<int>(b), 1.0,
                    scores[cases[b]]);
      }
    }
    return scores;
  }
};

std::vector<double> probabilities(const Gradients& of, const Tensor& rows) {
  const NoGrad none;
  return of.of_outcomes(
      of.model
          .outputs(of.model.encode(Var(rows), of.texts.source.of),
                   of.texts.target, Pass{})
          .value());
}

// Where the first parts of a way end, from 0 to 1. Denser near 0, where layer
// norms are steep.
double first_end(int i, int parts) {
  return std::pow(static_cast<double>(i) / parts, 3);
}

// A part of the way of one case.
struct Part {
  double from, to;
  double p_from, p_to;      // the outcome's probability there
  double p_middle = 0;      // where the gradient was taken
  TokenScores scores = {};  // that gradient times the part

  double middle() const { return (from + to) / 2; }
  double error() const {
    return std::accumulate(scores.begin(), scores.end(), 0.0) - (p_to - p_from);
  }
};

// The straight way from nothing to each text.
class Way {
 public:
  explicit Way(const Gradients& of) : of_(of) {
    const Tensor rows = embedded(of.model, of.texts);
    const NoGrad none;
    nothing_ = of.model.embed_nothing(of.texts.source).value();
    way_ = rows.clone();
    for (int64_t i = 0; i < way_.size(); ++i) way_[i] -= nothing_[i];
  }

  IntegratedGradients integrate(int parts) const {
    std::vector<std::vector<double>> ends;  // probabilities
    for (int i = 0; i <= parts; ++i) {
      ends.push_back(
          probabilities(of_, at_places(std::vector<double>(
                                 of_.texts.count(), first_end(i, parts)))));
    }
    IntegratedGradients result{std::vector<TokenScores>(of_.outcomes.size()),
                               std::vector<double>(of_.outcomes.size())};
    for (int n = 0; n < of_.texts.cases().longest(); ++n) {
      integrate(of_.cases_at(n), ends, result);
    }
    return result;
  }

 private:
  using Ways = std::vector<std::vector<Part>>;  // of each text

  // One case of each text, or -1. The part that misses most is halved until
  // all together miss little.
  void integrate(const std::vector<int64_t>& cases,
                 const std::vector<std::vector<double>>& ends,
                 IntegratedGradients& result) const {
    const int parts = static_cast<int>(ends.size()) - 1;
    Ways ways(cases.size());
    for (int i = 0; i < parts; ++i) {
      std::vector<size_t> next(cases.size(), i);
      for (size_t b = 0; b < cases.size(); ++b) {
        const auto c = static_cast<size_t>(std::max<int64_t>(cases[b], 0));
        ways[b].push_back({first_end(i, parts), first_end(i + 1, parts),
                           ends[i][c], ends[i + 1][c]});
      }
      measure(cases, ways, next);
    }
    for (int i = 0; i < kMostSplits * parts; ++i) {
      std::vector<size_t> upper(cases.size()), lower(cases.size());
      bool all_done = true;
      for (size_t b = 0; b < cases.size(); ++b) {
        if (cases[b] < 0 || share_missed(ways[b]) <= kMostError) continue;
        all_done = false;
        lower[b] = halve_worst(ways[b]);
        upper[b] = ways[b].size() - 1;
      }
      if (all_done) break;
      measure(cases, ways, lower);
      measure(cases, ways, upper);
    }
    for (size_t b = 0; b < cases.size(); ++b) {
      if (cases[b] < 0) continue;
      result.errors[cases[b]] = share_missed(ways[b]);
      TokenScores& all = result.scores[cases[b]];
      all.resize(ways[b].front().scores.size(), 0.0f);
      for (const Part& part : ways[b]) {
        for (size_t t = 0; t < all.size(); ++t) all[t] += part.scores[t];
      }
    }
  }

  static double share_missed(const std::vector<Part>& way) {
    double error = 0, change = 0;
    for (const Part& part : way) {
      error += part.error();
      change += part.p_to - part.p_from;
    }
    return std::abs(error) / std::max(std::abs(change), kLeastChange);
  }

  // The number of its lower half; the upper one is the last part.
  static size_t halve_worst(std::vector<Part>& way) {
    const auto worst = std::ranges::max_element(
        way, {}, [](const Part& part) { return std::abs(part.error()); });
    const Part whole = *worst;
    *worst = {whole.from, whole.middle(), whole.p_from, whole.p_middle};
    const size_t lower = worst - way.begin();
    way.push_back({whole.middle(), whole.to, whole.p_middle, whole.p_to});
    return lower;
  }

  // Takes the gradient in the middle of one part of each way.
  void measure(const std::vector<int64_t>& cases, Ways& ways,
               const std::vector<size_t>& which) const {
    std::vector<double> places;
    for (size_t b = 0; b < ways.size(); ++b) {
      places.push_back(ways[b][which[b]].middle());
    }
    const Gradients::Slope slope = of_.at(at_places(places), cases);
    for (size_t b = 0; b < ways.size(); ++b) {
      if (cases[b] < 0) continue;
      Part& part = ways[b][which[b]];
      part.p_middle = slope.probabilities[cases[b]];
      part.scores.clear();
      of_.add_product(slope.gradient, way_, static_cast<int>(b),
                      part.to - part.from, part.scores);
    }
  }

  // Each text at a place of its own.
  Tensor at_places(const std::vector<double>& places) const {
    Tensor rows = nothing_.clone();
    const Segments& of = of_.texts.source.of;
    for (int b = 0; b < of.count(); ++b) {
      const auto factor = static_cast<float>(places[b]);
      for (int64_t i = of.begin(b) * rows.cols(); i < of.end(b) * rows.cols();
           ++i) {
        rows[i] += factor * way_[i];
      }
    }
    return rows;
  }

  const Gradients& of_;
  Tensor nothing_, way_;
};

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
  const Gradients gradients{model, texts, outcomes, frozen};
  return gradients.times(
      rows, [&](const auto& cases) { return gradients.at(rows, cases); });
}

std::vector<TokenScores> gradient_times_state(const TestedModel& model,
                                              const TestTexts& texts,
                                              const std::vector<int>& outcomes,
                                              const LayerRun& frozen) {
  const Encoded source = [&] {
    const NoGrad none;
    return model.encode(texts.source);
  }();
  const Gradients gradients{model, texts, outcomes, &frozen};
  return gradients.times(source.states.value(), [&](const auto& cases) {
    return gradients.at_states(source, cases);
  });
}

IntegratedGradients integrated_gradients(const TestedModel& model,
                                         const TestTexts& texts,
                                         const std::vector<int>& outcomes,
                                         int parts) {
  check_usage(parts >= 1, "parts of integrated gradients: ", parts);
  const Gradients gradients{model, texts, outcomes};
  return Way(gradients).integrate(parts);
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
