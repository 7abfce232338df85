#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace fovea {

// Rows of a matrix that belong to sequences which may grow: sequence b has
// `length` rows from `start` on and room for `capacity`.
struct RowRange {
  int start = 0, length = 0, capacity = 0;
};
using Rows = std::vector<RowRange>;

// Rows of a matrix for sequences that lie one behind another.
int64_t total_capacity(const Rows& rows);

// If some sequence has no room for as many new rows, gives each such half of
// its capacity more, or some rows, and lays them out anew, one behind another.
// True if it did.
bool make_room(Rows& rows, std::span<const int> added);

}  // namespace fovea
