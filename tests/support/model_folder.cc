#include "support/model_folder.h"

#include <filesystem>

#include "fovea/base/check.h"
#include "fovea/models/checkpoint.h"
#include "support/check_layer.h"
#include "support/tiny_models.h"

namespace fovea::testing {

Tokenizer tiny_tokenizer() {
  std::string text;
  for (int i = 3; i < kTinyVocabulary; ++i) text += join(" w", i);
  return Tokenizer::train({.unit = TextUnit::kWords},
                          [&](const auto& give) { give(text); });
}

void write_tiny_folder(const std::string& path, const ModelConfig& config,
                       uint64_t seed) {
  std::filesystem::create_directories(path);
  const Tokenizer words = tiny_tokenizer();
  words.save(source_vocabulary_file(path));
  FolderConfig folder{.model = config};
  folder.model.vocabulary = {.source = words.size(),
                             .target = words.size(),
                             .begin = words.begin(),
                             .end = words.end()};
  save_folder_config(path, folder);
  Seq2Seq model(folder.model, RandomKey(seed));
  const Params params(model);
  randomise(params, seed, 0.3f);
  save_parameters(weights_file(path), params);
}

Tensor forced_scores(const Seq2Seq& model, uint64_t batch_seed) {
  const NoGrad none;
  const Batch batch = tiny_batch(batch_seed, 5);
  const Encoded source = model.encode(batch.source, Pass{});
  return model.readout(model.forced(source, batch.target, Pass{}).hidden)
      .value();
}

}  // namespace fovea::testing
