#include "fovea/models/sequence_loss.h"

#include <gtest/gtest.h>

#include <cmath>

#include "fovea/attend/reinforce.h"
#include "fovea/models/guided_alignment.h"
#include "fovea/models/seq2seq.h"
#include "fovea/train/optimizer.h"
#include "support/check_op.h"
#include "support/random.h"
#include "support/tiny_models.h"

namespace fovea {
namespace {

using namespace fovea::testing;

ModelConfig tiny(const std::string& name) {
  for (const TinyModel& model : tiny_models()) {
    if (model.name == name) return model.config;
  }
  throw std::runtime_error(name);
}

TEST(SequenceLoss, ABatchCostsWhatItsSentencesCost) {
  const Seq2Seq model(tiny("transformer"), RandomKey(1));
  const Batch batch = tiny_batch(7, 5);
  double nll = 0;
  int64_t rows = 0;
  const NoGrad none;
  for (int b = 0; b < batch.size(); ++b) {
    const BatchLoss one = model.loss(only(batch, b), {}, Pass{});
    nll += one.nll;
    rows += one.rows;
  }
  const BatchLoss all = model.loss(batch, {}, Pass{});
  EXPECT_NEAR(all.nll, nll, 1e-3);
  EXPECT_EQ(all.rows, rows);
  EXPECT_NEAR(all.total.value().item(), nll / static_cast<double>(rows), 1e-4);
}

// 32 pairs by heart, to within 0.02 of what smoothed labels cost at least
// (SPEC D8).
TEST(LongSequenceLoss, SmoothedLabelsAreLearnedToTheirFloor) {
  Seq2Seq model(tiny("transformer"), RandomKey(1));
  const Params params(model);
  Optimizer optimizer({}, params);
  const Batch batch = tiny_batch(8, 32);
  constexpr float kEps = 0.1f;
  const double wrong = kEps / (kTinyVocabulary - 1);
  const double floor =
      -(1 - kEps) * std::log(1 - kEps) - kEps * std::log(wrong);
  double loss = 0;
  for (int step = 1; step <= 800; ++step) {
    const BatchLoss result =
        model.loss(batch, {.label_smoothing = kEps}, Pass{});
    result.total.backward();
    optimizer.step(step, step < 600 ? 5e-3f : 5e-4f, optimizer.gradient_norm());
    loss = result.loss / static_cast<double>(result.rows);
  }
  EXPECT_GT(loss, floor - 1e-4);
  EXPECT_LT(loss, floor + 0.02);
}

// eps / V for all of V words is eps (V-1) / V for the wrong ones (SPEC D8).
TEST(SequenceLoss, SmoothingMayIncludeTheRightWord) {
  const Seq2Seq model(tiny("transformer"), RandomKey(1));
  const Batch batch = tiny_batch(7, 5);
  constexpr float kEps = 0.3f;
  const auto cost = [&](float eps, bool with_right) {
    return model
        .loss(batch, {.label_smoothing = eps, .smooth_all = with_right}, Pass{})
        .loss;
  };
  const double all = cost(kEps, true), wrong = cost(kEps, false);
  EXPECT_GT(std::abs(all - wrong), 1e-3);
  EXPECT_NEAR(all, cost(kEps * (kTinyVocabulary - 1) / kTinyVocabulary, false),
              1e-3);
}

TEST(SequenceLoss, ATiedMatrixGetsTheSumOfItsGradients) {
  ModelConfig tied = tiny("transformer");
  ModelConfig apart = tied;
  apart.tie = Tie::kNone;
  Seq2Seq a(tied, RandomKey(1)), b(apart, RandomKey(1));
  const Params pa(a), pb(b);
  const auto find = [](const Params& params, const std::string& name) -> Var& {
    for (const auto& p : params.parameters()) {
      if (p.name == name) return *p.value;
    }
    throw std::runtime_error(name);
  };
  for (const auto& p : pb.parameters()) {
    const bool table = p.name == "source.table" || p.name == "target.table" ||
                       p.name == "output.weight";
    const std::string name = table ? "source.table" : p.name;
    p.value->value().copy_from(find(pa, name).value());
  }
  const Batch batch = tiny_batch(9, 4);
  a.loss(batch, {}, Pass{}).total.backward();
  b.loss(batch, {}, Pass{}).total.backward();
  const Tensor sum = find(pa, "source.table").grad();
  for (int64_t i = 0; i < sum.size(); ++i) {
    const float parts = find(pb, "source.table").grad()[i] +
                        find(pb, "target.table").grad()[i] +
                        find(pb, "output.weight").grad()[i];
    ASSERT_NEAR(sum[i], parts, 1e-5);
  }
}

TEST(SequenceLoss, AttentionThatDrawsLearnsByItsChoices) {
  ModelConfig config = tiny("transformer");
  config.attend.select = "hard_reinforce";
  Seq2Seq model(config, RandomKey(1));
  std::vector<Choice> choices;
  std::vector<Update> updates;
  const Pass pass{.training = true,
                  .key = RandomKey(2),
                  .updates = &updates,
                  .choices = &choices};
  model.loss(tiny_batch(10, 4), {}, pass).total.backward();
  EXPECT_FALSE(choices.empty());
  EXPECT_FALSE(updates.empty());
}

TEST(SequenceLoss, WithoutATeacherTheModelReadsItsOwnWords) {
  const Seq2Seq model(tiny("rnnsearch"), RandomKey(1));
  const Batch batch = tiny_batch(12, 6);
  const Pass pass{.training = true, .key = RandomKey(3)};
  const auto loss = [&](float teacher, const Pass& how) {
    return model.loss(batch, {.teacher_forcing = teacher}, how).nll;
  };
  EXPECT_EQ(loss(1, pass), loss(1, pass));
  EXPECT_NE(loss(0.5f, pass), loss(1, pass));
  EXPECT_NE(loss(0, pass), loss(0.5f, pass));
  EXPECT_EQ(loss(0, Pass{}), loss(1, Pass{}));  // nobody learns
}

// Two target words of one sentence with two heads over three source words.
TEST(GuidedAlignment, HasTheValueComputedByHand) {
  const std::vector<Pairs::Row> rows(2, {.key = 0, .keys = 3});
  const Pairs pairs(rows, 2, 2);
  Tensor w({pairs.size()});
  const float heads[2][2][3] = {{{.2f, .3f, .5f}, {.4f, .1f, .5f}},
                                {{.6f, .3f, .1f}, {.8f, .1f, .1f}}};
  for (int m = 0; m < 2; ++m) {
    for (int h = 0; h < 2; ++h) {
      for (int k = 0; k < 3; ++k) w[pairs.begin(m, h) + k] = heads[m][h][k];
    }
  }
  const int length = 2;
  const Segments of = Segments::from_lengths({&length, 1});
  // Word 0 has two links, which share it; word 1 has one.
  const std::vector<TokenLinks> links = {{{0, 0}, {2, 0}, {0, 1}}};
  const double expected =
      -(0.5 * std::log(.3) + 0.5 * std::log(.5) + std::log(.7)) / 4;
  EXPECT_NEAR(guided_alignment_loss({w, pairs}, links, of, 4).value().item(),
              expected, 1e-5);
  EXPECT_EQ(guided_alignment_loss({w, pairs}, {{{}}}, of, 4).value().item(), 0);
}

TEST(GuidedAlignment, PullsAttentionToTheLinks) {
  Seq2Seq model(tiny("transformer"), RandomKey(1));
  const Params params(model);
  Optimizer optimizer({}, params);
  Batch batch = tiny_batch(11, 3);
  for (int b = 0; b < batch.size(); ++b) {
    TokenLinks links;
    for (int t = 0; t < batch.target.of.length(b); ++t) {
      links.emplace_back((t * 2) % batch.source.of.length(b), t);
    }
    batch.links.push_back(links);
  }
  const auto distance = [&] {
    const NoGrad none;
    const Encoded source = model.encode(batch.source, Pass{});
    const Forced forced = model.forced(source, batch.target, Pass{}, true);
    return guided_alignment_loss(forced.weights, batch.links, batch.target.of,
                                 batch.target.of.total())
        .value()
        .item();
  };
  const float before = distance();
  for (int step = 1; step <= 100; ++step) {
    model.loss(batch, {.guided_alignment = 1.0f}, Pass{}).total.backward();
    optimizer.step(step, 1e-2f, optimizer.gradient_norm());
  }
  EXPECT_LT(distance(), 0.3f * before);
}

}  // namespace
}  // namespace fovea
