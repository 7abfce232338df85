// Any bytes as an output and its reference: metrics of text give numbers in
// their range and do not fail.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#include "fovea/eval/registry.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  const std::vector<std::string> output{text.substr(0, size / 2)},
      reference{text.substr(size / 2)};
  fovea::MetricOptions options;
  options.lowercase = size % 2 == 0;
  options.ter_normalized = options.ter_no_punct = size % 3 == 0;
  options.ter_asian_support = true;
  options.split_compounds = size % 5 == 0;
  for (const char* name : {"bleu", "multi-bleu", "chrf++", "ter", "wer", "cer",
                           "accuracy", "exact", "f1"}) {
    const auto metric = fovea::make_metric(name, options);
    const double score = fovea::corpus_score(*metric, output, reference);
    if (!(score >= 0)) abort();
    if (metric->higher_is_better() && score > 100 + 1e-9) abort();
  }
  return 0;
}
