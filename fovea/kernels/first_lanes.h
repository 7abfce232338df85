#pragma once

#include <cstdint>

namespace fovea::kernels {

// For each set of eight lanes, which of them come first when the lanes of the
// set are pushed together.
struct FirstLanes {
  alignas(32) int32_t of[256][8] = {};

  constexpr FirstLanes() {
    for (int set = 0; set < 256; ++set) {
      int count = 0;
      for (int lane = 0; lane < 8; ++lane) {
        if (set >> lane & 1) of[set][count++] = lane;
      }
    }
  }
};
inline constexpr FirstLanes kFirstLanes;

}  // namespace fovea::kernels
