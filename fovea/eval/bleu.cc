#include "fovea/eval/bleu.h"

#include <algorithm>
#include <cmath>

#include "fovea/base/check.h"
#include "fovea/eval/bleu_tokens.h"
#include "fovea/eval/ngram_matcher.h"
#include "fovea/eval/word_numbers.h"

namespace fovea {
namespace {

constexpr double kLogOfNothing = -9999999999;

double smooth_value(const BleuOptions& options) {
  return options.smooth_value.value_or(
      options.smoothing == BleuSmoothing::kFloor ? 0.1 : 1);
}

// Of an order that has n-grams; `doubled` grows with each order that has no
// match.
double precision(const BleuOptions& options, double matches, double total,
                 double& doubled) {
  if (matches > 0) return 100 * matches / total;
  switch (options.smoothing) {
    case BleuSmoothing::kExp:
      doubled *= 2;
      return 100 / (doubled * total);
    case BleuSmoothing::kFloor:
      return 100 * smooth_value(options) / total;
    default:
      return 0;
  }
}

double brevity_penalty(double length, double reference) {
  if (length >= reference) return 1;
  return length > 0 ? std::exp(1 - reference / length) : 0;
}

Bleu::Result result_of(const BleuOptions& options,
                       std::span<const double> sums) {
  Bleu::Result result;
  result.brevity_penalty =
      brevity_penalty(sums[Bleu::kLength], sums[Bleu::kReferenceLength]);
  const auto matches = sums.subspan(Bleu::kMatches, Bleu::kOrders);
  if (*std::max_element(matches.begin(), matches.end()) == 0) return result;
  double doubled = 1, logs = 0;
  int orders = Bleu::kOrders;
  for (int n = 0; n < Bleu::kOrders; ++n) {
    const bool add = options.smoothing == BleuSmoothing::kAddK && n > 0;
    const double more = add ? smooth_value(options) : 0;
    const double total = sums[Bleu::kTotals + n] + more;
    if (total == 0) break;
    if (options.effective_order) orders = n + 1;
    result.precisions[n] =
        precision(options, matches[n] + more, total, doubled);
  }
  for (int n = 0; n < orders; ++n) {
    const double p = result.precisions[n];
    logs += p > 0 ? std::log(p) : kLogOfNothing;
  }
  result.score = result.brevity_penalty * std::exp(logs / orders);
  return result;
}

// Of the references' lengths the nearest, of two the shorter.
class NearestLength {
 public:
  explicit NearestLength(int64_t length) : length_(length) {}
  void add(int64_t reference) {
    const int64_t distance = std::abs(length_ - reference);
    if (distance < distance_ || (distance == distance_ && reference < best_)) {
      best_ = reference;
      distance_ = distance;
    }
  }
  int64_t best() const { return best_; }

 private:
  int64_t length_, best_ = 0, distance_ = INT64_MAX;
};

}  // namespace

BleuOptions multi_bleu_options() {
  return {.name = "multi-BLEU",
          .tokenizer = BleuTokenizer::kAsciiSpace,
          .smoothing = BleuSmoothing::kNone};
}

Bleu::Bleu(const BleuOptions& options) : options_(options) {
  check_usage(smooth_value(options) > 0, "the smoothing value ",
              smooth_value(options), " is not positive");
}

void Bleu::count_part(const Part& part, MetricCounts& counts) const {
  WordNumbers words;
  NgramMatcher matcher(kOrders);
  for (int64_t i = part.begin; i < part.end; ++i) {
    const std::vector<int> tokens =
        bleu_tokens(part.output.lines[i], options_, words);
    const auto length = static_cast<int64_t>(tokens.size());
    NearestLength nearest(length);
    matcher.forget_references();
    for (const MetricText& reference : part.references) {
      const std::vector<int> its_tokens =
          bleu_tokens(reference.lines[i], options_, words);
      matcher.add_reference(its_tokens);
      nearest.add(static_cast<int64_t>(its_tokens.size()));
    }
    const std::span<const int> matches = matcher.match(tokens);
    const std::span<double> row = counts.row(i);
    row[kLength] = static_cast<double>(length);
    row[kReferenceLength] = static_cast<double>(nearest.best());
    for (int n = 0; n < kOrders; ++n) {
      row[kMatches + n] = matches[n];
      row[kTotals + n] = static_cast<double>(std::max<int64_t>(0, length - n));
    }
  }
}

Bleu::Result Bleu::result(std::span<const double> sums) const {
  return result_of(options_, sums);
}

double Bleu::score(std::span<const double> sums) const {
  return result(sums).score;
}

double Bleu::sentence_score(std::span<const double> row) const {
  BleuOptions options = options_;
  options.effective_order = true;
  return result_of(options, row).score;
}

std::string Bleu::signature(int references) const {
  std::string smooth = FieldText<BleuSmoothing>::print(options_.smoothing);
  if (options_.smoothing == BleuSmoothing::kFloor ||
      options_.smoothing == BleuSmoothing::kAddK) {
    smooth += join("[", fixed_digits(smooth_value(options_), 2), "]");
  }
  return join(
      "nrefs:", references, "|case:", options_.lower_case ? "lc" : "mixed",
      "|eff:", options_.effective_order ? "yes" : "no",
      "|tok:", FieldText<BleuTokenizer>::print(options_.tokenizer),
      "|smooth:", smooth, options_.split_compounds ? "|compounds:split" : "",
      signature_version());
}

std::vector<Figure> Bleu::figures(std::span<const double> sums) const {
  const Result r = result(sums);
  const auto list = [&](int from) {
    const auto part = sums.subspan(from, kOrders);
    return std::vector<double>(part.begin(), part.end());
  };
  const double length = sums[kLength], reference = sums[kReferenceLength];
  return {{"precisions", {r.precisions.begin(), r.precisions.end()}, 1},
          {"matches", list(kMatches)},
          {"totals", list(kTotals)},
          {"BP", {r.brevity_penalty}, 3},
          {"ratio", {reference > 0 ? length / reference : 0}, 3},
          {"hyp_len", {length}},
          {"ref_len", {reference}}};
}

// The form that sacreBLEU and multi-bleu.perl print and scripts look for.
std::string Bleu::details(std::span<const double> sums) const {
  const std::vector<Figure> all = figures(sums);
  std::string rest;
  for (const Figure& figure : all) {
    if (figure.values.size() > 1) continue;
    rest += join(rest.empty() ? "" : " ", figure_text(figure));
  }
  return join(list_text(all[0]), " (", rest, ")");
}

}  // namespace fovea
