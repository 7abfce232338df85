#pragma once

#include <cstdint>
#include <optional>

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
  // How likely a difference as large is if neither is better. For the
  // bootstrap, the share of samples whose difference exceeds the mean one by at
  // least the true one (Koehn 2004 as Moses and sacreBLEU have it); for
  // randomisation, the share of those with at least the true one (Riezler and
  // Maxwell 2005). A system against itself has 1.
  double p = 1;
  // Share of the samples in which `other` is better; none for randomisation,
  // whose samples mix the two.
  std::optional<double> wins = {};
};

// Compares two systems' counts of the same sentences. The draws depend on the
// seed alone, so that all systems and metrics see the same samples.
PairedResult paired_test(const Metric& metric, const MetricCounts& base,
                         const MetricCounts& other,
                         const PairedOptions& options = {});

}  // namespace fovea
