#pragma once

#include <span>
#include <string>
#include <vector>

#include "fovea/explain/faithfulness_summary.h"
#include "fovea/explain/render_svg.h"
#include "fovea/explain/report_html.h"
#include "fovea/explain/retraining.h"

// The figures of both papers, of one model's tests.
namespace fovea {

// All that was found. Refers to what it is given.
struct FaithfulnessFigures {
  const FaithfulnessSummary& summary;
  std::span<const CaseResult> cases;
  std::span<const RetrainedModel> retrained = {};
  std::span<const std::string> outcomes = {};  // labels; of words: none
};

// How tau is spread, by predicted label; what shuffling does to the output and
// how far other weights are from the model's, by the largest weight; and how
// far outputs move when weights do.
std::vector<std::string> faithfulness_plots(const FaithfulnessFigures& figures,
                                            SvgTheme theme);

// The same with all sentences and claims as one page (report_html).
Report faithfulness_page(const FaithfulnessFigures& figures);

}  // namespace fovea
