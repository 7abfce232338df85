#include "fovea/explain/faithfulness_summary.h"

#include <algorithm>
#include <cmath>
#include <iomanip>

#include "fovea/base/check.h"
#include "fovea/base/log.h"
#include "fovea/explain/faithfulness_words.h"
#include "fovea/io/checksum.h"
#include "fovea/io/json.h"
#include "fovea/io/yaml.h"
#include "fovea/models/folder.h"

namespace fovea {
namespace {

constexpr double kSignificant = 0.05;

double median(std::vector<double> values) {
  if (values.empty()) return 0;
  const auto middle = values.begin() + std::ssize(values) / 2;
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

// The mean of what `value` gives of each case.
template <class Fn>
double mean(std::span<const CaseResult> cases, Fn value) {
  double sum = 0;
  for (const CaseResult& r : cases) sum += static_cast<double>(value(r));
  return cases.empty() ? 0 : sum / static_cast<double>(cases.size());
}

template <class Fn>
double median_of(std::span<const CaseResult> cases, Fn value) {
  std::vector<double> all;
  for (const CaseResult& r : cases) all.push_back(value(r));
  return median(std::move(all));
}

double evidence_share(std::span<const CaseResult> cases) {
  int64_t known = 0, found = 0;
  for (const CaseResult& r : cases) {
    known += r.evidence >= 0;
    found += r.evidence == 1;
  }
  return known ? static_cast<double>(found) / static_cast<double>(known) : -1;
}

}  // namespace

AgreementSummary summarise(std::span<const CaseResult> cases,
                           Agreement CaseResult::*of) {
  AgreementSummary s;
  double sum = 0, squares = 0;
  for (const CaseResult& r : cases) {
    const Agreement& a = r.*of;
    if (std::isnan(a.order.tau)) continue;
    ++s.cases;
    sum += a.order.tau;
    squares += a.order.tau * a.order.tau;
    s.significant += a.order.p < kSignificant;
    s.same_top += a.same_top;
  }
  if (s.cases == 0) return s;
  const auto n = static_cast<double>(s.cases);
  s.tau = sum / n;
  s.deviation = std::sqrt(std::max(0.0, squares / n - s.tau * s.tau));
  s.significant /= n;
  s.same_top /= n;
  return s;
}

FaithfulnessSummary summarise(std::span<const CaseResult> cases,
                              double threshold) {
  FaithfulnessSummary s;
  s.cases = std::ssize(cases);
  s.texts = cases.empty() ? 0 : cases.back().text + 1;
  s.threshold = threshold;
  s.gradient = summarise(cases, &CaseResult::gradient);
  s.states = summarise(cases, &CaseResult::states);
  s.erasure = summarise(cases, &CaseResult::erasure);
  s.input = summarise(cases, &CaseResult::input);
  s.integrated = summarise(cases, &CaseResult::integrated);
  s.reference = summarise(cases, &CaseResult::reference);
  for (const CaseResult& r : cases) {
    s.integrated_error = std::max(s.integrated_error, r.integrated_error);
  }
  using Case = const CaseResult&;
  s.accuracy = 100 * mean(cases, [](Case r) { return r.right; });
  s.permuted = median_of(cases, [](Case r) { return r.permuted; });
  s.permuted_same =
      mean(cases, [&](Case r) { return r.permuted <= threshold; });
  s.adversary_js = mean(cases, [](Case r) { return r.adversary.js; });
  s.adversary_median = median_of(cases, [](Case r) { return r.adversary.js; });
  s.adversary_far =
      mean(cases, [](Case r) { return r.adversary.js >= kFarWeights; });
  s.adversary_none = mean(cases, [](Case r) { return r.adversary.found == 0; });
  s.evidence = evidence_share(cases);
  return s;
}

std::array<int64_t, 10> tau_histogram(std::span<const CaseResult> cases,
                                      Agreement CaseResult::*of) {
  std::array<int64_t, 10> counts{};
  for (const CaseResult& r : cases) {
    const double tau = (r.*of).order.tau;
    if (std::isnan(tau)) continue;
    ++counts[std::clamp(static_cast<int>(std::floor(5 * (tau + 1))), 0, 9)];
  }
  return counts;
}

int weight_bin(const CaseResult& result, int bins) {
  return std::clamp(static_cast<int>(result.largest * bins), 0, bins - 1);
}

std::string weights_hash(const FileSource& files) {
  return join(std::hex, std::setw(16), std::setfill('0'),
              checksum(files.bytes(kWeightsFile).bytes));
}

std::string faithfulness_json(FaithfulnessSummary summary) {
  const Claims claims = claims_of(summary);
  summary.verdict = FieldText<Verdict>::print(verdict_of(summary));
  summary.findings = findings(summary);
  summary.allowed = claims.allowed;
  summary.not_allowed = claims.not_allowed;
  return write_json(fields_of(summary));
}

std::optional<FaithfulnessSummary> load_faithfulness(const FileSource& files) {
  if (!files.contains(kFaithfulnessFile)) return {};
  FaithfulnessSummary summary;
  read_yaml(files.text(kFaithfulnessFile), files.place(kFaithfulnessFile),
            fields_of(summary));  // JSON is YAML
  if (summary.weights_hash != weights_hash(files)) {
    log_warning(files.place(kFaithfulnessFile),
                ": is of other weights than the model has now; test it again "
                "with fovea explain --faithfulness FILE --save");
    return {};
  }
  return summary;
}

}  // namespace fovea
