#pragma once

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "fovea/data/batch_stream.h"
#include "fovea/data/corpus.h"
#include "fovea/models/model.h"
#include "fovea/train/config.h"
#include "fovea/train/loss_weights.h"
#include "fovea/train/run_folder.h"
#include "fovea/train/smoothing.h"

namespace fovea {

// What a validation found: numbers for the history, and the one that counts.
struct Validation {
  std::vector<std::pair<std::string, double>> numbers;
  double score = 0;  // larger is better
  double loss = 0;   // decides between equal scores; smaller is better
};

// How one step went.
struct StepReport {
  int64_t step = 0, epoch = 0;
  double loss = 0, nll = 0;    // a word, since the last line of the history
  double rate = 0;             // learning rate
  double gradient_norm = 0;    // before it was clipped
  int64_t rows = 0;            // words of this step
  double rows_per_second = 0;  // of the last steps
};

// Who looks on. All may be left out but `validate`.
struct TrainerEvents {
  std::function<void(const StepReport&)> stepped = {};  // after each step
  std::function<void(const StepReport&)> displayed =
      {};  // each display_freq steps
  // Judges the parameters as they are: those of the step, smoothed ones if they
  // are kept, or at the end the mean of some checkpoints. Nothing if a signal
  // came meanwhile: then it is asked again when the run goes on.
  std::function<std::optional<Validation>(int64_t step, bool of_mean)>
      validate = {};
  // The score is the best so far, and the parameters are those that have it.
  std::function<void(int64_t step)> improved = {};
  // What stands in the history; to be cut there on resume.
  std::function<int64_t()> history_bytes = {};
  std::function<void(int64_t bytes)> cut_history = {};
};

enum class TrainEnd { kFinished, kStopped };

// Trains a model until a limit is reached or it no longer improves. The same
// data, config and seed give the same parameters, byte for byte, however often
// the run was interrupted. The folder must be the run's own.
class Trainer {
 public:
  Trainer(Model& model, const Corpus& corpus, RunFolder& folder,
          const TrainerConfig& config, TrainerEvents events);

  // The step from which the run goes on: 0 for a new one.
  int64_t step() const { return state_.step; }
  // Returns kStopped, with all saved, after Ctrl-C or SIGTERM.
  TrainEnd run();

 private:
  struct Outcome;  // of one step

  CheckpointTensors tensors() const;
  Outcome step_once();
  bool is_sound(const Outcome& outcome);
  double explosion() const;
  int64_t good_checkpoint() const;
  void go_back(const Outcome& outcome);
  void go_on_from(int64_t step);
  void resume();
  bool is_best(const Validation& result) const;
  bool settle();
  std::optional<Validation> judge(bool of_mean);
  bool validate();
  void save(bool steady);
  void show(const Outcome& outcome);
  std::optional<std::string> reason_to_end() const;
  bool finish(const std::string& reason);
  bool try_average();
  bool at(int64_t frequency) const;

  Model& model_;
  RunFolder& folder_;
  TrainerConfig config_;
  TrainerEvents events_;
  const Corpus& corpus_;
  Params params_;
  Optimizer optimizer_;
  Smoothing smoothing_;
  BatchStream stream_;
  RunState state_;
  LossWeights loss_weights_;
  ScheduleScale scale_;
  double saved_at_ = 0;  // seconds
  double rows_per_second_ = 0;
};

}  // namespace fovea
