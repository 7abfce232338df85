#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "fovea/attend/impose.h"
#include "fovea/data/corpus.h"
#include "fovea/explain/retraining.h"

namespace fovea {

// Where the weights of a model that is trained come from.
enum class WeightSource { kOwn, kUniform, kModel, kAdversary };

// A model to train.
struct RetrainingJob {
  std::string name;
  WeightSource weights = WeightSource::kOwn;
  bool tokenwise = false;  // without context
  double lambda = -1;      // of an adversary; -1: it is none
  int64_t seed = 1;
  const Classifier* adversary = nullptr;  // whose weights are taken
};

// Trains and judges models beside a base model. Immutable, so threads may share
// one; refers to all that it is given.
class Retrainer {
 public:
  Retrainer(const ClassifierModel& base, std::span<const TestText> texts,
            const RetrainingConfig& config);

  int64_t epochs(const RetrainingJob& job) const;
  // `epoch` is called after each.
  std::unique_ptr<Classifier> train(const RetrainingJob& job,
                                    const std::function<void()>& epoch) const;
  RetrainedModel judge(const Classifier& model, const RetrainingJob& job) const;

 private:
  Corpus part(bool held_out, int64_t seed) const;
  Impose::Change change(const Ids& text, const RetrainingJob& job) const;
  Var label_loss(const Classifier& model, const Batch& batch, const Pass& pass,
                 const RetrainingJob& job) const;
  Var adversary_loss(const Classifier& model, const Batch& batch,
                     const Pass& pass, double lambda) const;
  double score(const Classifier& model, const RetrainingJob& job) const;
  double correct(const Classifier& model, const Batch& batch,
                 const RetrainingJob& job) const;

  const ClassifierModel& base_;
  const RetrainingConfig& config_;
  std::vector<Batch> held_out_;
  std::vector<std::string> labels_;  // of the test texts
  std::vector<Ids> test_;
};

}  // namespace fovea
