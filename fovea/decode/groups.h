#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "fovea/base/parallel.h"

namespace fovea {

struct GroupLimits {
  int sentences = 64;  // at most
  int tokens = 4096;   // of them at most, unless it is one alone
};

// Sentences that are computed together.
using Group = std::vector<int>;

// Sentences of like length together, nearly in their order; `lengths` are
// theirs. One of no length is left out.
std::vector<Group> groups_of(std::span<const int> lengths,
                             const GroupLimits& limits);

// Calls `work` for these groups, one for each thread. `done` is told how many
// sentences are finished, by one thread at a time; if it throws, no further
// group begins.
void run_in_groups(std::span<const int> lengths, const GroupLimits& limits,
                   FunctionRef<void(const Group&)> work,
                   const std::function<void(int64_t)>& done = {});

}  // namespace fovea
