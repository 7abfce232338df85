#include "fovea/decode/classify_all.h"

#include <gtest/gtest.h>

#include "fovea/base/check.h"
#include "support/compare.h"
#include "support/tiny_classifiers.h"

namespace fovea {
namespace {

using namespace fovea::testing;

constexpr int kEnd = 2;

std::vector<std::vector<int>> texts() {
  return {{3, 4}, {}, {5, 6, 7, 8}, {3}, {9, 9, 9}, {4, 3}, {}};
}

TEST(ClassifyAll, BatchesAndThreadsDoNotChangeABit) {
  for (const char* encoder : {"recurrent", "cnn", "transformer"}) {
    Classifier model(tiny_classifier(encoder, "attention"), RandomKey(1));
    Params(model).prepare(Precision::kFloat32);
    const auto expected = classify_all(model, texts(), kEnd, {.batch_size = 1});
    with_threads({1, 2, 4}, [&](int) {
      for (int size : {1, 3, 100}) {
        EXPECT_EQ(classify_all(model, texts(), kEnd, {.batch_size = size}),
                  expected)
            << encoder;
      }
    });
  }
}

TEST(ClassifyAll, GivesProbabilitiesAndNoneForAnEmptyText) {
  const Classifier model(tiny_classifier("none", "mean"), RandomKey(1));
  const auto found = classify_all(model, texts(), kEnd);
  ASSERT_EQ(found.size(), texts().size());
  for (size_t i = 0; i < found.size(); ++i) {
    if (texts()[i].empty()) {
      EXPECT_TRUE(found[i].empty());
      continue;
    }
    ASSERT_EQ(found[i].size(), 3u);
    EXPECT_NEAR(found[i][0] + found[i][1] + found[i][2], 1, 1e-6);
  }
  EXPECT_TRUE(classify_all(model, {}, kEnd).empty());
  EXPECT_THROW(classify_all(model, texts(), kEnd, {.batch_size = 0}), Error);
}

TEST(ClassifyAll, TheMostProbableComeFirstAndTiesInOrder) {
  const std::vector<float> p = {0.1f, 0.4f, 0.1f, 0.4f};
  EXPECT_EQ(most_probable(p, 3), (std::vector<int>{1, 3, 0}));
  EXPECT_EQ(most_probable(p, 9), (std::vector<int>{1, 3, 0, 2}));
  EXPECT_TRUE(most_probable({}, 1).empty());
}

}  // namespace
}  // namespace fovea
