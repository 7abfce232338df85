#include "bench/training_case.h"

#include <vector>

#include "fovea/base/rng.h"

namespace fovea::bench {
namespace {

constexpr int kPairs = 256, kShortest = 5, kSpread = 17;

// Words by rank, seldom ones seldom: the product of two uniform numbers.
int word(RandomKey key, uint32_t i) {
  const float u = random_uniform(key, 2 * i) * random_uniform(key, 2 * i + 1);
  return 3 + static_cast<int>(u * (kTrainingVocabulary - 3));
}

}  // namespace

Batch training_batch() {
  const RandomKey key(3);
  std::vector<Example> examples;
  uint32_t next = 0;
  for (int i = 0; i < kPairs; ++i) {
    Example e;
    e.line = i;
    const int source =
        kShortest + static_cast<int>(random_below(key.with("s"), i, kSpread));
    const int target =
        source + static_cast<int>(random_below(key.with("t"), i, 5)) - 1;
    for (int j = 0; j < source; ++j) e.source.push_back(word(key, next++));
    for (int j = 0; j < target; ++j) e.target.push_back(word(key, next++));
    examples.push_back(std::move(e));
  }
  return make_batch(std::move(examples), {.source = 2, .target = 2});
}

}  // namespace fovea::bench
