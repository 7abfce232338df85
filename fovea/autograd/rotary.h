#pragma once

#include <span>

#include "fovea/autograd/var.h"
#include "fovea/base/fields.h"

namespace fovea {

// Which columns of a head are turned together (SPEC C6).
enum class RotaryPairing {
  kAdjacent,   // 0 and 1, 2 and 3 ...
  kHalfSplit,  // i and i + half
};
constexpr EnumName<RotaryPairing> kRotaryPairings[] = {
    {RotaryPairing::kAdjacent, "adjacent"},
    {RotaryPairing::kHalfSplit, "half_split"}};
constexpr auto& enum_names(RotaryPairing) { return kRotaryPairings; }

struct Rotary {
  int width = 0;  // columns of a head that are turned, even; 0: all
  float base = 10000.0f;
  RotaryPairing pairing = RotaryPairing::kAdjacent;
};

// Turns pair i of each head's columns of row m by
// positions[m] * base^(-2i / width): x [M, heads * d].
Var rotate(const Var& x, std::span<const int> positions, int heads,
           const Rotary& rotary);

}  // namespace fovea
