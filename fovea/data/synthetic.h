#pragma once

#include <cstdint>
#include <string>

#include "fovea/base/fields.h"
#include "fovea/data/pharaoh.h"

// Made-up tasks to learn from. Each has a right answer, so that it can be
// measured what a model has learned.
namespace fovea {

enum class SyntheticTask {
  kDates,     // a date as people write it -> 1995-10-20
  kReverse,   // symbols in reverse order
  kCopy,      // the same symbols
  kSort,      // symbols sorted
  kReorder,   // English -> French, where adjectives stand behind their noun
  kRecall,    // the letter in front of many digits
  kEvidence,  // up or down: one word among letters tells which
  kRoles,     // a clause, active or passive -> who did what to whom
};
constexpr EnumName<SyntheticTask> kSyntheticTasks[] = {
    {SyntheticTask::kDates, "dates"},
    {SyntheticTask::kReverse, "reverse"},
    {SyntheticTask::kCopy, "copy"},
    {SyntheticTask::kSort, "sort"},
    {SyntheticTask::kReorder, "reorder"},
    {SyntheticTask::kRecall, "recall"},
    {SyntheticTask::kEvidence, "evidence"},
    {SyntheticTask::kRoles, "roles"},
};
constexpr auto& enum_names(SyntheticTask) { return kSyntheticTasks; }

// A tenth of all sources is kept for tests: no source of the one part is in the
// other.
enum class SyntheticPart { kAll, kTrain, kTest };
constexpr EnumName<SyntheticPart> kSyntheticParts[] = {
    {SyntheticPart::kAll, "all"},
    {SyntheticPart::kTrain, "train"},
    {SyntheticPart::kTest, "test"},
};
constexpr auto& enum_names(SyntheticPart) { return kSyntheticParts; }

struct SyntheticConfig {
  int64_t seed = 1;
  SyntheticPart part = SyntheticPart::kAll;
  int min_length = 3;
  int max_length = 12;
  int symbols = 26;
  int delay = 20;

  void fields(auto&& field) {
    field("seed", seed, "seed of all choices");
    field("part", part,
          "all, train or test; a tenth of all sources is for tests");
    field("min-length", min_length, "symbols of a text, at least");
    field("max-length", max_length, "symbols of a text, at most");
    field("symbols", symbols, "how many different ones, 26 at most");
    field("delay", delay, "digits of recall");
  }
};

struct SyntheticPair {
  std::string source, target;
  WordLinks links = {};  // which word comes from which; none for dates
};

// True if the target is a label of the source, not a text.
bool is_labelled(SyntheticTask task);

// Usage errors for sizes that cannot be.
void check_synthetic(const SyntheticConfig& config);

// The pair of an index depends on nothing but the task, the config and the
// index.
SyntheticPair make_synthetic(SyntheticTask task, const SyntheticConfig& config,
                             int64_t index);

}  // namespace fovea
