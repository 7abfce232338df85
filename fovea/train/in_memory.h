#pragma once

#include <cstdint>
#include <functional>

#include "fovea/data/corpus.h"
#include "fovea/layers/params.h"
#include "fovea/layers/pass.h"
#include "fovea/train/optimizer.h"
#include "fovea/train/schedule.h"

namespace fovea {

struct InMemoryTraining {
  int64_t epochs = 8;
  int64_t seed = 1;
  OptimizerConfig optimizer = {};
  ScheduleConfig schedule = {
      .schedule = Schedule::kConstant, .lr = 1e-3f, .warmup = 100};
};

// What is trained. All functions are called by the calling thread.
struct InMemoryTask {
  std::function<Var(const Batch&, const Pass&)> loss;  // to be made small
  std::function<double()> score;     // after each epoch; larger is better
  std::function<void()> epoch = {};  // after each, or nothing
};

// Trains parameters without a folder, for experiments that need many small
// models: nothing is written and nothing can be resumed. Leaves the parameters
// of the epoch with the best score. The same data, config and number of threads
// give the same parameters.
void train_in_memory(const Params& params, const Corpus& corpus,
                     const InMemoryTask& task,
                     const InMemoryTraining& training);

}  // namespace fovea
