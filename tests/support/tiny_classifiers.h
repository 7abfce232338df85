#pragma once

#include <ostream>
#include <string>
#include <vector>

#include "fovea/data/batch.h"
#include "fovea/models/classifier_config.h"

namespace fovea::testing {

// A classifier of every kind, small enough for laws that hold for all.
struct TinyClassifier {
  std::string name;
  ClassifierConfig config;
};
std::vector<TinyClassifier> tiny_classifiers();
std::ostream& operator<<(std::ostream& out, const TinyClassifier& model);

constexpr int kTinyWords = 17, kTinyLabels = 3;

// An embedding of 16 numbers, this encoder of as many, this pool.
ClassifierConfig tiny_classifier(const std::string& encoder,
                                 const std::string& pool);

// Random texts of 1 to 7 words with random labels.
Batch tiny_labelled_batch(uint64_t seed, int texts);
// Text b alone.
Batch only_text(const Batch& batch, int b);

}  // namespace fovea::testing
