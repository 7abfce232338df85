#include "fovea/explain/faithfulness_plots.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <map>
#include <utility>

#include "fovea/base/check.h"
#include "fovea/explain/axis.h"
#include "fovea/explain/faithfulness_words.h"
#include "fovea/explain/svg_plot.h"

namespace fovea {
namespace {

constexpr int kBins = 4;         // of the largest weight
constexpr int kMostLabels = 6;   // that have a colour of their own
constexpr double kMostJs = 0.7;  // ln 2 and a little

using Figures = FaithfulnessFigures;

bool is_seed(const RetrainedModel& m) { return m.name.starts_with("seed "); }

// By predicted label, the most frequent first; words and rare labels together.
std::vector<std::pair<std::string, std::vector<CaseResult>>> by_outcome(
    const Figures& f) {
  std::map<int, std::vector<CaseResult>> cases;
  for (const CaseResult& r : f.cases) {
    cases[f.outcomes.empty() ? -1 : r.outcome].push_back(r);
  }
  std::vector<std::pair<std::string, std::vector<CaseResult>>> groups;
  for (auto& [outcome, some] : cases) {
    groups.emplace_back(outcome < 0 ? "words" : f.outcomes[outcome],
                        std::move(some));
  }
  std::ranges::stable_sort(groups, std::greater(), [](const auto& group) {
    return group.second.size();
  });
  while (groups.size() > kMostLabels) {
    auto& last = groups.back().second;
    auto& rest = groups[kMostLabels - 1];
    rest.first = "others";
    rest.second.insert(rest.second.end(), last.begin(), last.end());
    groups.pop_back();
  }
  return groups;
}

std::string tau_plot(const Figures& f, Agreement CaseResult::*of,
                     const std::string& with, SvgTheme theme) {
  const auto groups = by_outcome(f);
  const auto all = tau_histogram(f.cases, of);
  const auto most = static_cast<double>(*std::ranges::max_element(all));
  const AgreementSummary s = summarise(f.cases, of);
  SvgPlot plot(
      {.title = join("Tau with ", with),
       .note = join("mean ", number_text(std::round(100 * s.tau) / 100),
                    ", p < .05 for ", std::lround(100 * s.significant), " %"),
       .x_name = "Kendall's tau-b",
       .y_name = "cases",
       .x = {-1, 1},
       .y = {0, std::max(1.0, most)},
       .theme = theme});
  std::array<double, 10> height{};
  for (size_t g = 0; g < groups.size(); ++g) {
    const auto counts = tau_histogram(groups[g].second, of);
    const int color = static_cast<int>(g);
    for (size_t b = 0; b < counts.size(); ++b) {
      const double from = -1 + 0.2 * static_cast<double>(b), low = height[b];
      height[b] += static_cast<double>(counts[b]);
      plot.bar(from, from + 0.2, low, height[b], color);
    }
    if (!f.outcomes.empty()) plot.legend(groups[g].first, color);
  }
  return std::move(plot).finish();
}

SvgPlot bin_plot(const std::string& title, const std::string& note,
                 const std::string& y_name, double most, SvgTheme theme) {
  std::vector<std::string> bins;
  for (int b = 0; b < kBins; ++b) {
    bins.push_back(join(b * 0.25, " to ", (b + 1) * 0.25));
  }
  return SvgPlot({.title = title,
                  .note = note,
                  .x_name = "largest weight",
                  .y_name = y_name,
                  .x = {-0.5, kBins - 0.5, false, false},
                  .y = {0, most},
                  .groups = bins,
                  .theme = theme});
}

// Of the cases of a bin, what `value` gives.
template <class Fn>
std::vector<double> in_bin(const Figures& f, int bin, Fn value) {
  std::vector<double> all;
  for (const CaseResult& r : f.cases) {
    if (weight_bin(r, kBins) == bin) all.push_back(value(r));
  }
  return all;
}

std::string shuffled_plot(const Figures& f, SvgTheme theme) {
  SvgPlot plot = bin_plot("Shuffled weights",
                          "how far the output moves, median of each case",
                          "total variation", 1, theme);
  for (int b = 0; b < kBins; ++b) {
    plot.box(b, 0.5, in_bin(f, b, [](auto& r) { return r.permuted; }), 0);
  }
  return std::move(plot).finish();
}

// An adversary must exceed what other seeds differ by to be surprising.
std::string divergence_plot(const Figures& f, SvgTheme theme) {
  const bool seeds = std::ranges::any_of(f.retrained, is_seed);
  SvgPlot plot =
      bin_plot("Other weights",
               join("how far weights with the same output are from the model's",
                    seeds ? ", and those of other seeds" : ""),
               "Jensen-Shannon divergence", kMostJs, theme);
  plot.legend("adversary", 1);
  if (seeds) plot.legend("other seeds", 2);
  for (int b = 0; b < kBins; ++b) {
    plot.box(seeds ? b - 0.18 : b, 0.3,
             in_bin(f, b, [](auto& r) { return r.adversary.js; }), 1);
    std::vector<double> js;
    for (const RetrainedModel& m : f.retrained) {
      if (!is_seed(m)) continue;
      const auto some = in_bin(f, b, [&](auto& r) { return m.js[r.text]; });
      js.insert(js.end(), some.begin(), some.end());
    }
    plot.box(b + 0.18, 0.3, std::move(js), 2);
  }
  return std::move(plot).finish();
}

// A convex curve of trained adversaries: hard to manipulate.
std::string manipulation_plot(const Figures& f, SvgTheme theme) {
  const FaithfulnessSummary& s = f.summary;
  double most = s.threshold;
  for (const CaseResult& r : f.cases)
    most = std::max(most, r.adversary.distance);
  for (const double d : s.trained_distance) most = std::max(most, d);
  SvgPlot plot({.title = "Outputs against weights",
                .note = "how far outputs move when weights are moved so far",
                .x_name = "Jensen-Shannon divergence of weights",
                .y_name = "total variation",
                .x = {0, kMostJs},
                .y = {0, most},
                .theme = theme});
  plot.legend("adversary of a case", 1);
  for (const CaseResult& r : f.cases) {
    if (r.adversary.found) plot.point(r.adversary.js, r.adversary.distance, 1);
  }
  if (s.lambdas.empty()) return std::move(plot).finish();
  plot.legend("trained, by lambda", 0);
  plot.line(s.trained_js, s.trained_distance, 0);
  for (size_t i = 0; i < s.lambdas.size(); ++i) {
    plot.point(s.trained_js[i], s.trained_distance[i], 0, 4);
    plot.words(s.trained_js[i], s.trained_distance[i],
               number_text(s.lambdas[i]));
  }
  return std::move(plot).finish();
}

TextTable list_table(const std::string& title,
                     const std::vector<std::string>& lines) {
  TextTable table{.title = title};
  for (const std::string& line : lines) table.rows.push_back({"", line});
  return table;
}

}  // namespace

std::vector<std::string> faithfulness_plots(const FaithfulnessFigures& f,
                                            SvgTheme theme) {
  return {tau_plot(f, &CaseResult::gradient, "gradients", theme),
          tau_plot(f, &CaseResult::erasure, "leaving out", theme),
          shuffled_plot(f, theme), divergence_plot(f, theme),
          manipulation_plot(f, theme)};
}

Report faithfulness_page(const FaithfulnessFigures& f) {
  const FaithfulnessSummary& s = f.summary;
  const Claims claims = claims_of(s);
  Report report{.title = "Does attention explain the output?",
                .note = join(s.layer, s.head < 0 ? "" : join(", head ", s.head),
                             ", ", texts_name(s), ", ", s.cases, " outputs. ",
                             verdict_text(s))};
  report.sections.push_back(
      {.title = "What may be said",
       .tables = {list_table("You may say", claims.allowed),
                  list_table("You may not say", claims.not_allowed)}});
  report.sections.push_back(
      {.title = "What was found",
       .tables = {list_table("", findings(s))},
       .pictures = faithfulness_plots(f, SvgTheme::kAuto)});
  return report;
}

}  // namespace fovea
