#include "fovea/train/trainer.h"

#include <algorithm>
#include <chrono>
#include <cmath>

#include "fovea/attend/reinforce.h"
#include "fovea/autograd/elementwise.h"
#include "fovea/base/check.h"
#include "fovea/base/log.h"
#include "fovea/base/stop.h"

namespace fovea {
namespace {

constexpr int kMostRecoveries = 5;
constexpr double kRunningMemory = 0.98;  // of the loss that is watched
constexpr double kLeastGrowth = 1.0, kMostGrowth = 3.0;  // nats: an explosion

double now() {
  using namespace std::chrono;
  return duration<double>(steady_clock::now().time_since_epoch()).count();
}

int64_t rows_of(const Batch& batch) {
  return batch.labels.empty() ? batch.target.of.total() : batch.size();
}

LossOptions loss_options(const TrainerConfig& config, int64_t rows) {
  return {.label_smoothing = config.label_smoothing,
          .smooth_all = config.smooth_all,
          .normaliser = static_cast<double>(std::max<int64_t>(1, rows)),
          .guided_alignment = config.guided_alignment_weight,
          .teacher_forcing = config.teacher_forcing};
}

}  // namespace

struct Trainer::Outcome {
  double loss = 0, nll = 0;  // sums over rows
  int64_t rows = 0;
  double gradient_norm = 0, rate = 0, seconds = 0;
};

Trainer::Trainer(Model& model, const Corpus& corpus, RunFolder& folder,
                 const TrainerConfig& config, TrainerEvents events)
    : model_(model),
      folder_(folder),
      config_(config),
      events_(std::move(events)),
      corpus_(corpus),
      params_(model),
      optimizer_(config.optimizer, params_),
      smoothing_(config.smoothing, params_),
      stream_(corpus),
      loss_weights_(config.loss_weights),
      scale_{.steps = config.max_steps, .width = config.width},
      saved_at_(now()) {
  check_trainer(config);
  if (folder_.index().last < 0) {
    save(true);  // tells at once if nothing can be written, and to go back to
    return;
  }
  resume();
}

CheckpointTensors Trainer::tensors() const {
  CheckpointTensors all;
  for (const Params::Parameter& p : params_.parameters()) {
    all.model.push_back({p.name, p.value->value()});
  }
  for (const Params::Buffer& b : params_.buffers()) {
    all.model.push_back({b.name, *b.value});
  }
  for (const Optimizer::Named& s : optimizer_.state()) {
    all.optimizer.push_back({s.name, s.value});
  }
  for (NamedTensor& t : smoothing_.tensors()) {
    all.optimizer.push_back(std::move(t));
  }
  return all;
}

TrainEnd Trainer::run() {
  if (folder_.index().finished) return TrainEnd::kFinished;
  while (settle()) {
    if (const auto reason = reason_to_end()) {
      return finish(*reason) ? TrainEnd::kFinished : TrainEnd::kStopped;
    }
    if (stop_signal() != 0) {
      save(false);
      break;
    }
    const Outcome outcome = step_once();
    if (!is_sound(outcome)) {
      go_back(outcome);
      continue;
    }
    show(outcome);
  }
  return TrainEnd::kStopped;
}

// What is due after a step: a validation, a checkpoint. False if a signal ended
// the validation; then it is still due when the run goes on.
bool Trainer::settle() {
  if (state_.step == 0) return true;
  const bool judges = at(config_.valid_freq) && state_.judged != state_.step;
  if (judges && !validate()) {
    save(false);
    return false;
  }
  const bool keeps =
      at(config_.save_freq) && folder_.index().steady != state_.step;
  if (judges || keeps) {
    save(true);
  } else if (now() - saved_at_ > 60 * config_.save_minutes) {
    save(false);
  }
  return true;
}

Trainer::Outcome Trainer::step_once() {
  const double start = now();
  std::vector<Batch> batches;
  Outcome outcome;
  for (int i = 0; i < config_.accumulate; ++i) {
    batches.push_back(stream_.next());
    outcome.rows += rows_of(batches.back());
  }
  const LossOptions options = loss_options(config_, outcome.rows);
  const RandomKey key =
      RandomKey(config_.seed).with("dropout").with(state_.step + 1);
  std::vector<Update> updates;
  for (size_t i = 0; i < batches.size(); ++i) {
    std::vector<Loss> losses;
    std::vector<Choice> choices;
    const Pass pass{.training = true,
                    .key = key.with(i),
                    .losses = &losses,
                    .updates = &updates,
                    .choices = &choices};
    const BatchLoss batch = model_.loss(batches[i], options, pass);
    Var total = batch.total;
    for (const Loss& extra : losses) {
      const double weight = loss_weights_[extra.name] / options.normaliser;
      total = total + scale(extra.value, static_cast<float>(weight));
    }
    total.backward();
    outcome.loss += batch.loss;
    outcome.nll += batch.nll;
  }
  outcome.gradient_norm = optimizer_.gradient_norm();
  outcome.rate = folder_.index().rate_factor *
                 learning_rate(config_.schedule, scale_, state_.step + 1);
  if (std::isfinite(outcome.gradient_norm) && std::isfinite(outcome.loss)) {
    optimizer_.step(state_.step + 1, static_cast<float>(outcome.rate),
                    outcome.gradient_norm);
    smoothing_.update(state_.step + 1);
    for (const Update& u : updates) u.buffer.copy_from(u.value);
  } else {
    optimizer_.clear_gradients();
  }
  ++state_.step;
  state_.place = stream_.place();
  outcome.seconds = now() - start;
  return outcome;
}

bool Trainer::is_sound(const Outcome& outcome) {
  if (!std::isfinite(outcome.gradient_norm) || !std::isfinite(outcome.loss)) {
    return false;
  }
  const double loss =
      outcome.loss / static_cast<double>(std::max<int64_t>(1, outcome.rows));
  if (state_.step == 1) {
    state_.running_loss = state_.least_loss = loss;
    return true;
  }
  state_.running_loss += (1 - kRunningMemory) * (loss - state_.running_loss);
  state_.least_loss = std::min(state_.least_loss, state_.running_loss);
  return state_.running_loss < state_.least_loss + explosion();
}

// How many nats above its best a running loss is no longer noise. Who chooses
// among few words loses little by choosing blindly, so it is less for them.
double Trainer::explosion() const {
  if (config_.choices == 0) return kMostGrowth;
  return std::clamp(std::log(config_.choices) / 2, kLeastGrowth, kMostGrowth);
}

// The newest one, among those whose place does not depend on the time, at which
// the loss had not begun to grow; if there is none left, the best one.
int64_t Trainer::good_checkpoint() const {
  const RunIndex& index = folder_.index();
  for (size_t i = index.kept.size(); i-- > 0;) {
    const RunState then = folder_.numbers(index.kept[i]);
    // The mean is late: by the time that it shows, more has happened.
    if (then.running_loss <= then.least_loss + explosion() / 10) {
      return index.kept[i];
    }
  }
  return index.best >= 0 ? index.best : index.kept.front();
}

void Trainer::go_on_from(int64_t step) {
  state_ = folder_.load(step, tensors());
  stream_ = BatchStream(corpus_, state_.place);
  if (events_.cut_history) events_.cut_history(state_.history_bytes);
}

// From the newest checkpoint; if it is damaged, from a steady one before it,
// after which a run comes to the same steps again.
void Trainer::resume() {
  RunIndex index = folder_.index();
  std::vector<int64_t> steps = index.kept;
  std::erase_if(steps, [&](int64_t step) { return step >= index.last; });
  steps.push_back(index.last);
  std::string damage;
  for (; !steps.empty(); steps.pop_back()) {
    try {
      go_on_from(steps.back());
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::kData) throw;
      log_warning(error.what());
      if (damage.empty()) damage = error.what();
      continue;
    }
    if (damage.empty()) return;
    log_warning("going on from step ", steps.back(), " instead");
    index.rewind(steps.back());
    folder_.set_index(index);
    folder_.clean();
    return;
  }
  fail(ErrorKind::kData, damage, "; no checkpoint of ", folder_.path(),
       " can be read, --overwrite starts anew");
}

