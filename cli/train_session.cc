#include "cli/train_session.h"

#include "cli/guided_alignment.h"
#include "cli/train_run.h"
#include "cli/train_sizes.h"
#include "cli/train_start.h"
#include "cli/train_text.h"
#include "fovea/base/log.h"
#include "fovea/io/text_file.h"
#include "fovea/models/folder.h"

namespace fovea::cli {
namespace {

void each_line(const std::vector<std::string>& paths,
               const std::function<void(std::string_view)>& give) {
  for (const std::string& path : paths) {
    LineReader reader(path);
    while (const auto line = reader.next()) give(*line);
  }
}

Tokenizer vocabulary(const TrainConfig& config, const std::string& file,
                     const std::string& given,
                     const std::vector<std::string>& text) {
  return make_vocabulary(
      config, {.file = file, .given = given, .text = [&](const auto& give) {
                 each_line(text, give);
               }});
}

Tokenizer source_vocabulary(const TrainConfig& config,
                            const RunFolder& folder) {
  std::vector<std::string> text = config.corpus.src;
  if (config.joint_vocab) {
    text.insert(text.end(), config.corpus.tgt.begin(), config.corpus.tgt.end());
  }
  return vocabulary(config, source_vocabulary_file(folder.path()),
                    config.source_vocab, text);
}

Tokenizer target_vocabulary(const TrainConfig& config, const RunFolder& folder,
                            const Tokenizer& source) {
  if (config.joint_vocab) return source;
  return vocabulary(config, target_vocabulary_file(folder.path(), false),
                    config.target_vocab, config.corpus.tgt);
}

// What the data check leaves out stays out.
CorpusConfig corpus_config(const TrainConfig& config, const RunFolder& folder,
                           CheckReport report) {
  CorpusConfig corpus = config.corpus;
  corpus.alignments = guiding_files(config, folder.path());
  corpus.seed = config.trainer.seed;
  corpus.skip = std::move(report.skip);
  return corpus;
}

CheckReport checked(const TrainConfig& config) {
  return checked_text({.src = config.corpus.src,
                       .tgt = config.corpus.tgt,
                       .valid_src = config.valid_src,
                       .valid_tgt = config.valid_tgt,
                       .alignments = given_links(config),
                       .max_length = config.corpus.max_length,
                       .max_ratio = config.max_ratio,
                       .skip_duplicates = config.skip_duplicates,
                       .skip_leaks = config.skip_leaks});
}

std::unique_ptr<Seq2Seq> make_model(const TrainConfig& config,
                                    const RunFolder& folder,
                                    const VocabularyConfig& vocabulary,
                                    const CorpusSize& size) {
  FolderConfig saved{.joint_vocabulary = config.joint_vocab,
                     .source_length = size.long_source,
                     .model = config.model};
  saved.model.vocabulary = vocabulary;
  auto model = std::make_unique<Seq2Seq>(
      saved.model, RandomKey(config.trainer.seed).with("model"));
  const bool is_new = folder.index().last < 0;
  if (is_new && !config.start_from.empty()) start_weights(config, *model);
  save_folder_config(folder.path(), saved);
  return model;
}

}  // namespace

TrainSession::TrainSession(const TrainConfig& config, RunFolder& folder)
    : config_(config),
      folder_(folder),
      checked_(checked(config)),
      source_(source_vocabulary(config, folder)),
      target_(target_vocabulary(config, folder, source_)),
      corpus_(
          Corpus::of_pairs(corpus_config(config, folder, std::move(checked_)),
                           source_, target_)),
      model_(make_model(config, folder,
                        {.source = source_.size(),
                         .target = target_.size(),
                         .begin = target_.begin(),
                         .end = target_.end()},
                        corpus_.size())),
      validator_(*model_, source_, target_, corpus_.size().long_source, config),
      journal_(folder.path(), config.out, config.trainer) {}

void TrainSession::run() {
  log_info("model: ", sizes_text(config_), "; ", Params(*model_).count(),
           " parameters; vocabulary ", source_.size(), " and ", target_.size());
  announce_text(corpus_, config_.corpus, "pairs");
  run_training({config_, *model_, corpus_, folder_, journal_, target_.size(),
                [this] { return validator_(); },
                [this] { return std::span(validator_.samples()); }});
}

}  // namespace fovea::cli
