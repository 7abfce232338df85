#pragma once

#include <string>
#include <vector>

#include "fovea/explain/faithfulness_summary.h"
#include "fovea/explain/render_svg.h"
#include "fovea/explain/retraining.h"

namespace fovea::cli {

// All that was found.
struct FaithfulnessReport {
  FaithfulnessSummary summary;
  std::vector<CaseResult> cases;
  std::vector<RetrainedModel> retrained = {};  // or none
  std::vector<std::string> outcomes = {};      // labels; of words: none
};

// For people, in lines of at most so many columns.
std::string report_text(const FaithfulnessReport& report, int width);
// For programs.
std::string report_json(const FaithfulnessReport& report);
// As a picture, and as a page of one file.
std::string report_svg(const FaithfulnessReport& report, SvgTheme theme);
std::string report_page(const FaithfulnessReport& report);

}  // namespace fovea::cli
