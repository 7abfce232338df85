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

// Sentences of a length, end mark and all, as many as there are tokens for.
Batch batch_of(int tokens, int length, int vocabulary) {
  std::vector<Example> examples;
  for (int i = 0; i < tokens / length; ++i) {
    Example e;
    e.line = i;
    for (int j = 1; j < length; ++j) {
      e.source.push_back(3 + (i * 7 + j * 5) % (vocabulary - 3));
      e.target.push_back(3 + (i * 5 + j * 3) % (vocabulary - 3));
    }
    examples.push_back(std::move(e));
  }
  return make_batch(std::move(examples), {.source = 2, .target = 2});
}

// What a model and the gradient of a batch take.
int64_t taken_by(const ModelConfig& config, const Batch& batch) {
  Allocator& allocator = Allocator::shared();
  allocator.reset_peak();
  const size_t before = allocator.stats().live;
  {
    Seq2Seq model(config, RandomKey(1));
    model.loss(batch, {}, Pass{.training = true}).total.backward();
  }
  return static_cast<int64_t>(allocator.stats().peak_live - before);
}

void expect_held(ModelConfig config) {
  constexpr int kTokens = 512, kWords = 1000;
  config.vocabulary.source = config.vocabulary.target = kWords;
  for (const int length : {16, 128, 256}) {
    SCOPED_TRACE(length);
    const TrainingMemory memory =
        training_memory(config, {.copies = 2, .longest = length});
    const int64_t taken = taken_by(config, batch_of(kTokens, length, kWords));
    const int64_t promised = memory.fixed + kTokens * memory.a_token;
    EXPECT_LT(taken, promised);
    EXPECT_GT(taken, promised / 3);  // and is not far off
  }
}

TEST(TrainingMemory, HoldsWhatTrainingTakes) {
  for (const char* name : {"transformer-mini", "transformer-tiny",
                           "rnnsearch-tiny", "luong-tiny", "convs2s-tiny"}) {
    SCOPED_TRACE(name);
    expect_held(preset(name));
  }
}

TEST(TrainingMemory, HoldsTheWeightsOfAttentionWithoutAFusedKernel) {
  ModelConfig config = preset("transformer-mini");
  config.attend.score = "additive";
  expect_held(config);
  config.attend.normaliser = "sparsemax";
  expect_held(config);
}

TEST(TrainingMemory, TooLittleIsAUsageError) {
  const TrainingMemory memory{.fixed = 10 << 20, .a_token = 1 << 10};
  EXPECT_EQ(tokens_that_fit(memory, 20), 10 * 1024);
  EXPECT_THROW(tokens_that_fit(memory, 10), Error);
}

}  // namespace
}  // namespace fovea
