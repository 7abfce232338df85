#pragma once

#include <optional>
#include <string>
#include <vector>

#include "fovea/explain/faithfulness_summary.h"

// What numbers allow one to say, in words.
namespace fovea {

// Whether a map of the weights may be read as "these tokens made the output".
enum class Verdict {
  kSupported,  // they agree with what moves the output, and matter to it
  kPartly,     // they agree, but quite other weights would do as well
  kNot,        // they hardly agree
};
Verdict verdict_of(const FaithfulnessSummary& summary);

// One sentence for each test.
std::vector<std::string> findings(const FaithfulnessSummary& summary);

struct Claims {
  std::vector<std::string> allowed, not_allowed;
};
Claims claims_of(const FaithfulnessSummary& summary);

// What stands below maps of a model's weights (SPEC E10): that it was tested,
// and what came out; or that it was not.
std::string map_caution(const std::optional<FaithfulnessSummary>& summary);

}  // namespace fovea
