#include "fovea/explain/faithfulness_plots.h"

#include <gtest/gtest.h>

#include "fovea/explain/report_html.h"
#include "support/well_formed.h"

namespace fovea {
namespace {

using namespace fovea::testing;

std::vector<CaseResult> some_cases() {
  std::vector<CaseResult> cases;
  for (int i = 0; i < 12; ++i) {
    CaseResult r;
    r.text = i;
    r.outcome = i % 2;
    r.largest = i / 12.0;
    r.permuted = i / 20.0;
    r.gradient = r.erasure = {{i % 5 / 5.0, 0.01}, true};
    r.adversary = {.js = i / 24.0, .distance = 0.01, .found = 1};
    cases.push_back(r);
  }
  return cases;
}

size_t occurrences(const std::string& text, const std::string& of) {
  size_t count = 0;
  for (size_t at = 0; (at = text.find(of, at)) != text.npos; ++at) ++count;
  return count;
}

class FaithfulnessPlots : public ::testing::Test {
 protected:
  FaithfulnessPlots()
      : cases_(some_cases()), summary_(summarise(cases_, 0.05)) {
    summary_.data = "<b>.tsv";
  }
  FaithfulnessFigures figures() const {
    return {summary_, cases_, retrained_, outcomes_};
  }

  std::vector<CaseResult> cases_;
  FaithfulnessSummary summary_;
  std::vector<RetrainedModel> retrained_;
  std::vector<std::string> outcomes_;
};

TEST_F(FaithfulnessPlots, AreWellFormedWithLabelsAndWithout) {
  for (const bool labels : {false, true}) {
    if (labels) outcomes_ = {"good & <b>", "bad"};
    for (const std::string& svg :
         faithfulness_plots(figures(), SvgTheme::kDark)) {
      EXPECT_EQ(xml_fault(svg), "");
      EXPECT_EQ(svg.find("<b>"), std::string::npos);
      EXPECT_EQ(svg.find("nan"), std::string::npos);
    }
  }
}

TEST_F(FaithfulnessPlots, HaveABarForEachPartOfTauAndAPointForEachCase) {
  const auto plots = faithfulness_plots(figures(), SvgTheme::kAuto);
  // Tau is 0, .2, .4, .6 or .8.
  EXPECT_EQ(occurrences(plots[0], "fill-opacity"), 5u);
  EXPECT_EQ(occurrences(plots[4], "fill-opacity=\"0.6\""), cases_.size());
}

TEST_F(FaithfulnessPlots, ShowModelsThatWereTrainedAgain) {
  const auto before = faithfulness_plots(figures(), SvgTheme::kAuto);
  EXPECT_EQ(before[3].find("other seeds"), before[3].npos);
  retrained_ = {{.name = "seed 1", .js = std::vector<double>(12, 0.1)}};
  summary_.lambdas = {0, 0.125};
  summary_.trained_distance = {0.01, 0.2};
  summary_.trained_js = {0.05, 0.5};
  const auto plots = faithfulness_plots(figures(), SvgTheme::kAuto);
  EXPECT_NE(plots[3].find("other seeds"), plots[3].npos);
  EXPECT_NE(plots[4].find(">0.125<"), plots[4].npos);
}

TEST_F(FaithfulnessPlots, OfNoCasesAreEmpty) {
  cases_.clear();
  for (const std::string& svg :
       faithfulness_plots(figures(), SvgTheme::kAuto)) {
    EXPECT_EQ(xml_fault(svg), "");
  }
}

TEST_F(FaithfulnessPlots, AreAPageWithTheClaims) {
  const std::string page = report_html(faithfulness_page(figures()));
  EXPECT_NE(page.find("You may not say"), page.npos);
  EXPECT_NE(page.find("What was found"), page.npos);
  EXPECT_EQ(occurrences(page, "<svg"), 5u);
  EXPECT_EQ(page.find("<b>"), page.npos);
  EXPECT_EQ(page.find("<script"), page.npos);
}

}  // namespace
}  // namespace fovea
