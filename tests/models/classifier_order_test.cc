// SPEC D13: what is pooled from words alone does not know their order (C1).
#include <gtest/gtest.h>

#include <algorithm>

#include "fovea/models/classifier.h"
#include "support/check_layer.h"
#include "support/tiny_classifiers.h"

namespace fovea {
namespace {

using namespace fovea::testing;

// How far the scores of "you are happy today" are from those of "are you happy
// today", the end mark where it was.
double difference(const ClassifierConfig& config) {
  Classifier model(config, RandomKey(1));
  randomise(Params(model), 2, 0.5f);
  const NoGrad none;
  const Segments of = Segments::from_lengths(std::vector<int>{5, 5});
  const Tensor logits =
      model.logits({{3, 4, 5, 6, 2, 4, 3, 5, 6, 2}, of}, Pass{}).value();
  double most = 0;
  for (int i = 0; i < kTinyLabels; ++i) {
    most =
        std::max<double>(most, std::abs(logits[i] - logits[kTinyLabels + i]));
  }
  return most;
}

TEST(ClassifierOrder, ABagOfWordsIsBlindToIt) {
  for (const char* encoder : {"none", "mlp"}) {
    for (const char* pool : {"mean", "sum", "max", "attention", "query"}) {
      EXPECT_LT(difference(tiny_classifier(encoder, pool)), 1e-5)
          << encoder << " " << pool;
    }
  }
  EXPECT_LT(difference(tiny_classifier("transformer", "mean")), 1e-5);
}

TEST(ClassifierOrder, WhatReadsInOrderSeesIt) {
  for (const char* encoder : {"recurrent", "lstmn", "cnn", "convolution"}) {
    for (const char* pool : {"mean", "sum", "attention", "query"}) {
      EXPECT_GT(difference(tiny_classifier(encoder, pool)), 1e-3)
          << encoder << " " << pool;
    }
  }
  EXPECT_GT(difference(tiny_classifier("recurrent", "last")), 1e-3);
  ClassifierConfig placed = tiny_classifier("transformer", "mean");
  placed.embed.position.kind = PositionKind::kSinusoidal;
  EXPECT_GT(difference(placed), 1e-3);
}

}  // namespace
}  // namespace fovea
