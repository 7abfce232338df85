#include "bench/bars.h"

#include <fnmatch.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>

#include "fovea/base/check.h"

namespace fovea::bench {
namespace {

BarKind kind_of(const std::string& name) {
  if (name == "ratio") return BarKind::kRatio;
  if (name == "geomean") return BarKind::kGeomean;
  if (name == "value_at_most") return BarKind::kValueAtMost;
  fail(ErrorKind::kData, "bars.json: no kind of bar is named '", name, "'");
}

std::optional<bool> verdict(const Row& row, const Bar& bar) {
  if (!measured(row, bar.kind)) return std::nullopt;
  return bar.kind == BarKind::kValueAtMost ? row.value <= bar.need
                                           : row.ratio >= bar.need;
}

// One row for the geometric mean of those that the bar applies to; its ratio is
// 0 (not measured) if one of them was not.
Row geomean(const std::vector<Row>& rows, const Bar& bar) {
  Row mean;
  mean.bench = bar.bench;
  mean.name = join("geometric mean of ", rows.size(), " cases");
  mean.threads = rows.front().threads;
  mean.unit = "ratio";
  mean.peer = rows.front().peer;
  double sum = 0;
  for (const Row& row : rows) {
    if (!measured(row, bar.kind)) return mean;
    sum += std::log(row.ratio);
  }
  mean.value = mean.ratio = std::exp(sum / static_cast<double>(rows.size()));
  mean.peer_value = 1;
  return mean;
}

}  // namespace

std::vector<Bar> read_bars(const std::string& path) {
  std::ifstream in(path);
  check_data(in.good(), "cannot read ", path);
  std::vector<Bar> bars;
  for (const nlohmann::json& line : nlohmann::json::parse(in)) {
    Bar bar;
    bar.bench = line.at("bench");
    bar.pattern = line.value("case", "*");
    if (line.contains("threads")) bar.threads = line.at("threads").get<int>();
    bar.kind = kind_of(line.value("kind", "ratio"));
    bar.need = line.at("need");
    bars.push_back(bar);
  }
  return bars;
}

bool applies(const Bar& bar, const Row& row) {
  return bar.bench == row.bench &&
         bar.threads.value_or(row.threads) == row.threads &&
         fnmatch(bar.pattern.c_str(), row.name.c_str(), 0) == 0;
}

bool same_case(const Row& a, const Row& b) {
  return a.bench == b.bench && a.name == b.name && a.threads == b.threads;
}

void keep_better(std::vector<Row>& rows, const std::vector<Row>& again) {
  for (Row& row : rows) {
    for (const Row& other : again) {
      if (!same_case(row, other)) continue;
      // Without a peer there is no ratio, and the smaller value is better.
      const bool better = other.peer_value > 0 || row.peer_value > 0
                              ? other.ratio > row.ratio
                              : other.value < row.value;
      if (better) row = other;
    }
  }
}

bool measured(const Row& row, BarKind kind) {
  return kind == BarKind::kValueAtMost
             ? std::isfinite(row.value)
             : row.peer_value > 0 && std::isfinite(row.ratio) && row.ratio > 0;
}

std::vector<Verdict> judge(const std::vector<Row>& rows,
                           const std::vector<Bar>& bars) {
  std::vector<Verdict> all;
  for (const Row& row : rows) {
    Verdict one{row, std::nullopt, std::nullopt};
    for (const Bar& bar : bars) {
      if (bar.kind == BarKind::kGeomean || !applies(bar, row)) continue;
      one.need = bar.need;
      one.ok = verdict(row, bar);
      break;  // the first bar that applies is the one that counts
    }
    all.push_back(one);
  }
  for (const Bar& bar : bars) {
    if (bar.kind != BarKind::kGeomean) continue;
    std::map<int, std::vector<Row>> by_threads;
    for (const Row& row : rows) {
      if (applies(bar, row)) by_threads[row.threads].push_back(row);
    }
    for (const auto& [threads, some] : by_threads) {
      const Row mean = geomean(some, bar);
      all.push_back({mean, bar.need, verdict(mean, bar)});
    }
  }
  return all;
}

std::vector<Verdict> unmet(const std::vector<Row>& rows,
                           const std::vector<Bar>& bars) {
  std::vector<Verdict> all;
  for (const Bar& bar : bars) {
    const bool met = std::any_of(rows.begin(), rows.end(), [&](const Row& row) {
      return applies(bar, row);
    });
    if (met) continue;
    Row row;
    row.bench = bar.bench;
    row.name = bar.pattern;
    row.threads = bar.threads.value_or(0);
    row.value = std::nan("");
    all.push_back({row, bar.need, std::nullopt});
  }
  return all;
}

int exit_code(const std::vector<Verdict>& verdicts) {
  int code = 0;
  for (const Verdict& v : verdicts) {
    if (!v.need) continue;
    if (!v.ok) {
      code = code == 0 ? 2 : code;
    } else if (!*v.ok) {
      code = 1;
    }
  }
  return code;
}

}  // namespace fovea::bench
