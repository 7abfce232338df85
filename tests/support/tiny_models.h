#pragma once

#include <ostream>
#include <string>
#include <vector>

#include "fovea/data/batch.h"
#include "fovea/models/config.h"

namespace fovea::testing {

// A model of every kind, small enough for laws that hold for all.
struct TinyModel {
  std::string name;
  ModelConfig config;
};
std::vector<TinyModel> tiny_models();
std::ostream& operator<<(std::ostream& out, const TinyModel& model);

// For INSTANTIATE_TEST_SUITE_P.
std::string tiny_model_name(const TinyModel& model);

constexpr int kTinyVocabulary = 17;

// Random sentence pairs of 1 to 7 words.
Batch tiny_batch(uint64_t seed, int pairs);
// Sentence b alone.
Batch only(const Batch& batch, int b);

}  // namespace fovea::testing
