#include "fovea/train/in_memory.h"

#include <gtest/gtest.h>

#include <vector>

#include "fovea/autograd/elementwise.h"
#include "fovea/autograd/reduce.h"
#include "fovea/base/check.h"
#include "support/temp_folder.h"

namespace fovea {
namespace {

using namespace fovea::testing;

// One number that shall become 3.
struct Number {
  Var x = Var::parameter(Tensor::zeros({1}));
  void params(Params& p) { p("x", x); }
};

class InMemoryTest : public ::testing::Test {
 protected:
  InMemoryTest() {
    const std::string path = folder_.write("text", "a\tx y\nb\ty\na\tx\n");
    CorpusConfig config;
    config.labelled = {path};
    config.batch_tokens = 3;
    TokenizerConfig words;
    words.unit = TextUnit::kWords;
    tokenizer_ = std::make_unique<Tokenizer>(
        Tokenizer::train(words, [](const auto& give) { give("x y"); }));
    corpus_ = std::make_unique<Corpus>(
        Corpus::of_labels(config, *tokenizer_, {"a", "b"}));
  }

  Var loss(const Number& number) const {
    const Var off = shift(number.x, -3.0f);
    return sum(off * off);
  }

  TempFolder folder_;
  std::unique_ptr<Tokenizer> tokenizer_;
  std::unique_ptr<Corpus> corpus_;
};

TEST_F(InMemoryTest, MakesTheLossSmall) {
  Number number;
  InMemoryTraining training{.epochs = 100};
  training.schedule.lr = 0.1f;
  int64_t epochs = 0;
  train_in_memory(
      Params(number), *corpus_,
      {.loss = [&](const Batch&, const Pass&) { return loss(number); },
       .score = [&] { return -loss(number).value().item(); },
       .epoch = [&] { ++epochs; }},
      training);
  EXPECT_EQ(epochs, 100);
  EXPECT_NEAR(number.x.value()[0], 3.0f, 0.05f);
}

TEST_F(InMemoryTest, LeavesTheParametersOfTheBestEpoch) {
  Number number;
  std::vector<float> seen;
  const std::vector<double> scores = {1, 5, 2, 3};
  train_in_memory(
      Params(number), *corpus_,
      {.loss = [&](const Batch&, const Pass&) { return loss(number); },
       .score =
           [&] {
             seen.push_back(number.x.value()[0]);
             return scores[seen.size() - 1];
           }},
      {.epochs = 4});
  ASSERT_EQ(seen.size(), 4u);
  EXPECT_EQ(number.x.value()[0], seen[1]);
  EXPECT_NE(seen[1], seen[3]);
}

TEST_F(InMemoryTest, RefusesNoEpochs) {
  Number number;
  EXPECT_THROW(train_in_memory(Params(number), *corpus_, {}, {.epochs = 0}),
               Error);
}

}  // namespace
}  // namespace fovea
