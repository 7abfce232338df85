#pragma once

#include <memory>
#include <string>

#include "fovea/explain/tested_model.h"
#include "fovea/layers/params.h"
#include "support/check_layer.h"
#include "support/tiny_classifiers.h"
#include "support/tiny_models.h"

namespace fovea::testing {

// Random numbers in all parameters, as constants.
inline void make_constant(const Params& params, uint64_t seed) {
  randomise(params, seed, 0.5f);
  for (const Params::Parameter& p : params.parameters()) {
    p.value->fix(p.value->value());
  }
}

// A tiny model ready to be tested, and texts for it.
struct TestedCase {
  std::unique_ptr<Classifier> classifier = {};
  std::unique_ptr<Seq2Seq> translator = {};
  std::unique_ptr<TestedModel> model = {};
  TestTexts texts = {};
};

inline TestedCase classifier_case(const std::string& encoder,
                                  const std::string& pool = "attention") {
  TestedCase made;
  made.classifier = std::make_unique<Classifier>(tiny_classifier(encoder, pool),
                                                 RandomKey(5));
  make_constant(Params(*made.classifier), 7);
  made.model = tested_classifier(*made.classifier);
  made.texts.source = tiny_labelled_batch(3, 6).source;
  return made;
}

inline TestedCase sequence_case(const ModelConfig& config) {
  TestedCase made;
  made.translator = std::make_unique<Seq2Seq>(config, RandomKey(5));
  make_constant(Params(*made.translator), 7);
  made.model = tested_sequence_model(*made.translator);
  const Batch batch = tiny_batch(3, 4);
  made.texts = {batch.source, batch.target};
  return made;
}

}  // namespace fovea::testing
