#include "fovea/eval/ter.h"

#include <algorithm>
#include <limits>

#include "fovea/base/check.h"
#include "fovea/eval/ter_edits.h"
#include "fovea/eval/word_numbers.h"

namespace fovea {

void Ter::count_part(const Part& part, MetricCounts& counts) const {
  WordNumbers numbers;
  for (int64_t i = part.begin; i < part.end; ++i) {
    const std::vector<int> words =
        numbers.of_words(ter_tokens(part.output.lines[i], options_));
    int fewest = std::numeric_limits<int>::max();
    double length = 0;
    for (const MetricText& text : part.references) {
      const std::vector<int> reference =
          numbers.of_words(ter_tokens(text.lines[i], options_));
      fewest = std::min(fewest, ter_edits(words, reference));
      length += static_cast<double>(reference.size());
    }
    counts.row(i)[0] = fewest;
    counts.row(i)[1] = length / static_cast<double>(part.references.size());
  }
}

double Ter::score(std::span<const double> sums) const {
  if (sums[1] > 0) return 100 * sums[0] / sums[1];
  return sums[0] > 0 ? 100 : 0;
}

std::string Ter::signature(int references) const {
  const auto yes = [](bool holds) { return holds ? "yes" : "no"; };
  return join("nrefs:", references,
              "|case:", options_.case_sensitive ? "mixed" : "lc", "|tok:tercom",
              "|norm:", yes(options_.normalized),
              "|punct:", yes(!options_.no_punctuation),
              "|asian:", yes(options_.asian_support), signature_version());
}

std::vector<Figure> Ter::figures(std::span<const double> sums) const {
  return {{"edits", {sums[0]}}, {"ref_len", {sums[1]}, 1}};
}

}  // namespace fovea
