#include "fovea/train/in_memory.h"

#include <cmath>
#include <limits>
#include <vector>

#include "fovea/base/check.h"
#include "fovea/base/stop.h"
#include "fovea/data/batch_stream.h"

namespace fovea {
namespace {

std::vector<Tensor> copies_of(const Params& params) {
  std::vector<Tensor> copies;
  for (const Params::Parameter& p : params.parameters()) {
    copies.push_back(p.value->value().clone());
  }
  return copies;
}

}  // namespace

void train_in_memory(const Params& params, const Corpus& corpus,
                     const InMemoryTask& task,
                     const InMemoryTraining& training) {
  check_usage(training.epochs >= 1, "epochs ", training.epochs,
              ": give at least 1");
  Optimizer optimizer(training.optimizer, params);
  BatchStream stream(corpus);
  const RandomKey key =
      RandomKey(static_cast<uint64_t>(training.seed)).with("dropout");
  double best = -std::numeric_limits<double>::infinity();
  std::vector<Tensor> kept;
  int64_t step = 0;
  while (stream.place().epoch < training.epochs && stop_signal() == 0) {
    const int64_t epoch = stream.place().epoch;
    const Batch batch = stream.next();
    ++step;
    std::vector<Update> updates;
    const Pass pass{.training = true,
                    .key = key.with(static_cast<uint64_t>(step)),
                    .updates = &updates};
    task.loss(batch, pass).backward();
    const double norm = optimizer.gradient_norm();
    check(std::isfinite(norm), "step ", step, ": the gradient is not a number");
    optimizer.step(step, learning_rate(training.schedule, {}, step), norm);
    for (const Update& u : updates) u.buffer.copy_from(u.value);
    if (stream.place().epoch == epoch) continue;
    const double score = task.score();
    if (score > best) {
      best = score;
      kept = copies_of(params);
    }
    if (task.epoch) task.epoch();
  }
  for (size_t i = 0; i < kept.size(); ++i) {
    params.parameters()[i].value->value().copy_from(kept[i]);
  }
}

}  // namespace fovea
