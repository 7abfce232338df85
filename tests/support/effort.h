#pragma once

namespace fovea::testing {

// How much of something a test does: all of it, or little under a sanitizer,
// where everything is ten times slower.
constexpr int effort([[maybe_unused]] int full, [[maybe_unused]] int brief) {
#if defined(FOVEA_SANITIZED)
  return brief;
#else
  return full;
#endif
}

}  // namespace fovea::testing
