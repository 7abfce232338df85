#include "fovea/eval/pair_metric.h"

#include <algorithm>
#include <optional>

#include "fovea/base/check.h"
#include "fovea/base/unicode_case.h"
#include "fovea/eval/word_numbers.h"

namespace fovea {
namespace {

std::vector<int> symbols_of(const std::string& line, const PairSymbols& symbols,
                            WordNumbers& words) {
  const std::string text = symbols.lower_case ? lower_case(line) : line;
  return symbols.characters ? characters_of(text, " ") : words.of_words(text);
}

}  // namespace

void PairMetric::count_part(const Part& part, MetricCounts& counts) const {
  WordNumbers words;
  std::vector<double> candidate(width());
  for (int64_t i = part.begin; i < part.end; ++i) {
    const std::vector<int> output =
        symbols_of(part.output.lines[i], symbols_, words);
    std::optional<double> best;
    for (const MetricText& text : part.references) {
      compare(output, symbols_of(text.lines[i], symbols_, words), candidate);
      const double now = score(candidate);
      if (best && (higher_is_better() ? now <= *best : now >= *best)) continue;
      best = now;
      std::copy(candidate.begin(), candidate.end(), counts.row(i).begin());
    }
  }
}

std::string PairMetric::signature(int references) const {
  return join("nrefs:", references,
              "|case:", symbols_.lower_case ? "lc" : "mixed",
              "|unit:", symbols_.characters ? "character" : "word",
              signature_version());
}

}  // namespace fovea
