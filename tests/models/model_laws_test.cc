// Laws that hold for every model there is.
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <numeric>

#include "fovea/autograd/softmax.h"
#include "fovea/models/checkpoint.h"
#include "fovea/models/seq2seq.h"
#include "fovea/train/optimizer.h"
#include "support/check_layer.h"
#include "support/tiny_models.h"

namespace fovea {
namespace {

using namespace fovea::testing;

class ModelLaws : public ::testing::TestWithParam<TinyModel> {
 protected:
  ModelLaws() : model_(GetParam().config, RandomKey(5)), params_(model_) {}

  Tensor forced(const Batch& batch) const {
    const NoGrad none;
    const Encoded source = model_.encode(batch.source, Pass{});
    return model_.readout(model_.forced(source, batch.target, Pass{}).hidden)
        .value();
  }

  Seq2Seq model_;
  Params params_;
};

bool same_bits(const Tensor& a, const Tensor& b) {
  return a.shape() == b.shape() &&
         std::equal(a.span().begin(), a.span().end(), b.span().begin());
}

TEST_P(ModelLaws, ASentenceGivesTheSameBitsAloneAndInABatch) {
  params_.prepare(Precision::kFloat32);
  const Batch batch = tiny_batch(1, 9);
  const Tensor together = forced(batch);
  for (int b = 0; b < batch.size(); ++b) {
    EXPECT_TRUE(same_bits(
        together.row_range(batch.target.of.begin(b), batch.target.of.end(b)),
        forced(only(batch, b))))
        << b;
  }
}

TEST_P(ModelLaws, StepByStepGivesTheSameScoresAsAllAtOnce) {
  params_.prepare(Precision::kFloat32);
  const Batch batch = tiny_batch(2, 5);
  const Tensor all = forced(batch);
  const NoGrad none;
  const Segments& of = batch.target.of;
  State state = model_.start(model_.encode(batch.source, Pass{}), Pass{});
  std::vector<int> rows(of.count()), last(of.count(), model_.begin());
  std::iota(rows.begin(), rows.end(), 0);
  for (int t = 0; !rows.empty(); ++t) {
    Step step = model_.step(std::move(state), last, Pass{});
    const Tensor scores = model_.readout(step.hidden).value();
    std::vector<int> kept, parents;
    last.clear();
    for (size_t i = 0; i < rows.size(); ++i) {
      const int64_t row = of.begin(rows[i]) + t;
      for (int64_t j = 0; j < scores.cols(); ++j) {
        ASSERT_NEAR(scores[i * scores.cols() + j], all[row * scores.cols() + j],
                    2e-5)
            << "word " << t << " of sentence " << rows[i];
      }
      if (t + 1 == of.length(rows[i])) continue;
      kept.push_back(rows[i]);
      parents.push_back(static_cast<int>(i));
      last.push_back(batch.target.ids[row]);
    }
    rows = kept;
    state = std::move(step.state);
    state.keep(parents);
  }
}

TEST_P(ModelLaws, LaterWordsDoNotChangeEarlierScores) {
  params_.prepare(Precision::kFloat32);
  const Batch batch = tiny_batch(3, 1);
  Batch longer = batch;
  longer.target.ids.insert(longer.target.ids.end(), {5, 6, 2});
  const int length = batch.target.of.total() + 3;
  longer.target.of = Segments::from_lengths({&length, 1});
  const Tensor before = forced(batch);
  EXPECT_TRUE(same_bits(before, forced(longer).row_range(0, before.rows())));
}

TEST_P(ModelLaws, GradientsAgreeWithDifferences) {
  randomise(params_, 3, 0.3f);
  const Batch batch = tiny_batch(4, 3);
  const auto loss = [&] {
    return model_.loss(batch, {.normaliser = 1.0}, Pass{});
  };
  loss().total.backward();
  for (const Params::Parameter& p : params_.parameters()) {
    if (p.name.find(".select.gate.") != std::string::npos) {
      EXPECT_FALSE(p.value->grad()) << "open or closed outside of training";
      continue;
    }
    ASSERT_TRUE(p.value->grad()) << p.name;
    const Tensor value = p.value->value();
    // One number of each parameter. A maximum may have its kink on one side,
    // so the slope of either side will do.
    const int64_t i = value.size() / 2;
    const float h = 3e-3f, before = value[i];
    const NoGrad none;
    const double here = loss().nll;
    value[i] = before + h;
    const double up = (loss().nll - here) / h;
    value[i] = before - h;
    const double down = (here - loss().nll) / h;
    value[i] = before;
    const double grad = p.value->grad()[i];
    const double off = std::min({std::fabs(grad - up), std::fabs(grad - down),
                                 std::fabs(grad - (up + down) / 2)});
    EXPECT_LT(off, 0.02 * std::max(1.0, std::fabs(grad))) << p.name;
  }
}

TEST_P(ModelLaws, SavedAndLoadedItGivesTheSameBits) {
  const std::string path =
      ::testing::TempDir() + GetParam().name + ".safetensors";
  save_parameters(path, params_);
  Seq2Seq other(GetParam().config, RandomKey(6));
  load_parameters(path, Params(other));
  std::filesystem::remove(path);
  const Batch batch = tiny_batch(5, 4);
  const NoGrad none;
  EXPECT_EQ(model_.loss(batch, {}, Pass{}).nll,
            other.loss(batch, {}, Pass{}).nll);
}

TEST_P(ModelLaws, ItLearnsAFewPairsByHeart) {
  const Batch batch = tiny_batch(6, 6);
  Optimizer optimizer({}, params_);
  double loss = 0;
  for (int step = 1; step <= 150; ++step) {
    const Pass pass{.training = false, .key = RandomKey(step)};
    const BatchLoss result = model_.loss(batch, {}, pass);
    result.total.backward();
    optimizer.step(step, 1e-2f, optimizer.gradient_norm());
    loss = result.nll / static_cast<double>(result.rows);
  }
  EXPECT_LT(loss, 0.05);
}

INSTANTIATE_TEST_SUITE_P(All, ModelLaws, ::testing::ValuesIn(tiny_models()),
                         [](const auto& one) {
                           return tiny_model_name(one.param);
                         });

}  // namespace
}  // namespace fovea
