#include "fovea/eval/registry.h"

#include <gtest/gtest.h>

#include "fovea/base/check.h"

namespace fovea {
namespace {

TEST(MetricRegistry, MakesEveryMetricByName) {
  for (const MetricEntry& entry : metric_registry()) {
    const auto metric = make_metric(entry.name);
    EXPECT_FALSE(metric->name().empty());
    EXPECT_NE(metric->signature(1).find("version:fovea."), std::string::npos);
  }
}

TEST(MetricRegistry, PassesOptionsOn) {
  MetricOptions options;
  options.lowercase = true;
  options.tokenize = BleuTokenizer::kNone;
  EXPECT_NE(
      make_metric("bleu", options)->signature(1).find("lc|eff:no|tok:non"),
      std::string::npos);
  EXPECT_NE(
      make_metric("multi-bleu")->signature(1).find("ascii-space|smooth:none"),
      std::string::npos);
  EXPECT_EQ(make_metric("multi-bleu")->name(), "multi-BLEU");
  EXPECT_EQ(make_metric("chrf++")->name(), "chrF2++");
}

TEST(MetricRegistry, AnswersATypoWithTheNearestName) {
  try {
    make_metric("blue");
    FAIL();
  } catch (const Error& e) {
    EXPECT_EQ(e.kind(), ErrorKind::kUsage);
    EXPECT_NE(std::string(e.what()).find("(did you mean 'bleu'?)"),
              std::string::npos);
  }
}

}  // namespace
}  // namespace fovea
