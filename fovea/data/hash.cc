#include "fovea/data/hash.h"

#include "fovea/base/rng.h"

namespace fovea {

uint64_t text_hash(std::string_view text) {
  return RandomKey().with(text).bits();
}

}  // namespace fovea
