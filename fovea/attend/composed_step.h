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
  Var coverage = {};          // of each pair, where it is wanted

  // Keys that a record shows: with those that the memory left out.
  int full_length(int b) const {
    const int s = sequence[b];
    return memory.full_lengths.empty() ? memory.rows[s].length
                                       : memory.full_lengths[s];
  }
  // In a carry: of each query sequence all keys, head by head.
  Segments numbers(int heads) const {
    std::vector<int> counts;
    for (int s : sequence) counts.push_back(heads * memory.rows[s].length);
    return Segments::from_lengths(counts);
  }
};

}  // namespace fovea
