// A whole training step of a model: forward, backward, clipping and Adam.
#include <string>
#include <vector>

#include "bench/bench.h"
#include "bench/training_case.h"
#include "fovea/models/seq2seq.h"
#include "fovea/train/optimizer.h"

namespace fovea::bench {
namespace {

class Stepper {
 public:
  explicit Stepper(const TrainingCase& c)
      : model_(c.config, RandomKey(1)), optimizer_({}, Params(model_)) {}

  void step() {
    ++step_;
    const Pass pass{.training = true, .key = RandomKey(1).with(step_)};
    model_.loss(batch_, {.label_smoothing = 0.1f}, pass).total.backward();
    optimizer_.step(step_, 1e-4f, optimizer_.gradient_norm());
  }

 private:
  Seq2Seq model_;
  Optimizer optimizer_;
  Batch batch_ = training_batch();
  int64_t step_ = 0;
};

Row row_of(const char* bench, const TrainingCase& c, int threads) {
  Row row;
  row.bench = bench;
  row.name = c.name;
  row.threads = threads;
  return row;
}

}  // namespace

// Useful utilisation: three times the forward FLOPs of real tokens over what
// sgemm could have done in the time. The optimiser's step counts as time only.
Bench training_bench() {
  return {
      "training", [](int threads) {
        std::vector<Row> rows;
        for (const TrainingCase& c : training_cases()) {
          Stepper ours(c);
          rows.push_back(against(sgemm_peak(), row_of("training", c, threads),
                                 3 * c.forward_flops, [&] { ours.step(); }));
        }
        return rows;
      }};
}

Bench training_torch_bench() {
  return {"training_torch", [](int threads) {
            std::vector<Row> rows;
            for (const TrainingCase& c : training_cases()) {
              Stepper ours(c);
              Peer peer = torch_peer("training", c, training_batch(), threads);
              rows.push_back(against(peer, row_of("training_torch", c, threads),
                                     [&] { ours.step(); }));
            }
            return rows;
          }};
}

}  // namespace fovea::bench
