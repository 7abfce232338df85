#pragma once

#include <memory>

#include "fovea/embed/token.h"
#include "fovea/encode/encoder.h"
#include "fovea/models/classifier_config.h"
#include "fovea/models/model.h"
#include "fovea/predict/classes.h"

namespace fovea {

// A model that gives a text a label (SPEC D13). Running changes nothing, so
// threads may share one. It stays where it is: lists of parameters refer to it.
class Classifier : public Model {
 public:
  Classifier(const ClassifierConfig& config, RandomKey key);
  Classifier(const Classifier&) = delete;
  Classifier& operator=(const Classifier&) = delete;

  // Scores of the labels of texts that end with the end mark: [B,labels].
  Var logits(const Ids& text, const Pass& pass) const;
  // The same step by step, for whoever looks at what is between.
  Var embed(const Ids& text, const Pass& pass) const;  // [N,E]
  Encoded encode(const Var& embedded, const Segments& of,
                 const Pass& pass) const;
  Var classify(const Encoded& text, const Pass& pass) const;

  // Of a batch with labels.
  BatchLoss loss(const Batch& batch, const LossOptions& options,
                 const Pass& pass) const override;
  void params(Params& p) override;

  const ClassifierConfig& config() const { return config_; }
  // The name in records of the attention that pools, where there is one.
  static constexpr const char* kPoolLayer = "classes.pool";

 private:
  ClassifierConfig config_;
  TokenEmbedding embed_;
  std::unique_ptr<Encoder> encoder_;
  ClassPredictor classes_;
};

}  // namespace fovea
