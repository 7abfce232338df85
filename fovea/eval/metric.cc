#include "fovea/eval/metric.h"

#include <iomanip>
#include <sstream>

#include "fovea/base/check.h"
#include "fovea/base/parallel.h"
#include "fovea/base/version.h"

namespace fovea {
namespace {

constexpr int64_t kGrain = 64;  // sentences for a thread to be worth it

}  // namespace

std::vector<double> MetricCounts::sums() const {
  std::vector<double> sums(width_);
  for (int64_t i = 0; i < sentences_; ++i) {
    for (int k = 0; k < width_; ++k) sums[k] += values_[i * width_ + k];
  }
  return sums;
}

void Metric::check_texts(const MetricText& output,
                         std::span<const MetricText> references) const {
  check(takes_references() == !references.empty(), name(),
        takes_references() ? " needs a reference" : " takes no reference");
  for (const MetricText& reference : references) {
    check_data(reference.lines.size() == output.lines.size(), output.source,
               " has ", output.lines.size(), " lines but ", reference.source,
               " has ", reference.lines.size());
  }
}

MetricCounts SentenceMetric::count(
    const MetricText& output, std::span<const MetricText> references) const {
  check_texts(output, references);
  const auto sentences = static_cast<int64_t>(output.lines.size());
  MetricCounts counts(sentences, width());
  parallel_for(sentences, kGrain, [&](int64_t begin, int64_t end) {
    count_part({output, references, begin, end}, counts);
  });
  return counts;
}

std::string Metric::details(std::span<const double> sums) const {
  std::string text;
  for (const Figure& figure : figures(sums)) {
    text += join(text.empty() ? "(" : " ", figure_text(figure));
  }
  return text.empty() ? text : text + ")";
}

std::string list_text(const Figure& figure) {
  std::string text;
  for (double value : figure.values) {
    text += join(text.empty() ? "" : "/", fixed_digits(value, figure.digits));
  }
  return text;
}

std::string figure_text(const Figure& figure) {
  return join(figure.name, " = ", list_text(figure));
}

double corpus_score(const Metric& metric, std::span<const std::string> output,
                    std::span<const std::string> reference) {
  const MetricText references[] = {{reference, "the reference"}};
  return metric.score(metric.count({output, "the output"}, references).sums());
}

std::string fixed_digits(double value, int digits) {
  std::ostringstream out;
  out << std::fixed << std::setprecision(digits) << value;
  return std::move(out).str();
}

std::string signature_version() { return "|version:fovea." + version(); }

}  // namespace fovea
