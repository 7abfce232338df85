#include "cli/train_run.h"

#include <chrono>

#include "fovea/base/log.h"
#include "fovea/base/parallel.h"
#include "fovea/base/progress.h"
#include "fovea/base/stop.h"
#include "fovea/data/batch_stream.h"
#include "fovea/models/checkpoint.h"
#include "fovea/models/folder.h"

namespace fovea::cli {
namespace {

double now() {
  using namespace std::chrono;
  return duration<double>(steady_clock::now().time_since_epoch()).count();
}

// By one batch that changes nothing.
void announce_speed(const TrainRun& run) {
  const Batch batch = BatchStream(run.corpus).next();
  const bool labelled = !batch.labels.empty();
  const int tokens =
      labelled ? batch.source.of.total() : batch.target.of.total();
  double best = 0;
  for (int i = 0; i < 2; ++i) {
    const double start = now();
    run.model.loss(batch, {}, Pass{.training = true}).total.backward();
    best = std::max(best, tokens / (now() - start));
  }
  const Params params(run.model);
  for (const auto& p : params.parameters()) p.value->clear_grad();
  const CorpusSize& size = run.corpus.size();
  const int64_t all = labelled ? size.source_tokens : size.target_tokens;
  log_info("expect about ", duration_text(static_cast<double>(all) / best),
           " an epoch, ", static_cast<int64_t>(best),
           labelled ? " tokens" : " target tokens", " a second, on ",
           thread_limit(), " threads");
}

// About; batches are not always full.
int64_t steps_of_epoch(const TrainRun& run) {
  const CorpusSize& size = run.corpus.size();
  const int64_t tokens = std::max(size.source_tokens, size.target_tokens);
  const int64_t batches = tokens / run.config.corpus.batch_tokens + 1;
  return batches / std::max(1, run.config.trainer.accumulate);
}

TrainerConfig trainer_config(const TrainRun& run) {
  TrainerConfig trainer = run.config.trainer;
  trainer.width = run.config.model.embed.width;
  trainer.choices = run.choices;
  if (trainer.valid_freq == 0) {
    trainer.valid_freq = std::max<int64_t>(100, steps_of_epoch(run));
  }
  return trainer;
}

TrainerEvents events(const TrainRun& run) {
  TrainJournal& journal = run.journal;
  return {.stepped = [&](const StepReport& r) { journal.stepped(r); },
          .displayed = [&](const StepReport& r) { journal.displayed(r); },
          .validate =
              [&](int64_t step, bool of_mean) {
                std::optional<Validation> result = run.validate();
                if (!result) return result;
                journal.validated(of_mean ? "mean" : "valid", step, *result,
                                  run.samples());
                return result;
              },
          .improved =
              [&](int64_t) {
                save_parameters(weights_file(run.folder.path()),
                                Params(run.model));
              },
          .history_bytes = [&] { return journal.bytes(); },
          .cut_history = [&](int64_t bytes) { journal.cut(bytes); }};
}

}  // namespace

void run_training(const TrainRun& run) {
  const StopSignals signals;
  announce_speed(run);
  const TrainerConfig config = trainer_config(run);
  run.journal.expect(steps_of_epoch(run), config.valid_freq);
  Trainer trainer(run.model, run.corpus, run.folder, config, events(run));
  if (trainer.step() > 0) log_info("resumed at step ", trainer.step());
  const TrainEnd end = trainer.run();
  run.journal.finish();
  if (end == TrainEnd::kStopped) {
    log_info("stopped at step ", trainer.step(),
             "; the same command continues");
    return;
  }
  log_info("finished: ", run.folder.index().reason);
}

}  // namespace fovea::cli
