#include "fovea/models/memory.h"

#include <algorithm>

#include "fovea/base/check.h"
#include "fovea/models/classifier.h"
#include "fovea/models/seq2seq.h"

namespace fovea {
namespace {

constexpr int64_t kFloat = 4;
constexpr int64_t kFewestTokens = 256;
constexpr int64_t kMostTokens = 1 << 20;

// Numbers that a layer keeps for each token until its gradient is known, and
// those of the gradients on the way, found by measuring.
int64_t layer_numbers(int64_t width, int64_t ffn, int sublayers) {
  return sublayers * 9 * width + 3 * ffn;
}

}  // namespace

TrainingMemory training_memory(const ModelConfig& config, int copies) {
  Seq2Seq model(config, RandomKey(0));
  const int64_t parameters = Params(model).count();
  const int64_t encoder =
      config.encode.layers *
      layer_numbers(config.encode.width, config.encode.ffn, 2);
  const int64_t decoder =
      config.predict.layers *
      layer_numbers(config.predict.width, config.predict.ffn, 3);
  const int64_t ends =
      config.vocabulary.target + 8 * int64_t{config.embed.width};
  return {.fixed = kFloat * copies * parameters,
          .a_token = kFloat * (encoder + decoder + ends)};
}

TrainingMemory training_memory(const ClassifierConfig& config, int copies) {
  Classifier model(config, RandomKey(0));
  const int64_t encoder =
      config.encode.layers *
      layer_numbers(config.encode.width, config.encode.ffn, 2);
  return {.fixed = kFloat * copies * Params(model).count(),
          .a_token = kFloat * (encoder + 8 * int64_t{config.embed.width})};
}

int tokens_that_fit(const TrainingMemory& memory, int64_t megabytes) {
  const int64_t left = megabytes * (1 << 20) - memory.fixed;
  const int64_t tokens = left / std::max<int64_t>(1, memory.a_token);
  check_usage(tokens >= kFewestTokens, "--memory ", megabytes,
              ": the model alone takes ", memory.fixed >> 20,
              " MB and a batch of ", kFewestTokens, " tokens ",
              (kFewestTokens * memory.a_token) >> 20,
              " MB; give more memory or choose a smaller model");
  return static_cast<int>(std::min(tokens, kMostTokens));
}

}  // namespace fovea
