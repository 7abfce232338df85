#include "cli/evaluate_report.h"

#include <algorithm>
#include <iostream>
#include <nlohmann/json.hpp>

#include "fovea/base/check.h"
#include "fovea/base/unicode.h"

namespace fovea::cli {
namespace {

using nlohmann::ordered_json;

constexpr double kSignificant = 0.05;
constexpr int kSpreadSamples = 1000;  // of one system's interval

int references_of(const EvaluateReport& report, const Metric& metric) {
  return metric.takes_references() ? report.references : 0;
}

// With what decides about the draws.
std::string paired_signature(const EvaluateReport& report,
                             const Metric& metric) {
  const bool bootstrap = report.paired.test == PairedTest::kBootstrap;
  return join(metric.signature(references_of(report, metric)),
              bootstrap ? "|bs:" : "|ar:", samples_of(report.paired),
              "|seed:", report.paired.seed);
}

// A system beside the first one.
struct Comparison {
  double score = 0;
  Spread spread;
  PairedResult paired;  // of no meaning for the first
};

Comparison compare(const EvaluateReport& report, size_t metric, size_t system) {
  const Metric& m = *report.metrics[metric];
  const MetricCounts& counts = report.systems[system].counts[metric];
  PairedOptions alone = report.paired;
  if (alone.test != PairedTest::kBootstrap) alone.samples = kSpreadSamples;
  Comparison c;
  c.score = m.score(counts.sums());
  c.spread = bootstrap_spread(m, counts, alone);
  if (system > 0) {
    c.paired =
        paired_test(m, report.systems[0].counts[metric], counts, report.paired);
  }
  return c;
}

ordered_json figures_json(const Metric& metric, std::span<const double> sums) {
  ordered_json figures;
  for (const Figure& figure : metric.figures(sums)) {
    if (figure.values.size() == 1) {
      figures[figure.name] = figure.values[0];
    } else {
      figures[figure.name] = figure.values;
    }
  }
  return figures;
}

void add_comparison(ordered_json& entry, const EvaluateReport& report,
                    size_t metric, size_t system) {
  const Comparison c = compare(report, metric, system);
  entry["signature"] = paired_signature(report, *report.metrics[metric]);
  entry["mean"] = c.spread.mean;
  entry["confidence"] = c.spread.half_width;
  if (system == 0) return;
  entry["difference"] = c.paired.difference;
  entry["p"] = c.paired.p;
  if (c.paired.wins) entry["wins"] = *c.paired.wins;
}

ordered_json metric_json(const EvaluateReport& report, size_t metric,
                         size_t system, bool sentences) {
  const Metric& m = *report.metrics[metric];
  const MetricCounts& counts = report.systems[system].counts[metric];
  const std::vector<double> sums = counts.sums();
  ordered_json entry = {{"name", m.name()},
                        {"score", m.score(sums)},
                        {"signature", m.signature(references_of(report, m))},
                        {"details", figures_json(m, sums)}};
  if (report.systems.size() > 1) add_comparison(entry, report, metric, system);
  if (!sentences) return entry;
  ordered_json scores = ordered_json::array();
  for (int64_t i = 0; i < counts.sentences(); ++i) {
    scores.push_back(m.sentence_score(counts.row(i)));
  }
  entry["sentences"] = scores;
  return entry;
}

std::string padded(const std::string& text, int columns) {
  const int room = std::max(0, columns - display_width(text));
  return text + std::string(static_cast<size_t>(room), ' ');
}

std::string aligned(const std::string& text, int columns) {
  const int room = std::max(0, columns - display_width(text));
  return std::string(static_cast<size_t>(room), ' ') + text;
}

std::string comparison_line(const EvaluateReport& report, size_t metric,
                            size_t system) {
  const Comparison c = compare(report, metric, system);
  const int digits = report.digits;
  std::string line =
      join(aligned(fixed_digits(c.score, digits), 9),
           aligned(fixed_digits(c.spread.mean, digits), 9), " \u00b1 ",
           aligned(fixed_digits(c.spread.half_width, digits), 5));
  if (system == 0) return line;
  line += join(aligned(fixed_digits(c.paired.difference, digits), 9),
               aligned(fixed_digits(c.paired.p, 4), 9),
               c.paired.p < kSignificant ? "*" : "");
  if (!c.paired.wins) return line;
  return join(line, c.paired.p < kSignificant ? "" : " ",
              aligned(fixed_digits(100 * *c.paired.wins, 1), 7), " %");
}

}  // namespace

void print_scores(const EvaluateReport& report) {
  for (size_t m = 0; m < report.metrics.size(); ++m) {
    const Metric& metric = *report.metrics[m];
    const std::vector<double> sums = report.systems[0].counts[m].sums();
    std::cout << metric.name() << "|"
              << metric.signature(references_of(report, metric)) << " = "
              << fixed_digits(metric.score(sums), report.digits) << " "
              << metric.details(sums) << "\n";
  }
}

void print_sentences(const EvaluateReport& report) {
  std::cout << "line";
  for (const auto& metric : report.metrics) std::cout << "\t" << metric->name();
  std::cout << "\n";
  const std::vector<MetricCounts>& counts = report.systems[0].counts;
  for (int64_t i = 0; i < counts[0].sentences(); ++i) {
    std::cout << i + 1;
    for (size_t m = 0; m < counts.size(); ++m) {
      const double score = report.metrics[m]->sentence_score(counts[m].row(i));
      std::cout << "\t" << fixed_digits(score, report.digits);
    }
    std::cout << "\n";
  }
}

void print_comparison(const EvaluateReport& report) {
  int width = display_width("system");
  for (const SystemScores& system : report.systems) {
    width = std::max(width, display_width(one_line(system.name)));
  }
  const bool wins = report.paired.test == PairedTest::kBootstrap;
  for (size_t m = 0; m < report.metrics.size(); ++m) {
    const Metric& metric = *report.metrics[m];
    std::cout << (m > 0 ? "\n" : "") << metric.name() << "|"
              << paired_signature(report, metric) << "\n"
              << padded("system", width)
              << "    score     mean \u00b1 95 %     diff        p"
              << (wins ? "    better\n" : "\n");
    for (size_t s = 0; s < report.systems.size(); ++s) {
      std::cout << padded(one_line(report.systems[s].name), width)
                << comparison_line(report, m, s) << "\n";
    }
  }
  std::cout << "\n* p < " << kSignificant
            << ": a difference from the first system that chance hardly "
               "explains\n";
}

void print_json(const EvaluateReport& report, bool sentences) {
  ordered_json systems = ordered_json::array();
  for (size_t s = 0; s < report.systems.size(); ++s) {
    ordered_json metrics = ordered_json::array();
    for (size_t m = 0; m < report.metrics.size(); ++m) {
      metrics.push_back(metric_json(report, m, s, sentences));
    }
    systems.push_back({{"name", mend_utf8(report.systems[s].name)},
                       {"lines", report.systems[s].counts[0].sentences()},
                       {"metrics", metrics}});
  }
  std::cout << ordered_json{{"systems", systems}}.dump(2) << "\n";
}

}  // namespace fovea::cli
