#include "fovea/eval/calibration.h"

#include <gtest/gtest.h>

#include "fovea/base/check.h"

namespace fovea {
namespace {

using Texts = std::vector<std::string>;

TEST(CalibrationError, ComparesProbabilitiesWithSuccess) {  // SPEC F14
  // Bin (0.7, 0.8]: two of 0.8, one right, off by 0.3 each; bin (0.9, 1]:
  // right.
  const double probabilities[] = {0.8, 0.8, 1.0};
  EXPECT_NEAR(calibration_error(probabilities, {true, false, true}),
              100 * 0.6 / 3, 1e-9);
  const double sure[] = {0, 1};
  EXPECT_NEAR(calibration_error(sure, {false, true}), 0, 1e-9);
  EXPECT_NEAR(calibration_error(sure, {true, false}), 100, 1e-9);
}

TEST(CalibrationError, ReadsLabelsWithProbabilities) {
  const CalibrationError ece;
  EXPECT_NEAR(corpus_score(ece, Texts{"a\t0.8\tb\t0.2", "a\t0.8", "b\t1"},
                           Texts{"a\ttext", "__label__b text", "b"}),
              20, 1e-9);
}

TEST(CalibrationError, NamesALineWithoutProbability) {
  const Texts output{"a\t0.5", "a 0.5"}, truth{"a", "a"};
  const MetricText reference[] = {{truth}};
  try {
    CalibrationError().count({output, "out.tsv"}, reference);
    FAIL();
  } catch (const Error& e) {
    EXPECT_EQ(e.kind(), ErrorKind::kData);
    EXPECT_STREQ(e.what(), "out.tsv:2: 'a 0.5' is not 'label<TAB>probability'");
  }
  EXPECT_THROW(corpus_score(CalibrationError(), Texts{"a\t1.5"}, Texts{"a"}),
               Error);
}

}  // namespace
}  // namespace fovea
