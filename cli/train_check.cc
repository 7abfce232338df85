#include "cli/train_check.h"

#include <algorithm>

#include "cli/classify_session.h"
#include "cli/guided_alignment.h"
#include "fovea/base/check.h"
#include "fovea/io/text_file.h"
#include "fovea/kernels/topk.h"
#include "fovea/models/classifier.h"
#include "fovea/models/seq2seq.h"

namespace fovea::cli {
namespace {

// Enough of a vocabulary to see whether the parts of a model fit.
constexpr int kFewWords = 8;
constexpr int kWidestBeam = kernels::kMostTopK / 2;

void check_dropouts(const TrainConfig& config) {
  TrainConfig copy = config;
  for (const Field& field : fields_of(copy)) {
    if (!field.name.ends_with("dropout")) continue;
    float rate = 0;
    FieldText<float>::parse(field.get().front(), rate);
    const bool as_preset = field.name == "dropout" && rate < 0;
    check_usage(as_preset || (rate >= 0 && rate < 1), "--", field.name, " ",
                rate, ": give a number from 0 to below 1");
  }
}

void check_sizes(const TrainConfig& config) {
  const auto at_least = [](int64_t least, int64_t value, const char* flag) {
    check_usage(value >= least, flag, " ", value, ": give ", least, " or more");
  };
  at_least(0, config.layers, "--layers");
  at_least(0, config.width, "--width");
  at_least(0, config.heads, "--heads");
  at_least(0, config.ffn, "--ffn");
  at_least(4, config.text.vocab_size, "--vocab-size");
  at_least(1, config.text.sample_lines, "--vocab-lines");
  at_least(2, config.corpus.batch_tokens, "--batch-tokens");
  at_least(1, config.corpus.max_length, "--max-length");
  at_least(1, config.corpus.shuffle_memory, "--shuffle-memory");
  at_least(0, config.valid_samples, "--valid-samples");
  at_least(0, config.memory, "--memory");
  check_usage(config.max_ratio >= 1, "--max-ratio ", config.max_ratio,
              ": give at least 1");
  check_usage(config.text.coverage > 0 && config.text.coverage <= 1,
              "--character-coverage ", config.text.coverage,
              ": give a number above 0, 1 at most");
  check_usage(
      config.valid_beam_size >= 1 && config.valid_beam_size <= kWidestBeam,
      "--valid-beam-size ", config.valid_beam_size,
      ": give a number from 1 to ", kWidestBeam);
}

void check_weights(const CorpusConfig& corpus) {
  const size_t files = std::max(corpus.src.size(), corpus.labelled.size());
  check_usage(corpus.weights.empty() || corpus.weights.size() == files,
              "--corpus-weights: ", corpus.weights.size(), " weights for ",
              files, " texts");
  for (const float weight : corpus.weights) {
    check_usage(weight >= 0, "--corpus-weights ", weight, ": give 0 or more");
  }
}

void check_files(const TrainConfig& config) {
  for (const auto* paths :
       {&config.corpus.src, &config.corpus.tgt, &config.corpus.labelled,
        &config.valid_src, &config.valid_tgt, &config.valid}) {
    for (const std::string& path : *paths) LineReader{path};
  }
  for (const std::string& path : {config.source_vocab, config.target_vocab}) {
    if (!path.empty()) LineReader{path};
  }
  for (const std::string& path : given_links(config)) LineReader{path};
}

void check_vocabularies(const TrainConfig& config) {
  check_usage(config.target_vocab.empty() || !config.joint_vocab,
              "--target-vocab needs --no-joint-vocab: with one vocabulary for "
              "both sides only --source-vocab counts");
}

void check_guidance(const TrainConfig& config, bool has_attention) {
  if (config.guided_alignment.empty()) return;
  check_usage(has_attention,
              "--guided-alignment needs attention, which the decoder '",
              config.model.predict.kind, "' does not have");
  const size_t given = given_links(config).size();
  check_usage(given == 0 || given == config.corpus.src.size(),
              "--guided-alignment has ", given, " files, --src ",
              config.corpus.src.size());
}

void check_translation(const TrainConfig& config) {
  check_vocabularies(config);
  ModelConfig model = config.model;
  model.vocabulary.source = model.vocabulary.target = kFewWords;
  check_guidance(config, Seq2Seq(model, RandomKey(0)).has_attention());
}

}  // namespace

void check_train_config(const TrainConfig& config) {
  check_sizes(config);
  check_dropouts(config);
  check_weights(config.corpus);
  check_trainer(config.trainer);
  if (config.task == Task::kClassify) {
    check_usage(config.guided_alignment.empty(),
                "--guided-alignment is for --task translate");
    const Classifier model(classifier_config(config, kFewWords, 2),
                           RandomKey(0));
  } else {
    check_translation(config);
  }
  check_files(config);
}

void check_attend_unchanged(ComposedConfig before, ComposedConfig after,
                            const std::string& why) {
  const auto changes = changed_fields(fields_of(before), fields_of(after));
  if (changes.empty()) return;
  const FieldChange& first = changes.front();
  fail(ErrorKind::kUsage, "--attend.", first.name, " ", first.after, ": ", why);
}

}  // namespace fovea::cli
