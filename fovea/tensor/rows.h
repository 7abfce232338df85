#pragma once

#include <vector>

namespace fovea {

// Rows of a matrix that belong to sequences which may grow: sequence b has
// `length` rows from `start` on and room for `capacity`.
struct RowRange {
  int start = 0, length = 0, capacity = 0;
};
using Rows = std::vector<RowRange>;

}  // namespace fovea