// To a checkpoint from before the loss grew, with half the learning rate.
void Trainer::go_back(const Outcome& outcome) {
  RunIndex index = folder_.index();
  const std::string what = !std::isfinite(outcome.loss)
                               ? "the loss is not a number"
                           : !std::isfinite(outcome.gradient_norm)
                               ? "the gradient is not a number"
                               : join("the loss grew from ", state_.least_loss,
                                      " to ", state_.running_loss);
  check(index.recoveries < kMostRecoveries, "step ", state_.step, ": ", what,
        ", after going back ", index.recoveries,
        " times; begin again, with --overwrite and a smaller --lr, a longer "
        "--lr-warmup or a smaller --clip-norm");
  ++index.recoveries;
  index.rate_factor /= 2;
  index.rewind(good_checkpoint());
  folder_.set_index(index);
  folder_.clean();
  log_warning("step ", state_.step, ": ", what, "; going back to step ",
              index.last, " with the learning rate times ", index.rate_factor);
  go_on_from(index.last);
}

void Trainer::show(const Outcome& outcome) {
  state_.shown_loss += outcome.loss;
  state_.shown_nll += outcome.nll;
  state_.shown_rows += outcome.rows;
  ++state_.shown_steps;
  const double speed =
      static_cast<double>(outcome.rows) / std::max(1e-9, outcome.seconds);
  rows_per_second_ =
      rows_per_second_ == 0 ? speed : 0.9 * rows_per_second_ + 0.1 * speed;
  const double rows =
      static_cast<double>(std::max<int64_t>(1, state_.shown_rows));
  const StepReport report{.step = state_.step,
                          .epoch = state_.place.epoch,
                          .loss = state_.shown_loss / rows,
                          .nll = state_.shown_nll / rows,
                          .rate = outcome.rate,
                          .gradient_norm = outcome.gradient_norm,
                          .rows = outcome.rows,
                          .rows_per_second = rows_per_second_};
  if (events_.stepped) events_.stepped(report);
  if (!at(config_.display_freq)) return;
  if (events_.displayed) events_.displayed(report);
  state_.shown_loss = state_.shown_nll = 0;
  state_.shown_rows = state_.shown_steps = 0;
}

