#include "support/translator_folder.h"

#include <algorithm>
#include <filesystem>

#include "fovea/base/check.h"
#include "fovea/base/log.h"
#include "fovea/models/checkpoint.h"
#include "fovea/models/folder.h"
#include "support/check_layer.h"
#include "support/tiny_models.h"

namespace fovea::testing {
namespace {

void each_sentence(const std::function<void(std::string_view)>& line) {
  for (const char* who : {"the cat", "a small dog", "my dog", "der Löwe"}) {
    for (const char* does : {"watches", "is watching", "sieht", "sees not"}) {
      for (const char* what :
           {"the green tree .", "two birds !", "eine Straße", "12 houses"}) {
        line(join(who, " ", does, " ", what));
      }
    }
  }
}

ModelConfig config_of(const std::string& kind) {
  for (const TinyModel& model : tiny_models()) {
    if (model.name == kind) return model.config;
  }
  fail(ErrorKind::kUsage, "there is no tiny model '", kind, "'");
}

// So that it ends now and then.
void favour_end(const Params& params, int end) {
  for (const Params::Parameter& p : params.parameters()) {
    if (p.name != "output.bias") continue;
    Tensor bias = p.value->value().clone();
    bias[end] = 2.5f;
    *p.value = Var::parameter(bias);
  }
}

}  // namespace

std::string write_model_folder(const std::string& path,
                               const ModelFolderConfig& config) {
  const LogLevel before = log_level();
  set_log_level(LogLevel::kError);  // the vocabulary is small
  std::filesystem::create_directories(path);
  const Tokenizer tokenizer =
      Tokenizer::train({.unit = config.unit,
                        .vocab_size = config.byte_fallback ? 400 : 90,
                        .byte_fallback = config.byte_fallback},
                       each_sentence);
  set_log_level(before);
  tokenizer.save(source_vocabulary_file(path));
  FolderConfig folder;
  folder.model = config_of(config.kind);
  folder.model.output_bias = true;
  if (config.learned_positions > 0) {
    folder.model.embed.position.kind = PositionKind::kLearned;
    folder.model.embed.position.learned.longest = config.learned_positions;
  }
  folder.model.vocabulary = {.source = tokenizer.size(),
                             .target = tokenizer.size(),
                             .begin = tokenizer.begin(),
                             .end = tokenizer.end()};
  save_folder_config(path, folder);
  Seq2Seq model(folder.model, RandomKey(1));
  const Params params(model);
  randomise(params, config.seed, 0.4f);
  favour_end(params, tokenizer.end());
  save_parameters(weights_file(path), params);
  return path;
}

}  // namespace fovea::testing
