#include "cli/classify_session.h"

#include "cli/train_check.h"
#include "cli/train_memory.h"
#include "cli/train_run.h"
#include "cli/train_sizes.h"
#include "cli/train_text.h"
#include "fovea/base/check.h"
#include "fovea/base/log.h"
#include "fovea/data/labelled.h"
#include "fovea/io/text_file.h"
#include "fovea/models/classifier_folder.h"
#include "fovea/models/classifier_presets.h"

namespace fovea::cli {
namespace {

constexpr int kWords = 30000, kSubwords = 8000;  // of a vocabulary, at most

void check_config(const TrainConfig& c) {
  check_usage(!c.out.empty(), "--out FOLDER is missing: where the model goes");
  check_usage(!c.corpus.labelled.empty(),
              "--train FILE is missing: labelled lines to learn from");
  check_usage(!c.valid.empty(),
              "--valid FILE is missing: labelled lines to judge by");
  check_usage(c.corpus.src.empty() && c.corpus.tgt.empty(),
              "--src and --tgt are for --task translate");
  check_usage(c.stop_metric == StopMetric::kLoss ||
                  c.stop_metric == StopMetric::kAccuracy,
              "--stop-metric ", FieldText<StopMetric>::print(c.stop_metric),
              ": a classifier has loss and accuracy");
}

void apply_shortcuts(TrainConfig& c) {
  ModelConfig& m = c.model;
  if (c.layers > 0) m.encode.layers = c.layers;
  if (c.width > 0) m.embed.width = m.encode.width = c.width;
  if (c.heads > 0) m.encode.heads = m.attend.heads = c.heads;
  if (c.ffn > 0) m.encode.ffn = c.ffn;
  if (c.dropout >= 0) {
    m.embed.dropout = m.encode.dropout = c.classes.dropout = c.dropout;
  }
}

// Few examples, a small model: small batches, no warm-up to speak of.
void set_defaults(TrainConfig& c, const ClassifierConfig& preset) {
  c.model.embed = preset.embed;
  c.model.encode = preset.encode;
  c.model.attend = preset.attend;
  c.classes = preset.classes;
  c.text.unit = TextUnit::kWords;
  c.corpus.batch_tokens = 1000;
  c.trainer.label_smoothing = 0.0f;
  c.trainer.schedule = {
      .schedule = Schedule::kConstant, .lr = 1e-3f, .warmup = 100};
  c.trainer.max_epochs = 20;
  c.trainer.early_stopping = 5;
  c.stop_metric = StopMetric::kAccuracy;
}

CheckReport checked(const TrainConfig& config) {
  return checked_text({.train = config.corpus.labelled,
                       .valid = config.valid,
                       .max_length = config.corpus.max_length,
                       .skip_duplicates = config.skip_duplicates,
                       .skip_leaks = config.skip_leaks});
}

// Those of the run that is continued, or of the text.
std::vector<std::string> labels_of(const TrainConfig& config,
                                   const RunFolder& folder) {
  std::vector<std::string> labels = labels_in(config.corpus.labelled);
  check_data(labels.size() >= 2, config.corpus.labelled.front(), ": has ",
             labels.size(), " labels; a classifier needs two at least");
  save_labels(folder.path(), labels);
  return labels;
}

Tokenizer vocabulary(const TrainConfig& config, const RunFolder& folder) {
  const EachLine texts = [&](const auto& give) {
    for (const std::string& path : config.corpus.labelled) {
      LineReader reader(path);
      while (const auto line = reader.next()) {
        if (const auto read = read_labelled(*line)) give(read->text);
      }
    }
  };
  return make_vocabulary(config, {.file = source_vocabulary_file(folder.path()),
                                  .given = config.source_vocab,
                                  .text = texts});
}

CorpusConfig corpus_config(const TrainConfig& config, CheckReport report) {
  CorpusConfig corpus = config.corpus;
  corpus.seed = config.trainer.seed;
  corpus.skip = std::move(report.skip);
  return corpus;
}

std::unique_ptr<Classifier> make_model(const TrainConfig& config,
                                       const RunFolder& folder, int words,
                                       int labels) {
  const ClassifierFolderConfig saved{
      .model = classifier_config(config, words, labels)};
  auto model = std::make_unique<Classifier>(
      saved.model, RandomKey(config.trainer.seed).with("model"));
  save_classifier_config(folder.path(), saved);
  return model;
}

}  // namespace

ClassifierConfig classifier_config(const TrainConfig& c, int words,
                                   int labels) {
  return {.embed = c.model.embed,
          .encode = c.model.encode,
          .attend = c.model.attend,
          .classes = c.classes,
          .words = words,
          .labels = labels};
}

void complete_classifier(TrainConfig& config, const ConfigFlags& flags) {
  const std::string name =
      config.preset == "auto" ? kDefaultClassifier : config.preset;
  set_defaults(config, classifier_preset(name));
  apply_shortcuts(config);
  const ComposedConfig before = config.model.attend;
  flags.resolve();
  check_config(config);
  if (config.classes.pool != "query") {
    check_attend_unchanged(before, config.model.attend,
                           join("--classes.pool ", config.classes.pool,
                                " has no use for it; query has"));
  }
  config.preset = name;
  if (config.text.vocab_size == 0) {
    config.text.vocab_size =
        config.text.unit == TextUnit::kWords ? kWords : kSubwords;
  }
  if (config.memory != 0) limit_memory(config);
}

ClassifySession::ClassifySession(const TrainConfig& config, RunFolder& folder)
    : config_(config),
      folder_(folder),
      checked_(checked(config)),
      labels_(labels_of(config, folder)),
      text_(vocabulary(config, folder)),
      corpus_(Corpus::of_labels(corpus_config(config, std::move(checked_)),
                                text_, labels_)),
      model_(make_model(config, folder, text_.size(),
                        static_cast<int>(labels_.size()))),
      validator_(*model_, text_, labels_, config),
      journal_(folder.path(), config.out, config.trainer, kTextJournal) {}

void ClassifySession::run() {
  log_info("model: ", sizes_text(config_), "; ", Params(*model_).count(),
           " parameters; vocabulary ", text_.size(), "; labels ",
           labels_.size());
  announce_text(corpus_, config_.corpus, "texts");
  run_training({config_, *model_, corpus_, folder_, journal_,
                static_cast<int>(labels_.size()),
                [this] { return validator_(); },
                [this] { return std::span(validator_.samples()); }});
}

}  // namespace fovea::cli
