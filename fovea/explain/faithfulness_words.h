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
  kNot,        // they hardly agree, or matter so little that it proves nothing
};
constexpr EnumName<Verdict> kVerdicts[] = {{Verdict::kSupported, "supported"},
                                           {Verdict::kPartly, "partly"},
                                           {Verdict::kNot, "not"}};
constexpr auto& enum_names(Verdict) { return kVerdicts; }
Verdict verdict_of(const FaithfulnessSummary& summary);

// "12 texts of test.tsv"
std::string texts_name(const FaithfulnessSummary& summary);

// The verdict as a sentence.
std::string verdict_text(const FaithfulnessSummary& summary);

// One sentence for each test.
std::vector<std::string> findings(const FaithfulnessSummary& summary);

struct Claims {
  std::vector<std::string> allowed, not_allowed;
};
Claims claims_of(const FaithfulnessSummary& summary);

// Weights that a map shows.
struct ShownWeights {
  std::string layer = {};  // none: those of several, or what was made of them
  int head = -1;           // -1: the mean over all
  int heads = 1;           // that the layer has
};
bool is_tested(const FaithfulnessSummary& summary, const ShownWeights& shown);

// What stands below a map of a model's weights (SPEC E10): that these were
// tested, and what came out; or that they were not.
std::string map_caution(const std::optional<FaithfulnessSummary>& summary,
                        const ShownWeights& shown);

}  // namespace fovea
