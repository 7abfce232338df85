#include "fovea/attend/score_location.h"

#include <cmath>

#include "fovea/base/check.h"
#include "support/compare.h"
#include "support/random.h"
#include "support/twin_attend.h"

namespace fovea {
namespace {

using namespace testing;  // NOLINT: the support library

// The numbers of all places, of this pair's head.
Doubles places(const TwinPair& pair) {
  const TwinQuery& query = pair.query;
  const Doubles x = twin_linear(query.param("score.weight"), query.raw);
  const auto bias = query.params.find("score.bias");
  const size_t length = x.size() / pair.heads;
  Doubles own;
  for (size_t i = pair.head * length; i < (pair.head + 1) * length; ++i) {
    own.push_back(x[i] + (bias == query.params.end() ? 0.0 : bias->second[i]));
  }
  return own;
}

double location(const TwinPair& pair) { return places(pair)[pair.key]; }

TwinAttend twin(const std::string& score, int length, int heads) {
  return {.problem = {.config = {.score = score,
                                 .heads = heads,
                                 .options = {"max-length=" +
                                             std::to_string(length)}},
                      .sizes = {.query = 4, .key = 3, .value = 6}},
          .score = location,
          .window = [=](const TwinQuery& query) {
            return TwinAttend::Window{0, std::min(query.keys, length)};
          }};
}

TEST(LocationScore, EqualsItsTwin) {
  for (int length : {1, 3, 9}) {  // shorter and longer than the sources
    check_attend(twin("location", length, 1));
    check_attend(twin("location", length, 2));
  }
}

TEST(LocationTutorialScore, EqualsItsTwin) {
  check_attend(twin("location_tutorial", 3, 2));
  TwinAttend unmasked = twin("location_tutorial", 9, 2);
  unmasked.problem.config.options = {"max-length=9", "mask-padding=false"};
  unmasked.score = [](const TwinPair& pair) {
    return twin_softmax_row(places(pair))[pair.key];
  };
  unmasked.normalise = [](const Doubles& weights) { return weights; };
  check_attend(unmasked);
}

TEST(LocationScore, DoesNotLookAtTheKeys) {
  AttendCase c{.config = {.score = "location"}};
  const auto attention = random_attention(c);
  AttendRows rows = random_rows(c);
  const Tensor before =
      attend_once(*attention, c, rows, true).weights.values.value();
  rows.keys = random_tensor(rows.keys.shape(), 99);
  const Tensor after =
      attend_once(*attention, c, rows, true).weights.values.value();
  EXPECT_TRUE(same_bits(after.span(), before.span()));
}

TEST(LocationScore, IgnoresKeysBeyondItsLength) {
  const Attended a =
      attend_one(bare_config("location", {"max-length=2"}),
                 {random_tensor({1, 3}, 1), Tensor::zeros({5, 3}),
                  Tensor::full({5, 3}, 1.0f)});
  EXPECT_EQ(a.weights.pairs.row(0).keys, 2);
  EXPECT_NEAR(a.context.value()[0], 1, 1e-6);
}

// SPEC A8b: without the mask, places without a word take weight.
TEST(LocationTutorialScore, LosesWeightToPaddingIfItIsNotMasked) {
  const auto sum = [](const std::string& mask) {
    return attend_one(
               bare_config("location_tutorial", {"mask-padding=" + mask}),
               {Tensor::zeros({1, 3}), Tensor::zeros({6, 3}),
                Tensor::full({6, 3}, 1.0f)})
        .context.value()[0];
  };
  EXPECT_NEAR(sum("true"), 1, 1e-6);
  EXPECT_NEAR(sum("false"), 6.0 / 30, 1e-6);  // 30 places, all alike
}

TEST(LocationTutorialScore, RefusesWhatChangesScoresIfItGivesWeights) {
  const auto make = [](auto change) {
    ComposedConfig config =
        bare_config("location_tutorial", {"mask-padding=false"});
    change(config);
    return new_attention(config, {.query = 4});
  };
  EXPECT_NO_THROW(make([](ComposedConfig&) {}));
  EXPECT_THROW(make([](ComposedConfig& c) { c.normaliser = "softmax"; }),
               Error);
  EXPECT_THROW(make([](ComposedConfig& c) { c.temperature = 2; }), Error);
  EXPECT_THROW(make([](ComposedConfig& c) { c.exclude_self = true; }), Error);
  EXPECT_THROW(make([](ComposedConfig& c) { c.position = "alibi"; }), Error);
}

TEST(LocationScore, HasAsManyParametersAsPlacesTimesWidth) {
  const auto attention =
      new_attention(bare_config("location", {"max-length=7"}), {.query = 4});
  EXPECT_EQ(Params(*attention).count(), 28);
  EXPECT_THROW(
      new_attention(bare_config("location", {"max-length=0"}), {.query = 4}),
      Error);
}

}  // namespace
}  // namespace fovea
