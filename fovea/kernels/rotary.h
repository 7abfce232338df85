#pragma once

#include <cstdint>
#include <span>

#include "fovea/kernels/view.h"

namespace fovea::kernels {

// Turns pairs of a head's first `width` columns (SPEC C6): element i becomes
//   x[i] * cos[row, i] + x[partner of i] * sin[row, i],
// where sin carries the sign. The other columns stay as they are.
struct Rotation {
  int heads = 1;
  int width = 0;         // columns of a head that are turned; even
  bool adjacent = true;  // partners are i and i^1; else i and i +- half
  std::span<const int> table_row = {};  // of each row of x
  const float* cos = nullptr;           // [rows of the table, width]
  const float* sin = nullptr;
  bool back = false;  // by minus the angle
};
// y = x turned, or y += it; x and y may not overlap.
void rotate(ConstMatrixView x, const Rotation& rotation, bool accumulate,
            MatrixView y);

}  // namespace fovea::kernels
