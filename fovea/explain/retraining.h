#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "fovea/base/fields.h"
#include "fovea/explain/faithfulness.h"
#include "fovea/explain/faithfulness_summary.h"
#include "fovea/models/classifier_folder.h"

// The tests that train models again (Wiegreffe & Pinter 2019; SPEC E9). Only
// for classifiers.
namespace fovea {

struct RetrainingConfig {
  std::string train;
  int64_t epochs = 8;
  int64_t adversary_epochs = 0;
  int seeds = 4;
  std::vector<double> lambdas = {0.0, 0.001, 0.01, 0.03, 0.1};
  float lr = 1e-3f;
  int batch_tokens = 1000;

  void fields(auto&& field) {
    field("train", train,
          "labelled lines that the model was trained on: train others as\n"
          "well, for the tests that need them");
    field("epochs", epochs, "of each of these trainings");
    field("adversary-epochs", adversary_epochs,
          "of trained adversaries; 0: as the others");
    field("seeds", seeds, "models like this one to train, with other seeds");
    field("lambdas", lambdas,
          "of trained adversaries: the worth of other weights");
    field("lr", lr, "learning rate of these trainings");
    field("batch-tokens", batch_tokens, "of a batch of these trainings");
  }
};

// One model that was trained.
struct RetrainedModel {
  std::string name;
  double accuracy = 0, macro_f1 = 0;  // percent, on the test texts
  double distance = 0;  // mean total variation of outputs from the model's
  std::vector<double> js = {};  // of weights from the model's, of each text
};

// How far one has come: epochs of all trainings.
using RetrainingProgress = std::function<void(int64_t done, int64_t all)>;

// Numbers that make no sense are a usage error, a training file that is not
// there is a data error.
void check_retraining(const RetrainingConfig& config);

// Trains all models, each by one thread, on nine tenths of the lines; the rest
// tells which epoch was best. Fills in the summary. The model's own seed is not
// known, so that `config.seeds` are all others.
std::vector<RetrainedModel> retrain(const ClassifierModel& model,
                                    std::span<const TestText> texts,
                                    const RetrainingConfig& config,
                                    const RetrainingProgress& progress,
                                    FaithfulnessSummary& summary);

}  // namespace fovea
