#include "fovea/models/memory.h"

#include <algorithm>
#include <functional>

#include "fovea/attend/reinforce.h"
#include "fovea/autograd/elementwise.h"
#include "fovea/base/check.h"
#include "fovea/base/parallel.h"
#include "fovea/models/classifier.h"
#include "fovea/models/seq2seq.h"
#include "fovea/tensor/allocator.h"

namespace fovea {
namespace {

constexpr int64_t kFloat = 4;
constexpr int64_t kFewestTokens = 256;
constexpr int64_t kMostTokens = 1 << 20;
// What is measured: no more than the smallest batch.
constexpr int kProbeTokens = 128, kProbeLength = 64;
constexpr double kMargin = 1.15;  // for what small batches do not show

using MakeExample = std::function<Example(int length)>;

// Sentences of so many tokens each, with their end marks.
Batch probe(int sentences, int length, const MakeExample& make, int end) {
  std::vector<Example> examples;
  for (int i = 0; i < sentences; ++i) {
    examples.push_back(make(length - 1));
    examples.back().line = i;
  }
  const bool labelled = examples.front().label >= 0;
  return make_batch(std::move(examples),
                    {.source = end, .target = labelled ? -1 : end});
}

// What the gradient of a batch takes at most, beside what is there before and
// after.
int64_t peak_of(const Model& model, const Batch& batch, bool guided) {
  std::vector<Loss> losses;
  std::vector<Update> updates;
  std::vector<Choice> choices;
  const Pass pass{.training = true,
                  .losses = &losses,
                  .updates = &updates,
                  .choices = &choices};
  Allocator& allocator = Allocator::shared();
  allocator.reset_peak();
  const size_t before = allocator.stats().live;
  Var total =
      model.loss(batch, {.guided_alignment = guided ? 0.1f : 0.0f}, pass).total;
  for (const Loss& extra : losses) total = total + extra.value;
  total.backward();
  return static_cast<int64_t>(allocator.stats().peak_live - before);
}

// A batch of n sentences of length l takes f + a n l + b n l^2.
int64_t token_memory(const Model& model, const MakeExample& make, int end,
                     const TrainingMemoryOptions& options) {
  const ThreadLimit one_thread(1);
  const int length = std::min(kProbeLength, std::max(2, options.longest));
  const auto peak = [&](int sentences, int long_by) {
    return static_cast<double>(peak_of(
        model, probe(sentences, long_by * length, make, end), options.guided));
  };
  const int n = kProbeTokens / length;
  peak(n, 1);  // makes room for gradients
  const double one = peak(n, 1), more = peak(2 * n, 1), longer = peak(n, 2);
  const double l = length;
  const double b = std::max(0.0, (longer - more) / (2 * n * l * l));
  const double a = std::max(0.0, (more - one) / (n * l) - b * l);
  return static_cast<int64_t>(kMargin * (a + b * options.longest)) + 1;
}

TrainingMemory memory_of(Model& model, int64_t a_token, int copies) {
  return {.fixed = kFloat * copies * Params(model).count(), .a_token = a_token};
}

}  // namespace

TrainingMemory training_memory(const ModelConfig& config,
                               const TrainingMemoryOptions& options) {
  Seq2Seq model(config, RandomKey(0));
  const int end = config.vocabulary.end;
  const MakeExample pair = [&](int length) {
    Example e{.source = std::vector<int>(length, end),
              .target = std::vector<int>(length, end)};
    for (int i = 0; options.guided && i < length; ++i) {
      e.links.push_back({i, i});
    }
    return e;
  };
  return memory_of(model, token_memory(model, pair, end, options),
                   options.copies);
}

TrainingMemory training_memory(const ClassifierConfig& config,
                               const TrainingMemoryOptions& options) {
  Classifier model(config, RandomKey(0));
  const MakeExample text = [](int length) {
    return Example{.source = std::vector<int>(length, 0), .label = 0};
  };
  return memory_of(model, token_memory(model, text, 0, options),
                   options.copies);
}

int tokens_that_fit(const TrainingMemory& memory, int64_t megabytes) {
  const int64_t left = megabytes * (1 << 20) - memory.fixed;
  const int64_t tokens = left / std::max<int64_t>(1, memory.a_token);
  check_usage(tokens >= kFewestTokens, "--memory ", megabytes,
              ": the program, the text and the model take ", memory.fixed >> 20,
              " MB and a batch of ", kFewestTokens, " tokens ",
              (kFewestTokens * memory.a_token) >> 20,
              " MB; give more memory, choose a smaller model or a shorter ",
              "--max-length");
  return static_cast<int>(std::min(tokens, kMostTokens));
}

}  // namespace fovea
