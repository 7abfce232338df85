// A whole training step of a model: forward, backward, clipping and Adam.
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "bench/bench.h"
#include "bench/peak_memory.h"
#include "bench/training_case.h"
#include "fovea/base/check.h"
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

// Pairs of as many words as those of training_batch() and then all words once,
// so that the vocabulary is full: written word by word.
void write_text(const std::string& path) {
  std::ofstream out(path);
  for (const std::vector<int>& sentence : sentences(training_batch().target)) {
    for (int id : sentence) out << "w" << id << " ";
    out << "\n";
  }
  constexpr int kWordsOfLine = 15;
  for (int id = 0; id < kTrainingVocabulary; ++id) {
    out << "w" << id << (id % kWordsOfLine == 0 ? "\n" : " ");
  }
}

// The whole of `fovea train` with the first model, its batches as large as
// training_batch().
Row memory_row(int threads) {
  Row row{.bench = "training",
          .name = "memory of Transformer 3+3",
          .threads = threads,
          .value = std::nan(""),
          .unit = "MB"};
  if (!wanted(row)) return row;
  const std::filesystem::path folder =
      std::filesystem::temp_directory_path() /
      join("fovea-training-memory-", ::getpid());
  std::filesystem::create_directories(folder);
  const std::string text = folder / "text", valid = folder / "valid";
  write_text(text);
  std::ofstream(valid) << "w1 w2 w3 w4\n";
  row.value = peak_memory(
      join(FOVEA_COMMAND, " -q --threads ", threads, " train --src ", text,
           " --tgt ", text, " --valid-src ", valid, " --valid-tgt ", valid,
           " --text-unit words --vocab-size ", kTrainingVocabulary,
           " --preset transformer-small --batch-tokens ",
           training_batch().target.of.total(),
           " --max-steps 3 --stop-metric loss --average 1 --out ",
           std::string(folder / "model"), " 2> /dev/null"));
  std::filesystem::remove_all(folder);
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
        rows.push_back(memory_row(threads));
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
