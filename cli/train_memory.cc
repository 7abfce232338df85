#include "cli/train_memory.h"

#include <algorithm>
#include <filesystem>

#include "cli/classify_session.h"
#include "fovea/base/check.h"
#include "fovea/data/labelled.h"
#include "fovea/data/tokenizer.h"
#include "fovea/models/memory.h"
#include "fovea/train/optimizer.h"

namespace fovea::cli {
namespace {

constexpr int64_t kMegabyte = int64_t{1} << 20;
// The program, its libraries and their buffers, vocabularies; found by
// measuring.
constexpr int64_t kProcess = 56 * kMegabyte;
// What the shuffled text may take of the whole.
constexpr int64_t kTextShare = 8;
// Text and what is made of it, bytes for each byte.
constexpr int64_t kTextCopies = 4;

// Value, gradient, what the optimiser keeps, the mean; packed for validations;
// and a checkpoint that is read again, which has all but the gradient.
int copies(const TrainerConfig& trainer) {
  const int kept =
      1 + state_copies(trainer.optimizer) + (trainer.smoothing > 0 ? 1 : 0);
  return 2 * kept + 2;
}

int64_t text_bytes(const CorpusConfig& corpus) {
  int64_t bytes = 0;
  for (const auto* paths : {&corpus.src, &corpus.tgt, &corpus.labelled}) {
    for (const std::string& path : *paths) {
      std::error_code none;  // what cannot be read is said elsewhere
      const auto size = std::filesystem::file_size(path, none);
      if (!none) bytes += static_cast<int64_t>(size);
    }
  }
  return bytes;
}

// Of a vocabulary that may turn out smaller, or of one there is.
int vocabulary_size(const TrainConfig& config, const std::string& given) {
  return given.empty() ? config.text.vocab_size : Tokenizer::load(given).size();
}

TrainingMemory model_memory(const TrainConfig& config) {
  const TrainingMemoryOptions options{
      .copies = copies(config.trainer),
      .longest = config.corpus.max_length,
      .guided = !config.guided_alignment.empty()};
  const int source = vocabulary_size(config, config.source_vocab);
  if (config.task == Task::kClassify) {
    const auto labels = std::ssize(labels_in(config.corpus.labelled));
    return training_memory(
        classifier_config(config, source, static_cast<int>(labels)), options);
  }
  ModelConfig model = config.model;
  model.vocabulary.source = source;
  model.vocabulary.target = config.joint_vocab
                                ? source
                                : vocabulary_size(config, config.target_vocab);
  return training_memory(model, options);
}

}  // namespace

void limit_memory(TrainConfig& config) {
  check_usage(config.memory > 0, "--memory ", config.memory,
              ": give a number of megabytes");
  int64_t& shuffled = config.corpus.shuffle_memory;
  shuffled =
      std::min(shuffled, std::max<int64_t>(1, config.memory / kTextShare));
  TrainingMemory memory = model_memory(config);
  memory.fixed += kProcess + std::min(shuffled * kMegabyte,
                                      kTextCopies * text_bytes(config.corpus));
  config.corpus.batch_tokens = tokens_that_fit(memory, config.memory);
}

}  // namespace fovea::cli
