// A whole training step of a model: forward, backward, clipping and Adam.
#include <memory>
#include <string>
#include <vector>

#include "bench/bench.h"
#include "bench/training_case.h"
#include "fovea/models/presets.h"
#include "fovea/models/seq2seq.h"
#include "fovea/train/optimizer.h"

namespace fovea::bench {
namespace {

struct Trained {
  const char* name;
  ModelConfig config;
  double (*forward_flops)(const ModelConfig&, const Batch&);
};

double transformer_flops(const ModelConfig& c, const Batch& batch) {
  const double d = c.embed.width, f = c.encode.ffn;
  const double source = batch.source.of.total();
  const double target = batch.target.of.total();
  double own_source = 0, own_target = 0, cross = 0;  // pairs that meet
  for (int b = 0; b < batch.size(); ++b) {
    const double s = batch.source.of.length(b), t = batch.target.of.length(b);
    own_source += s * s;
    own_target += t * (t + 1) / 2;
    cross += s * t;
  }
  const double encoder =
      c.encode.layers * (source * (8 * d * d + 4 * d * f) + 4 * d * own_source);
  const double decoder =
      c.predict.layers * (target * (8 * d * d + 4 * d * d + 4 * d * f) +
                          source * 4 * d * d + 4 * d * (own_target + cross));
  return encoder + decoder + target * 2 * d * c.vocabulary.target;
}

std::vector<Trained> cases() {
  Trained small{"Transformer 3+3, d 256", preset("transformer-small"),
                transformer_flops};
  Trained medium{"Transformer 6+6, d 512", preset("transformer-medium"),
                 transformer_flops};
  std::vector<Trained> all{small, medium};
  for (Trained& t : all) {
    t.config.vocabulary = {.source = kTrainingVocabulary,
                           .target = kTrainingVocabulary};
  }
  return all;
}

Row row_of(const Trained& trained, int threads) {
  Seq2Seq model(trained.config, RandomKey(1));
  const Params params(model);
  Optimizer optimizer({}, params);
  const Batch batch = training_batch();
  int64_t step = 0;
  Row row;
  row.bench = "training";
  row.name = trained.name;
  row.threads = threads;
  return against(
      sgemm_peak(), row, 3 * trained.forward_flops(trained.config, batch), [&] {
        ++step;
        const Pass pass{.training = true, .key = RandomKey(1).with(step)};
        model.loss(batch, {.label_smoothing = 0.1f}, pass).total.backward();
        optimizer.step(step, 1e-4f, optimizer.gradient_norm());
      });
}

}  // namespace

// Useful utilisation: three times the forward FLOPs of real tokens over what
// sgemm could have done in the time. The optimiser's step counts as time only.
Bench training_bench() {
  return {"training", [](int threads) {
            std::vector<Row> rows;
            for (const Trained& t : cases()) rows.push_back(row_of(t, threads));
            return rows;
          }};
}

}  // namespace fovea::bench
