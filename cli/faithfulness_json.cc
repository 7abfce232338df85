#include <cmath>
#include <nlohmann/json.hpp>

#include "cli/faithfulness_report.h"
#include "fovea/base/unicode.h"
#include "fovea/explain/faithfulness_words.h"

namespace fovea::cli {
namespace {

using nlohmann::ordered_json;

ordered_json number(double value) {
  return std::isfinite(value) ? ordered_json(value) : ordered_json(nullptr);
}

ordered_json agreement_json(const Agreement& a) {
  return {
      {"tau", number(a.order.tau)}, {"p", a.order.p}, {"same_top", a.same_top}};
}

ordered_json case_json(const FaithfulnessReport& report, const CaseResult& r) {
  ordered_json object = {{"text", r.text}};
  if (report.outcomes.empty()) {
    object["word"] = r.number;
  } else {
    object["label"] = mend_utf8(report.outcomes[r.outcome]);
  }
  object["probability"] = r.probability;
  object["right"] = r.right;
  object["tokens"] = r.tokens;
  object["largest_weight"] = r.largest;
  object["top_token"] = r.top;
  object["gradient"] = agreement_json(r.gradient);
  object["states"] = agreement_json(r.states);
  object["erasure"] = agreement_json(r.erasure);
  object["input"] = agreement_json(r.input);
  object["integrated"] = agreement_json(r.integrated);
  object["integrated_error"] = r.integrated_error;
  object["permuted"] = r.permuted;
  object["adversary"] = {{"js", r.adversary.js},
                         {"distance", r.adversary.distance},
                         {"found", r.adversary.found},
                         {"weights", r.adversary.weights}};
  if (r.evidence >= 0) object["evidence"] = r.evidence == 1;
  return object;
}

}  // namespace

std::string report_json(const FaithfulnessReport& report) {
  const Claims claims = claims_of(report.summary);
  ordered_json object = {
      {"summary", ordered_json::parse(faithfulness_json(report.summary))},
      {"findings", findings(report.summary)},
      {"allowed", claims.allowed},
      {"not_allowed", claims.not_allowed}};
  ordered_json retrained = ordered_json::array();
  for (const RetrainedModel& m : report.retrained) {
    retrained.push_back({{"name", m.name},
                         {"accuracy", m.accuracy},
                         {"macro_f1", m.macro_f1},
                         {"distance", m.distance},
                         {"js", m.js}});
  }
  object["retrained"] = std::move(retrained);
  ordered_json cases = ordered_json::array();
  for (const CaseResult& r : report.cases)
    cases.push_back(case_json(report, r));
  object["cases"] = std::move(cases);
  return object.dump(1) + "\n";
}

}  // namespace fovea::cli
