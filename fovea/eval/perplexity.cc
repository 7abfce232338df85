#include "fovea/eval/perplexity.h"

#include <charconv>
#include <cmath>
#include <numbers>
#include <string_view>

#include "fovea/base/check.h"
#include "fovea/base/words.h"

namespace fovea {
namespace {

double natural(LogBase base) {
  switch (base) {
    case LogBase::kE:
      return 1;
    case LogBase::k2:
      return std::numbers::ln2;
    case LogBase::k10:
      return std::numbers::ln10;
  }
  return 1;
}

// A log-probability: at most 0, minus infinity included.
bool parse(std::string_view word, double& value) {
  const auto [end, error] =
      std::from_chars(word.data(), word.data() + word.size(), value);
  return error == std::errc() && end == word.data() + word.size() && value <= 0;
}

}  // namespace

double perplexity(std::span<const double> log_probabilities) {
  double sum = 0;
  for (double value : log_probabilities) sum += value;
  return std::exp(-sum / static_cast<double>(log_probabilities.size()));
}

MetricCounts Perplexity::count(const MetricText& output,
                               std::span<const MetricText> references) const {
  check_texts(output, references);
  MetricCounts counts(static_cast<int64_t>(output.lines.size()), 2);
  for (int64_t i = 0; i < counts.sentences(); ++i) {
    for (const std::string_view word : split_words(output.lines[i])) {
      double value = 0;
      check_data(parse(word, value), output.source, ":", i + 1, ": '", word,
                 "' is not the logarithm of a probability");
      counts.row(i)[0] += value * natural(base_);
      counts.row(i)[1] += 1;
    }
  }
  check_data(counts.sums()[1] > 0, output.source, ": there are no numbers");
  return counts;
}

double Perplexity::score(std::span<const double> sums) const {
  return std::exp(-sums[0] / sums[1]);
}

std::vector<Figure> Perplexity::figures(std::span<const double> sums) const {
  return {{"tokens", {sums[1]}},
          {"bits_per_token", {-sums[0] / sums[1] / std::numbers::ln2}, 3}};
}

std::string Perplexity::signature(int) const {
  return "log:" + FieldText<LogBase>::print(base_) + signature_version();
}

}  // namespace fovea
