#include "fovea/models/memory.h"

#include <gtest/gtest.h>

#include "fovea/base/check.h"
#include "fovea/models/presets.h"
#include "fovea/models/seq2seq.h"
#include "fovea/tensor/allocator.h"
#include "support/tiny_models.h"

namespace fovea {
namespace {

using namespace fovea::testing;

// Sentences of 15 words, as many as there are tokens for.
Batch batch_of(int tokens, int vocabulary) {
  std::vector<Example> examples;
  for (int i = 0; i < tokens / 16; ++i) {
    Example e;
    e.line = i;
    for (int j = 0; j < 15; ++j) {
      e.source.push_back(3 + (i * 7 + j * 5) % (vocabulary - 3));
      e.target.push_back(3 + (i * 5 + j * 3) % (vocabulary - 3));
    }
    examples.push_back(std::move(e));
  }
  return make_batch(std::move(examples), {.source = 2, .target = 2});
}

TEST(TrainingMemory, HoldsWhatTrainingTakes) {
  for (const char* name : {"transformer-mini", "transformer-tiny",
                           "rnnsearch-tiny", "luong-tiny"}) {
    SCOPED_TRACE(name);
    ModelConfig config = preset(name);
    config.vocabulary.source = config.vocabulary.target = 1000;
    const TrainingMemory memory = training_memory(config, 2);
    constexpr int kTokens = 512;
    Allocator& allocator = Allocator::shared();
    allocator.reset_peak();
    const size_t before = allocator.stats().live;
    {
      Seq2Seq model(config, RandomKey(1));
      model.loss(batch_of(kTokens, 1000), {}, Pass{.training = true})
          .total.backward();
    }
    const auto taken =
        static_cast<int64_t>(allocator.stats().peak_live - before);
    const int64_t promised = memory.fixed + kTokens * memory.a_token;
    EXPECT_LT(taken, promised);
    EXPECT_GT(taken, promised / 5);  // and is not far off
  }
}

TEST(TrainingMemory, TooLittleIsAUsageError) {
  const TrainingMemory memory{.fixed = 10 << 20, .a_token = 1 << 10};
  EXPECT_EQ(tokens_that_fit(memory, 20), 10 * 1024);
  EXPECT_THROW(tokens_that_fit(memory, 10), Error);
}

}  // namespace
}  // namespace fovea
