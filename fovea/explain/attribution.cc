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

// Places on the way 0..1 where a case's probability moves, densely where it
// moves most: a step of an output may be so steep that even ones miss it.
class Places {
 public:
  struct Place {
    double at, weight;
  };

  // The probability at the places of grid().
  explicit Places(const std::vector<double>& curve) {
    double all = 0;
    for (size_t i = 1; i < curve.size(); ++i) {
      all += std::abs(curve[i] - curve[i - 1]);
    }
    constexpr double kPart = 1.0 / kParts;
    for (size_t i = 1; i < curve.size(); ++i) {
      const double share =
          all > 0 ? std::abs(curve[i] - curve[i - 1]) / all : kPart;
      const double mass = kEven * kPart + (1 - kEven) * share;
      ends_.push_back((ends_.empty() ? 0 : ends_.back()) + mass);
    }
  }

  // The middle and the width of the k-th of `count` parts of equal mass.
  Place of(int k, int count) const {
    const double from = end_of(static_cast<double>(k) / count),
                 to = end_of(static_cast<double>(k + 1) / count);
    return {(from + to) / 2, to - from};
  }

  // From 0 to 1. Denser near 0, where layer norms are steep.
  static constexpr int kParts = 96;
  static double grid(int i) { return std::pow(i / double{kParts}, 3); }

 private:
  // Where this share of the mass ends.
  double end_of(double share) const {
    const double mass = share * ends_.back();
    const auto found = std::lower_bound(ends_.begin(), ends_.end() - 1, mass);
    const double begin = found == ends_.begin() ? 0 : *(found - 1);
    const auto part = static_cast<int>(found - ends_.begin());
    const double from = grid(part), width = grid(part + 1) - from;
    return from + width * (mass - begin) / (*found - begin);
  }

  static constexpr double kEven = 0.25;  // mass that is spread evenly
  std::vector<double> ends_;             // of the parts' masses, summed
};

// The straight way from nothing to a text.
class Way {
 public:
  explicit Way(const Gradients& of) : of_(of) {
    rows_ = embedded(of.model, of.texts);
    const NoGrad none;
    nothing_ = of.model.embed_nothing(of.texts.source).value();
    way_ = rows_.clone();
    for (int64_t i = 0; i < way_.size(); ++i) way_[i] -= nothing_[i];
  }

  IntegratedGradients integrate(int steps) const {
    std::vector<std::vector<double>> curves(of_.outcomes.size());
    for (int i = 0; i <= Places::kParts; ++i) {
      const auto p = probabilities(
          of_,
          at_places(std::vector<double>(of_.texts.count(), Places::grid(i))));
      for (size_t c = 0; c < p.size(); ++c) curves[c].push_back(p[c]);
    }
    IntegratedGradients result{std::vector<TokenScores>(curves.size()), {}};
    for (int n = 0; n < of_.texts.cases().longest(); ++n) {
      integrate(of_.cases_at(n), curves, steps, result.scores);
    }
    for (size_t c = 0; c < curves.size(); ++c) {
      const TokenScores& scores = result.scores[c];
      const double sum = std::accumulate(scores.begin(), scores.end(), 0.0);
      const double change = curves[c].back() - curves[c].front();
      result.errors.push_back(std::abs(sum - change) /
                              std::max(std::abs(change), kLeastChange));
    }
    return result;
  }

 private:
  // One case of each text, or -1.
  void integrate(const std::vector<int64_t>& cases,
                 const std::vector<std::vector<double>>& curves, int steps,
                 std::vector<TokenScores>& scores) const {
    if (std::ranges::count(cases, -1) == std::ssize(cases)) return;
    std::vector<Places> places;
    for (const int64_t c : cases) {
      places.emplace_back(curves[static_cast<size_t>(std::max<int64_t>(c, 0))]);
    }
    for (int k = 0; k < steps; ++k) {
      std::vector<double> at;
      for (const Places& p : places) at.push_back(p.of(k, steps).at);
      const Tensor gradient = of_.at(at_places(at), cases);
      for (size_t b = 0; b < cases.size(); ++b) {
        if (cases[b] < 0) continue;
        of_.add_product(gradient, way_, static_cast<int>(b),
                        places[b].of(k, steps).weight, scores[cases[b]]);
      }
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
  Tensor rows_, nothing_, way_;
};

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
  const Gradients gradients{model, texts, outcomes, frozen};
  for (int n = 0; n < texts.cases().longest(); ++n) {
    const std::vector<int64_t> cases = gradients.cases_at(n);
    const Tensor gradient = gradients.at(rows, cases);
    for (size_t b = 0; b < cases.size(); ++b) {
      if (cases[b] < 0) continue;
      gradients.add_product(gradient, rows, static_cast<int>(b), 1.0,
                            scores[cases[b]]);
    }
  }
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
    const Gradients gradients{model, some, theirs, nullptr,
                              of_texts(wanted, cases, left)};
    IntegratedGradients found = Way(gradients).integrate(steps);
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
