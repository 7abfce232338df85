#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "fovea/base/fields.h"
#include "fovea/train/optimizer.h"
#include "fovea/train/schedule.h"

namespace fovea {

// How a model is trained. Steps count updates of the parameters.
struct TrainerConfig {
  int64_t max_steps = 0;
  int64_t max_epochs = 0;
  int accumulate = 1;
  float teacher_forcing = 1.0f;
  float label_smoothing = 0.1f;
  bool smooth_all = false;
  float guided_alignment_weight = 0.1f;
  std::vector<std::string> loss_weights = {"coverage=1", "gate_sparsity=0.001"};
  int64_t valid_freq = 0;
  int64_t save_freq = 0;
  float save_minutes = 5.0f;
  int64_t display_freq = 100;
  int early_stopping = 10;
  int keep = 5;
  int average = 5;
  float smoothing = 0.0f;
  OptimizerConfig optimizer;
  ScheduleConfig schedule;
  int64_t seed = 1;
  // Set by the owner, no fields: the width of embedded words, for noam, and how
  // many words or labels the model chooses among; 0: many.
  int width = 512, choices = 0;

  void fields(auto&& field) {
    field("max-steps", max_steps, "steps at most; 0: no limit");
    field("max-epochs", max_epochs, "epochs at most; 0: no limit");
    field("accumulate", accumulate, "batches whose gradients make one step");
    field("teacher-forcing", teacher_forcing,
          "how often a decoder reads the right word before, not its own");
    field("label-smoothing", label_smoothing,
          "probability that is taken from the right word for all others");
    field("smooth-all", smooth_all,
          "share it among all words, the right one included");
    field("guided-alignment-weight", guided_alignment_weight,
          "weight of the loss against given word links");
    field("loss-weights", loss_weights,
          "weights of what attention adds to the loss, as name=number");
    field("valid-freq", valid_freq,
          "steps between validations; 0: once an epoch, 100 at least");
    field("save-freq", save_freq,
          "steps between checkpoints; 0: at validations");
    field("save-minutes", save_minutes,
          "longest time without a checkpoint; it changes no result");
    field("display-freq", display_freq, "steps between lines of the history");
    field("early-stopping", early_stopping,
          "validations without a better score before the end; 0: never");
    field("keep", keep, "checkpoints to keep, besides the best");
    field("average", average,
          "checkpoints whose mean is the final model if it scores better");
    field("exponential-smoothing", smoothing,
          "memory of the averaged parameters, such as 0.999; 0: none");
    optimizer.fields(field);
    schedule.fields(field);
    field("seed", seed, "seed of weights, order and dropout");
  }
};

// Throws a usage error that names the flag for a value that cannot be.
void check_trainer(const TrainerConfig& config);

}  // namespace fovea