// A score such as BLEU is 0 for long at first, and for some texts 100 at the
// end, while the model still learns.
bool Trainer::is_best(const Validation& result) const {
  if (state_.best_step < 0) return true;
  if (result.score != state_.best_score) {
    return result.score > state_.best_score;
  }
  return result.loss < state_.best_loss;
}

// The validation sees the model as translations will.
std::optional<Validation> Trainer::judge(bool of_mean) {
  params_.prepare(Precision::kFloat32);
  const std::optional<Validation> result =
      events_.validate(state_.step, of_mean);
  params_.forget_packed();
  return result;
}

bool Trainer::validate() {
  smoothing_.swap();
  const std::optional<Validation> result = judge(false);
  if (result) {
    ++state_.validations;
    ++state_.worse;
    state_.judged = state_.step;
  }
  if (result && is_best(*result)) {
    state_.best_score = result->score;
    state_.best_loss = result->loss;
    state_.best_step = state_.step;
    state_.worse = 0;
    if (events_.improved) events_.improved(state_.step);
  }
  smoothing_.swap();
  return result.has_value();
}

void Trainer::save(bool steady) {
  if (events_.history_bytes) state_.history_bytes = events_.history_bytes();
  folder_.save(state_, tensors());
  RunIndex index = folder_.index();
  index.last = state_.step;
  if (steady) {
    index.steady = state_.step;
    if (index.kept.empty() || index.kept.back() != state_.step) {
      index.kept.push_back(state_.step);
    }
    const auto most = static_cast<size_t>(
        std::max(1, std::max(config_.keep, config_.average)));
    while (index.kept.size() > most) index.kept.erase(index.kept.begin());
    if (state_.best_step == state_.step) index.best = state_.step;
  }
  folder_.set_index(index);
  folder_.clean();
  saved_at_ = now();
}

std::optional<std::string> Trainer::reason_to_end() const {
  if (config_.max_steps > 0 && state_.step >= config_.max_steps) {
    return join("reached --max-steps ", config_.max_steps);
  }
  if (config_.max_epochs > 0 && state_.place.epoch >= config_.max_epochs) {
    return join("reached --max-epochs ", config_.max_epochs);
  }
  if (config_.early_stopping > 0 && state_.worse >= config_.early_stopping) {
    return join("no better score in ", state_.worse, " validations");
  }
  return std::nullopt;
}

// False if a signal came first.
bool Trainer::finish(const std::string& reason) {
  // The last steps are judged, too, unless an interrupted end has done it.
  const bool judged = state_.judged == state_.step || validate();
  save(judged);
  if (!judged || !try_average()) return false;
  RunIndex index = folder_.index();
  index.finished = true;
  index.reason = reason;
  folder_.set_index(index);
  return true;
}

// The mean of the last checkpoints is the result if it scores better than all.
bool Trainer::try_average() {
  std::vector<int64_t> kept = folder_.index().kept;
  std::erase(kept, 0);
  const auto most = static_cast<size_t>(std::max(0, config_.average));
  if (kept.size() > most) kept.erase(kept.begin(), kept.end() - most);
  if (kept.size() < 2) return true;
  std::vector<std::string> folders;
  for (int64_t step : kept) folders.push_back(folder_.checkpoint(step));
  average_checkpoints(folders, tensors().model);
  const std::optional<Validation> mean = judge(true);
  if (!mean) return false;
  const bool better = is_best(*mean);
  log_info("the mean of ", kept.size(), " checkpoints scores ", mean->score,
           " with a loss of ", mean->loss,
           better ? ", better than the best one's "
                  : ", not better than the best one's ",
           state_.best_score, " with ", state_.best_loss);
  if (better && events_.improved) events_.improved(state_.step);
  return true;
}

bool Trainer::at(int64_t frequency) const {
  return frequency > 0 && state_.step % frequency == 0;
}

}  // namespace fovea
