#pragma once

#include <memory>
#include <string>
#include <vector>

#include "fovea/eval/bootstrap.h"
#include "fovea/eval/metric.h"

namespace fovea::cli {

// What one system's output got.
struct SystemScores {
  std::string name;
  std::vector<MetricCounts> counts;  // for each metric
};

struct EvaluateReport {
  std::vector<std::unique_ptr<Metric>> metrics;
  std::vector<SystemScores> systems;  // the first is what others are held to
  int references = 0;
  PairedOptions paired;
  int digits = 2;  // of scores, after the point
};

// On standard output. A line for each metric of the only system.
void print_scores(const EvaluateReport& report);
// A line for each sentence, with a column for each metric.
void print_sentences(const EvaluateReport& report);
// A table for each metric, with the systems below each other.
void print_comparison(const EvaluateReport& report);
// One JSON object with all of it; sentences if asked for.
void print_json(const EvaluateReport& report, bool sentences);

}  // namespace fovea::cli
