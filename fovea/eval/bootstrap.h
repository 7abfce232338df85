#pragma once

#include <cstdint>

#include "fovea/base/fields.h"
#include "fovea/eval/metric.h"

namespace fovea {

enum class PairedTest { kBootstrap, kRandomisation };
constexpr EnumName<PairedTest> kPairedTests[] = {
    {PairedTest::kBootstrap, "bootstrap"},
    {PairedTest::kRandomisation, "randomisation"}};
constexpr auto& enum_names(PairedTest) { return kPairedTests; }

struct PairedOptions {
  PairedTest test = PairedTest::kBootstrap;
  int samples = 0;  // 0: 1000 for the bootstrap, 10000 for the other
  int64_t seed = 12345;
};

// Samples that the options ask for.
int samples_of(const PairedOptions& options);

// A score over resampled corpora: its mean and half the width of the interval
// that holds 95 % of them.
struct Spread {
  double mean = 0, half_width = 0;
};
Spread bootstrap_spread(const Metric& metric, const MetricCounts& counts,
                        const PairedOptions& options = {});

struct PairedResult {
  double difference = 0;  // other - base
  // How likely a difference as large is if neither is better, by the rule of
  // sacreBLEU: for the bootstrap, the share of samples whose difference exceeds
  // the mean difference by more than the true one (Koehn 2004 as Moses has it);
  // for randomisation, of those with a larger one (Riezler and Maxwell 2005).
  double p = 1;
  double wins = 0;  // share of the samples in which `other` is better
};

// Compares two systems' counts of the same sentences. The draws depend on the
// seed alone, so that all systems and metrics see the same samples.
PairedResult paired_test(const Metric& metric, const MetricCounts& base,
                         const MetricCounts& other,
                         const PairedOptions& options = {});

}  // namespace fovea
