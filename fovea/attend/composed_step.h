#pragma once

#include <vector>

#include "fovea/attend/composed.h"

namespace fovea {

// One call of Composed::attend, with its queries made ready.
struct Composed::Step {
  const Queries& queries;
  const Memory& memory;
  const Carry& carry;
  std::vector<int> sequence;  // of memory, for each query sequence
  std::vector<int> position;  // of its first row
  Var q;                      // prepared

  // Keys that a record shows: with those that the memory left out.
  int full_length(int b) const {
    const int s = sequence[b];
    return memory.full_lengths.empty() ? memory.rows[s].length
                                       : memory.full_lengths[s];
  }
};

}  // namespace fovea
