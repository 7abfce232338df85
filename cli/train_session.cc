#include "cli/train_session.h"

#include <chrono>
#include <filesystem>
#include <iomanip>

#include "cli/guided_alignment.h"
#include "fovea/base/check.h"
#include "fovea/base/log.h"
#include "fovea/base/parallel.h"
#include "fovea/base/stop.h"
#include "fovea/data/batch_stream.h"
#include "fovea/io/text_file.h"
#include "fovea/models/checkpoint.h"
#include "fovea/models/folder.h"

namespace fovea::cli {
namespace {

double now() {
  using namespace std::chrono;
  return duration<double>(steady_clock::now().time_since_epoch()).count();
}

void each_line(const std::vector<std::string>& paths,
               const std::function<void(std::string_view)>& give) {
  for (const std::string& path : paths) {
    LineReader reader(path);
    while (const auto line = reader.next()) give(*line);
  }
}

// The one in the folder, or one there is, or a new one learned from the text.
Tokenizer vocabulary(const TrainConfig& config, const std::string& file,
                     const std::string& given,
                     const std::vector<std::string>& text) {
  if (std::filesystem::exists(file)) return Tokenizer::load(file);
  TokenizerConfig learn = config.text;
  learn.seed = config.trainer.seed;
  const Tokenizer made = !given.empty()
                             ? Tokenizer::load(given)
                             : Tokenizer::train(learn, [&](const auto& give) {
                                 each_line(text, give);
                               });
  made.save(file);
  return made;
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

// Says what is wrong with the text, and throws if that is too much.
CheckReport checked(const TrainConfig& config) {
  const CheckReport report = check_corpus({.src = config.corpus.src,
                                           .tgt = config.corpus.tgt,
                                           .valid_src = config.valid_src,
                                           .valid_tgt = config.valid_tgt});
  for (const Defect& defect : report.defects) log_debug(text_of(defect));
  for (int i = 0; i < kDefectCodes; ++i) {
    if (report.counts[i] == 0) continue;
    const DefectKind& kind = kind_of(static_cast<DefectCode>(i));
    log_warning("text: ", report.counts[i], " times ", kind.name, " (",
                kind.summary, "): ", kind.outcome);
  }
  require_usable(report);
  return report;
}

std::unique_ptr<Seq2Seq> make_model(const TrainConfig& config,
                                    const RunFolder& folder,
                                    const Tokenizer& source,
                                    const Tokenizer& target) {
  FolderConfig saved{.joint_vocabulary = config.joint_vocab,
                     .model = config.model};
  saved.model.vocabulary = {.source = source.size(),
                            .target = target.size(),
                            .begin = target.begin(),
                            .end = target.end()};
  auto model = std::make_unique<Seq2Seq>(
      saved.model, RandomKey(config.trainer.seed).with("model"));
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
      model_(make_model(config, folder, source_, target_)),
      validator_(*model_, source_, target_, config),
      journal_(folder.path(), config.out, config.trainer.max_steps) {}

// Sizes, and how long an epoch will take, by one batch that changes nothing.
void TrainSession::announce() const {
  const Params params(*model_);
  const CorpusSize& size = corpus_.size();
  log_info("model: ", params.count(), " parameters; vocabulary ",
           source_.size(), " and ", target_.size());
  log_info("text: ", size.examples, " pairs, ", size.source_tokens,
           " source and ", size.target_tokens, " target tokens");
  const Batch batch = BatchStream(corpus_).next();
  double best = 0;
  for (int i = 0; i < 2; ++i) {
    const double start = now();
    model_->loss(batch, {}, Pass{.training = true}).total.backward();
    const double speed = batch.target.of.total() / (now() - start);
    best = std::max(best, speed);
  }
  for (const auto& p : params.parameters()) p.value->clear_grad();
  log_info("expect about ",
           duration_text(static_cast<double>(size.target_tokens) / best),
           " an epoch, ", static_cast<int64_t>(best),
           " target tokens a second, on ", thread_limit(), " threads");
}

TrainerConfig TrainSession::trainer_config() const {
  TrainerConfig trainer = config_.trainer;
  if (trainer.valid_freq == 0) {
    const int64_t tokens =
        std::max(corpus_.size().source_tokens, corpus_.size().target_tokens);
    const int64_t batches = tokens / config_.corpus.batch_tokens + 1;
    trainer.valid_freq =
        std::max<int64_t>(100, batches / std::max(1, trainer.accumulate));
  }
  return trainer;
}

TrainerEvents TrainSession::events() {
  return {.stepped = [this](const StepReport& r) { journal_.stepped(r); },
          .displayed = [this](const StepReport& r) { journal_.displayed(r); },
          .validate =
              [this](int64_t step, bool of_mean) {
                Validation result = validator_();
                journal_.validated(of_mean ? "mean" : "valid", step, result,
                                   validator_.samples());
                return result;
              },
          .improved =
              [this](int64_t) {
                save_parameters(weights_file(folder_.path()), Params(*model_));
              },
          .history_bytes = [this] { return journal_.bytes(); },
          .cut_history = [this](int64_t bytes) { journal_.cut(bytes); }};
}

void TrainSession::run() {
  const StopSignals signals;
  announce();
  Trainer trainer(*model_, corpus_, folder_, trainer_config(), events());
  if (trainer.step() > 0) log_info("resumed at step ", trainer.step());
  const TrainEnd end = trainer.run();
  journal_.finish();
  if (end == TrainEnd::kStopped) {
    log_info("stopped at step ", trainer.step(),
             "; the same command continues");
    return;
  }
  log_info("finished: ", folder_.index().reason);
}

}  // namespace fovea::cli
