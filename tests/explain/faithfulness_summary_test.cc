#include "fovea/explain/faithfulness_summary.h"

#include <gtest/gtest.h>

#include <cmath>

#include "fovea/base/check.h"
#include "fovea/explain/faithfulness_words.h"
#include "fovea/explain/heatmap.h"
#include "fovea/models/folder.h"
#include "support/temp_folder.h"

namespace fovea {
namespace {

using namespace fovea::testing;

CaseResult a_case(double tau, double p, double permuted, double js) {
  CaseResult r;
  r.gradient = {{tau, p}, tau > 0};
  r.permuted = permuted;
  r.adversary = {.js = js, .found = js > 0};
  return r;
}

TEST(FaithfulnessSummary, HasMeansSharesAndMedians) {
  const std::vector<CaseResult> cases = {a_case(0.5, 0.01, 0.00, 0.6),
                                         a_case(-0.1, 0.7, 0.20, 0.1),
                                         a_case(std::nan(""), 1.0, 0.04, 0.0)};
  const FaithfulnessSummary s = summarise(cases, 0.05);
  EXPECT_EQ(s.cases, 3);
  EXPECT_EQ(s.gradient.cases, 2);
  EXPECT_NEAR(s.gradient.tau, 0.2, 1e-12);
  EXPECT_NEAR(s.gradient.deviation, 0.3, 1e-12);
  EXPECT_NEAR(s.gradient.significant, 0.5, 1e-12);
  EXPECT_NEAR(s.gradient.same_top, 0.5, 1e-12);
  EXPECT_NEAR(s.permuted, 0.04, 1e-12);
  EXPECT_NEAR(s.permuted_same, 2 / 3.0, 1e-12);
  EXPECT_NEAR(s.adversary_far, 1 / 3.0, 1e-12);
  EXPECT_NEAR(s.adversary_none, 1 / 3.0, 1e-12);
  EXPECT_NEAR(s.adversary_median, 0.1, 1e-12);
  EXPECT_EQ(s.evidence, -1);
  const auto histogram = tau_histogram(cases, &CaseResult::gradient);
  EXPECT_EQ(histogram[7], 1);
  EXPECT_EQ(histogram[4], 1);
}

TEST(FaithfulnessSummary, ComesBackFromItsFile) {
  const TempFolder folder;
  EXPECT_FALSE(load_faithfulness(folder.path()));
  FaithfulnessSummary s;
  s.data = "caf\u00e9 \"1\" \\ 2.tsv";
  s.layer = "classes.pool";
  s.tokenwise = true;
  s.texts = 500;
  s.gradient.tau = 0.123456789;
  s.lambdas = {0, 0.001, 1};
  s.trained_js = {1e-9, 0.5, 0.25};
  s.trained_distance = {0, 0, 0};
  folder.write(kWeightsFile, "weights");
  s.weights_hash = weights_hash(folder.path());
  folder.write(kFaithfulnessFile, faithfulness_json(s));
  auto back = load_faithfulness(folder.path());
  ASSERT_TRUE(back);
  // Words for pages are of the file alone.
  EXPECT_EQ(back->verdict, "not");
  EXPECT_EQ(back->findings, findings(s));
  EXPECT_EQ(back->allowed, claims_of(s).allowed);
  EXPECT_EQ(back->not_allowed, claims_of(s).not_allowed);
  back->verdict = "";
  back->findings = back->allowed = back->not_allowed = {};
  EXPECT_TRUE(changed_fields(fields_of(s), fields_of(*back)).empty());
  EXPECT_EQ(back->data, s.data);
}

TEST(FaithfulnessSummary, OfOtherWeightsCountsAsNone) {
  const TempFolder folder;
  folder.write(kWeightsFile, "weights");
  FaithfulnessSummary s;
  folder.write(kFaithfulnessFile, faithfulness_json(s));
  EXPECT_FALSE(load_faithfulness(folder.path()));  // it tells no weights
  s.weights_hash = weights_hash(folder.path());
  folder.write(kFaithfulnessFile, faithfulness_json(s));
  EXPECT_TRUE(load_faithfulness(folder.path()));
  folder.write(kWeightsFile, "weightt");  // trained again
  EXPECT_FALSE(load_faithfulness(folder.path()));
}

TEST(FaithfulnessSummary, OfAFileThatIsNotRightIsADataError) {
  const TempFolder folder;
  folder.write(kFaithfulnessFile, "{\"texts\": \"many\"}");
  try {
    load_faithfulness(folder.path());
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kData);
  }
}

FaithfulnessSummary faithful() {
  FaithfulnessSummary s;
  s.data = "test.tsv";
  s.texts = 100;
  s.threshold = 0.05;
  s.gradient = {.tau = 0.7, .same_top = 0.9, .cases = 100};
  s.erasure = {.tau = 0.6, .same_top = 0.95, .cases = 100};
  s.permuted = 0.4;
  s.permuted_same = 0.1;
  s.adversary_far = 0.05;
  s.tokenwise = true;
  return s;
}

bool says(const std::vector<std::string>& lines, const std::string& words) {
  for (const std::string& line : lines) {
    if (line.find(words) != std::string::npos) return true;
  }
  return false;
}

TEST(Verdict, SupportsWeightsThatAgreeAndMatter) {
  const FaithfulnessSummary s = faithful();
  EXPECT_EQ(verdict_of(s), Verdict::kSupported);
  EXPECT_TRUE(says(claims_of(s).allowed, "move the output most"));
  EXPECT_TRUE(says(claims_of(s).allowed, "belongs to its token alone"));
}

TEST(Verdict, OfFewTextsIsATendency) {
  FaithfulnessSummary s = faithful();
  s.texts = 9;
  EXPECT_EQ(verdict_of(s), Verdict::kPartly);
  EXPECT_FALSE(says(claims_of(s).allowed, "move the output most"));
  EXPECT_TRUE(says(claims_of(s).not_allowed, "9 texts are too few"));
  s.texts = 10;
  EXPECT_EQ(verdict_of(s), Verdict::kSupported);
  s.texts = 1;
  EXPECT_NE(map_caution(s, {.layer = s.layer, .head = -1}).find("1 text of"),
            std::string::npos);
}

TEST(Verdict, FallsWhenOtherWeightsDoAsWell) {
  FaithfulnessSummary s = faithful();
  s.adversary_far = 0.8;
  EXPECT_EQ(verdict_of(s), Verdict::kPartly);
  EXPECT_TRUE(says(claims_of(s).not_allowed, "the only ones"));
  s = faithful();
  s.permuted_same = 0.8;
  EXPECT_EQ(verdict_of(s), Verdict::kPartly);
}

// Agreement that is fair at best proves nothing where nothing depends on the
// weights.
TEST(Verdict, IsNotSupportedWhereWeightsDoNotMatter) {
  FaithfulnessSummary s = faithful();
  s.gradient = s.erasure = {.tau = 0.1, .same_top = 0.55, .cases = 100};
  EXPECT_EQ(verdict_of(s), Verdict::kPartly);
  s.adversary_far = 0.97;
  EXPECT_EQ(verdict_of(s), Verdict::kPartly);
  s.permuted_same = 0.9;
  EXPECT_EQ(verdict_of(s), Verdict::kNot);
}

TEST(Verdict, TakesAccountOfModelsTrainedAgain) {
  FaithfulnessSummary s = faithful();
  s.again = 90;
  s.uniform = 70;
  EXPECT_EQ(verdict_of(s), Verdict::kSupported);
  s.uniform = 89.5;  // as good without attention: that is no fault of theirs
  EXPECT_EQ(verdict_of(s), Verdict::kSupported);
  FaithfulnessSummary fair = s;
  fair.gradient = fair.erasure = {.tau = 0.3, .same_top = 0.4, .cases = 100};
  fair.adversary_far = 0.6;
  EXPECT_EQ(verdict_of(fair), Verdict::kNot);
  fair.uniform = 70;
  EXPECT_EQ(verdict_of(fair), Verdict::kPartly);
  s.uniform = 70;
  s.seed_js = 0.05;
  s.lambdas = {0, 0.1};
  s.trained_distance = {0.01, 0.3};
  s.trained_js = {0.02, 0.6};
  EXPECT_EQ(verdict_of(s), Verdict::kSupported);  // hard to manipulate
  EXPECT_TRUE(says(claims_of(s).allowed, "hard to manipulate"));
  s.trained_distance[1] = 0.04;
  EXPECT_EQ(verdict_of(s), Verdict::kPartly);
  EXPECT_TRUE(says(claims_of(s).not_allowed, "trained to look elsewhere"));
}

TEST(Verdict, SaysWhereAttentionIsNotNeeded) {
  FaithfulnessSummary s = faithful();
  EXPECT_FALSE(says(claims_of(s).not_allowed, "uniform weights"));
  s.again = 80;
  s.uniform = 79.5;
  EXPECT_TRUE(says(claims_of(s).not_allowed, "uniform weights"));
}

TEST(Verdict, IsNotSupportedWithoutAgreement) {
  FaithfulnessSummary s = faithful();
  s.erasure = {.tau = 0.1, .same_top = 0.2, .cases = 100};
  EXPECT_EQ(verdict_of(s), Verdict::kNot);
  EXPECT_TRUE(says(claims_of(s).not_allowed, "These tokens made the output"));
}

// With every mixture of agreement and doubts: what the verdict denies, no claim
// allows.
TEST(Verdict, NeverStandsBesideAClaimThatItDenies) {
  int seen[3] = {};
  for (int mixture = 0; mixture < 3 * 16; ++mixture) {
    FaithfulnessSummary s = faithful();
    const double tau = 0.1 + 0.25 * (mixture % 3);
    s.gradient = s.erasure = {.tau = tau, .same_top = 0, .cases = 100};
    const int doubts = mixture / 3;
    if (doubts & 1) s.adversary_far = 0.9;
    if (doubts & 2) s.permuted_same = 0.9;
    s.again = 90, s.uniform = doubts & 4 ? 89.5 : 70;
    s.seed_js = 0.05;
    s.lambdas = {0.1}, s.trained_js = {0.6};
    s.trained_distance = {doubts & 8 ? 0.01 : 0.5};
    const Verdict verdict = verdict_of(s);
    ++seen[static_cast<int>(verdict)];
    const Claims claims = claims_of(s);
    const bool denies = verdict == Verdict::kNot;
    EXPECT_EQ(says(claims.allowed, "okens with large weights"), !denies)
        << mixture;
    EXPECT_EQ(says(claims.not_allowed, "These tokens made the output"), denies)
        << mixture;
  }
  for (const int count : seen) EXPECT_GT(count, 0);
}

TEST(Findings, SayThatRetrainingIsForClassifiersOnly) {
  FaithfulnessSummary s = faithful();
  EXPECT_TRUE(says(findings(s), "give --train FILE"));
  s.is_sequence = true;
  EXPECT_TRUE(says(findings(s), "for classifiers only"));
  EXPECT_TRUE(says(findings(s), "output words"));
}

TEST(MapCaution, TellsWhetherAMapWasTested) {
  EXPECT_EQ(map_caution({}, {}), kUntestedCaution);
  FaithfulnessSummary s = faithful();
  s.layer = "classes.pool";
  const std::string text = map_caution(s, {.layer = "classes.pool"});
  EXPECT_NE(text.find("Tested on 100 texts of test.tsv"), std::string::npos);
  EXPECT_NE(text.find("0.70"), std::string::npos);
  EXPECT_EQ(text.find("not tested"), std::string::npos);
  const std::string other = map_caution(s, {.layer = "encoder.layer.0.self"});
  EXPECT_NE(other.find("not tested; those of classes.pool"), std::string::npos);
  EXPECT_EQ(other.find("Tested on"), std::string::npos);
}

}  // namespace
}  // namespace fovea
