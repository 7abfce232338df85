#pragma once

#include <optional>
#include <string>
#include <vector>

#include "bench/bench.h"

namespace fovea::bench {

// What a bar asks for.
enum class BarKind {
  kRatio,        // the ratio of each case is at least `need`
  kGeomean,      // the geometric mean of the ratios is, for each thread count
  kValueAtMost,  // the value of each case is at most `need`
};

// One line of bench/bars.json.
struct Bar {
  std::string bench;
  std::string pattern;  // of case names: * and ? as in file names
  std::optional<int> threads;
  BarKind kind = BarKind::kRatio;
  double need = 0;
};

std::vector<Bar> read_bars(const std::string& path);

bool applies(const Bar& bar, const Row& row);

// A row, the bar it must reach (if any) and whether it does. No answer: there
// is no bar, or the row could not be measured.
struct Verdict {
  Row row;
  std::optional<double> need;
  std::optional<bool> ok;
};

bool same_case(const Row& a, const Row& b);

// Puts a second measurement of a case in place of the first if it is better.
void keep_better(std::vector<Row>& rows, const std::vector<Row>& again);

bool measured(const Row& row, BarKind kind);

// A verdict on each row, then one for each geometric mean that applies.
std::vector<Verdict> judge(const std::vector<Row>& rows,
                           const std::vector<Bar>& bars);

// The bars that apply to no row: what they ask for was not measured.
std::vector<Verdict> unmet(const std::vector<Row>& rows,
                           const std::vector<Bar>& bars);

// 0 if all that have a bar reach it, 1 if one does not, 2 if one could not be
// measured.
int exit_code(const std::vector<Verdict>& verdicts);

}  // namespace fovea::bench
