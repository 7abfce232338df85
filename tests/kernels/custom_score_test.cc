#include "fovea/kernels/custom_score.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <limits>

#include "fovea/kernels/attention.h"
#include "support/attention_case.h"
#include "support/compare.h"
#include "support/effort.h"

namespace fovea::kernels {
namespace {

using testing::AttentionCase;
using testing::AttentionGrads;
using testing::AttentionResult;
using testing::close;
using testing::cross_case;
using testing::Doubles;
using testing::effort;
using testing::kGradientTolerance;
using testing::on_every_target;
using testing::run_backward;
using testing::run_forward;
using testing::same_bits;
using testing::self_case;
using testing::with_threads;

using Score = std::shared_ptr<const ScoreFunction>;

// The kernel and the twin get the same callables.
template <class Change, class Mask>
[[nodiscard]] Score use(AttentionCase& c, Change change, Mask mask) {
  c.twin.change = change;
  c.twin.mask = mask;
  Score score = custom_score(change, mask);
  c.twin.options.score = score.get();
  return score;
}

void expect_like_twin(const AttentionCase& c) {
  const std::vector<int> heads = {c.twin.options.heads - 1};
  const auto inputs = c.doubles();
  const Doubles context = c.twin.context(inputs);
  const Doubles weights = c.twin.weights(inputs, heads);
  const auto gradient = c.twin.gradient(inputs, AttentionCase::to(c.dout));
  on_every_target([&] {
    with_threads({1, 2, 4}, [&](int) {
      const AttentionResult r = run_forward(c, heads);
      EXPECT_TRUE(close(r.out, context, 2e-5));
      EXPECT_TRUE(close(r.weights, weights, 1e-5));
      EXPECT_TRUE(same_bits(run_forward(c).out, r.out));
      const AttentionGrads g = run_backward(c, r);
      EXPECT_TRUE(close(g.dq, gradient[0], kGradientTolerance));
      EXPECT_TRUE(close(g.dk, gradient[1], kGradientTolerance));
      EXPECT_TRUE(close(g.dv, gradient[2], kGradientTolerance));
    });
  });
}

// Decays with the distance, differently in each head; not linear in the score.
const auto kBend = [](auto score, const ScoreAt& at) {
  const float slope = 0.02f * static_cast<float>(1 + at.head);
  const auto x =
      score - slope * static_cast<float>(std::abs(at.query - at.key));
  return x + 0.1f * x * x;
};
const auto kCap = [](auto score, const ScoreAt&) {
  using std::tanh;
  return 2 * tanh(score / 2);
};
const auto kAll = [](const ScoreAt&) { return true; };
const auto kCausal = [](const ScoreAt& at) { return at.key <= at.query; };
// Causal within documents that begin elsewhere in each sequence.
const auto kDocuments = [](const ScoreAt& at) {
  const auto document = [&at](int x) { return (x + at.sequence) / 37; };
  return document(at.query) == document(at.key) && at.key <= at.query;
};
// Holes, rows that see nothing, and ends that do not move forward.
const auto kScattered = [](const ScoreAt& at) {
  return at.query % 7 != 3 && (at.query * 13 + at.key * 5 + at.head) % 11 < 4;
};
const auto kFarAway = [](const ScoreAt& at) {
  return at.query % 5 == 0 ? at.key > 230 : at.key < 20 + at.query % 3;
};

const std::vector<int> kRagged = {7, 0, 1, 33, 16, 49, 2};

TEST(CustomScore, MatchesTheTwinOnShortSequences) {
  for (int size : {3, 16, 64}) {
    SCOPED_TRACE(size);
    AttentionCase c = self_case(kRagged, 2, size);
    c.fill(size);
    const Score bend = use(c, kBend, kAll);
    expect_like_twin(c);
    const Score cap = use(c, kCap, kDocuments);
    expect_like_twin(c);
    const Score scattered = use(c, kBend, kScattered);
    expect_like_twin(c);
  }
}

TEST(CustomScore, MatchesTheTwinAcrossBlocks) {
  AttentionCase c =
      cross_case({effort(300, 100), 60}, {effort(300, 260), 520}, 4, 5);
  c.twin.options.kv_heads = 2;
  c.fill(1);
  const Score documents = use(c, kBend, kDocuments);
  expect_like_twin(c);
  const Score scattered = use(c, kCap, kScattered);
  expect_like_twin(c);
  const Score far = use(c, kBend, kFarAway);
  expect_like_twin(c);
}

TEST(CustomScore, MatchesTheTwinWithEveryOtherOption) {
  const std::vector<float> slopes = {0.5f, 0.0625f};
  AttentionCase c =
      cross_case({5, 1, 0, 60, 12, 3}, {9, 1, 4, 60, 0, 140}, 2, 16);
  c.twin.options.causal = true;
  c.twin.options.window_left = 40;
  c.twin.options.alibi = slopes;
  c.twin.options.dropout = 0.3f;
  c.twin.options.key = RandomKey(5);
  c.fill(2);
  const Score score = use(c, kBend, kScattered);
  expect_like_twin(c);
}

TEST(CustomScore, KnowsTheRowsOfItsPair) {
  AttentionCase c;
  c.twin.options = {.heads = 1, .kv_heads = 1, .scale = 0.4f};
  c.twin.k = c.twin.v = 6;
  c.query_rows = 40;
  c.key_rows = 70;
  c.twin.spans = {{3, 4, 50, 15, 2}, {10, 9, 5, 20, 19}, {30, 9, 15, 20, -3}};
  c.fill(1);
  const auto change = [](auto score, const ScoreAt& at) {
    return score * (0.1f * static_cast<float>(at.key_row % 7)) +
           0.1f * static_cast<float>(at.sequence * at.key);
  };
  const Score score = use(c, change, [](const ScoreAt& at) {
    return (at.query_row + at.key_row) % 3 > 0;
  });
  expect_like_twin(c);
}

TEST(CustomScore, HasTheBitsOfTheBuiltInMask) {
  AttentionCase c = self_case({50, 1, 0, 700}, 2, 8);
  c.fill(3);
  const Score keep = custom_score(KeepScore());
  const Score causal = custom_score(KeepScore(), kCausal);
  on_every_target([&] {
    c.twin.options.causal = true;
    c.twin.options.score = keep.get();
    const AttentionResult built_in = run_forward(c, {1});
    const AttentionGrads grads = run_backward(c, built_in);
    c.twin.options.causal = false;
    c.twin.options.score = causal.get();
    const AttentionResult own = run_forward(c, {1});
    EXPECT_TRUE(same_bits(own.out, built_in.out));
    EXPECT_TRUE(same_bits(own.weights, built_in.weights));
    EXPECT_TRUE(close(run_backward(c, own).dq, grads.dq, 1e-6));
  });
}

TEST(CustomScore, GivesASequenceAloneTheBitsItHasInABatch) {
  AttentionCase c = self_case({300, 40}, 1, 8);
  c.fill(4);
  const Score score = custom_score(kBend, [](const ScoreAt& at) {
    return at.query / 9 == at.key / 9 || at.key % 4 == 0;
  });
  c.twin.options.score = score.get();
  const AttentionResult batch = run_forward(c);
  AttentionCase one = self_case({40}, 1, 8);
  one.q.assign(c.q.begin() + 300 * 8, c.q.end());
  one.k.assign(c.k.begin() + 300 * 8, c.k.end());
  one.v.assign(c.v.begin() + 300 * 8, c.v.end());
  one.twin.options.score = score.get();
  EXPECT_TRUE(
      same_bits(run_forward(one).out, std::span(batch.out).subspan(300 * 8)));
}

TEST(CustomScore, GivesZerosToAQueryThatSeesNothing) {
  AttentionCase c = self_case({70}, 1, 16);
  c.fill(5);
  const Score score =
      custom_score(kBend, [](const ScoreAt& at) { return at.query != 40; });
  c.twin.options.score = score.get();
  const AttentionResult r = run_forward(c, {0});
  const AttentionGrads g = run_backward(c, r);
  EXPECT_EQ(r.log_sum[40], -std::numeric_limits<float>::infinity());
  for (int x = 0; x < 16; ++x) {
    EXPECT_EQ(r.out[40 * 16 + x], 0.0f);
    EXPECT_EQ(g.dq[40 * 16 + x], 0.0f);
  }
  for (int j = 0; j < 70; ++j) EXPECT_EQ(r.weights[40 * 70 + j], 0.0f);
}

TEST(CustomScore, MayHideByAScoreOfMinusInfinity) {
  AttentionCase c = self_case({20, 230}, 2, 16);
  c.fill(6);
  const Score score = use(
      c,
      [](auto s, const ScoreAt& at) {
        return at.key <= at.query ? s : -INFINITY;
      },
      kAll);
  expect_like_twin(c);
}

// The first query sees no key: all its scores are minus infinity.
TEST(CustomScore, MayHideEveryKeyByItsScore) {
  AttentionCase c = self_case({20}, 1, 16);
  c.fill(7);
  const Score score = use(
      c,
      [](auto s, const ScoreAt& at) {
        return at.key < at.query ? s : -INFINITY;
      },
      kAll);
  expect_like_twin(c);
}

TEST(CustomScore, IgnoresWhatStandsBeforeAndAfterTheKeysThatAreSeen) {
  AttentionCase c = self_case({90}, 1, 5);
  c.fill(2);
  const Score score = custom_score(KeepScore(), [](const ScoreAt& at) {
    return at.query / 30 == at.key / 30;
  });
  c.twin.options.score = score.get();
  const AttentionResult before = run_forward(c);
  for (int j = 0; j < 90; ++j) {
    if (j / 30 == 1) continue;
    for (int x = 0; x < 5; ++x) c.k[5 * j + x] = c.v[5 * j + x] = NAN;
  }
  const AttentionResult after = run_forward(c);
  EXPECT_TRUE(same_bits(std::span(before.out).subspan(150, 150),
                        std::span(after.out).subspan(150, 150)));
}

TEST(CustomScore, SkipsTilesWithoutAskingTheMask) {
  constexpr int kLength = 1000, kDocument = 100;
  AttentionCase c = self_case({kLength}, 1, 8);
  c.fill(7);
  std::atomic<int> asked = 0;
  const auto mask = [&asked](const ScoreAt& at) {
    ++asked;
    return at.query / kDocument == at.key / kDocument;
  };
  const Score score = custom_score(kBend, mask);
  const Score skipping =
      custom_score(kBend, mask, [](const ScoreAt& first, const ScoreAt& last) {
        EXPECT_LE(first.query, last.query);
        EXPECT_LE(first.key, last.key);
        EXPECT_LT(last.key, 1000);
        return last.key / kDocument < first.query / kDocument ||
               first.key / kDocument > last.query / kDocument;
      });
  c.twin.options.score = score.get();
  const AttentionResult plain = run_forward(c);
  EXPECT_GE(asked, kLength * kLength);
  asked = 0;
  c.twin.options.score = skipping.get();
  EXPECT_TRUE(same_bits(run_forward(c).out, plain.out));
  EXPECT_LT(asked, kLength * kLength / 2);
}

// Passes calls on and counts them.
class Counting final : public ScoreFunction {
 public:
  explicit Counting(Score of) : of_(std::move(of)) {}
  void hide(const ScoreTile& tile) const override {
    ++hides;
    of_->hide(tile);
  }
  void change(const ScoreTile& tile) const override {
    ++changes;
    of_->change(tile);
  }
  mutable std::atomic<int> hides = 0, changes = 0;

 private:
  Score of_;
};

TEST(CustomScore, IsCalledOnceForATileAndNotForOneThatIsHidden) {
  constexpr int kLength = 768;  // 16 tiles of 48 queries, 3 blocks of 256 keys
  AttentionCase c = self_case({kLength}, 1, 8);
  c.fill(8);
  const Counting count(custom_score(kBend, kCausal));
  c.twin.options.score = &count;
  run_forward(c);
  EXPECT_EQ(count.hides, 16 * 3);
  EXPECT_EQ(count.changes, 16 + 11 + 6);
}

TEST(CustomScore, HasARightTwin) {
  AttentionCase c = cross_case({3, 0, 1, 4}, {5, 2, 1, 2}, 4, 3);
  c.twin.v = 2;
  c.twin.options.kv_heads = 2;
  c.fill(1);
  const Score score = use(c, kBend, kScattered);
  EXPECT_TRUE(testing::twin_gradient_is_right(
      [&](const auto& inputs) { return c.twin.context(inputs); },
      [&](const auto& inputs, const auto& dy) {
        return c.twin.gradient(inputs, dy);
      },
      c.doubles(), AttentionCase::to(c.dout)));
}

}  // namespace
}  // namespace fovea::kernels
