#include "fovea/attend/score_exact.h"

#include <algorithm>
#include <limits>

#include "fovea/base/check.h"
#include "support/compare.h"
#include "support/random.h"
#include "support/twin_attend.h"

namespace fovea {
namespace {

using namespace testing;  // NOLINT: the support library

double exact(const TwinPair& pair) {
  const bool equal =
      std::equal(pair.q().begin(), pair.q().end(), pair.k().begin());
  return equal ? 0.0 : -std::numeric_limits<double>::infinity();
}

// Every key of a small set of vectors.
AttendRows few_vectors(const AttendCase& c) {
  const auto rounded = [](const Tensor& x) {
    for (float& v : x.span()) v = v > 0 ? 1.0f : 0.0f;
    return x;
  };
  return {rounded(c.query_rows()), rounded(c.key_rows()), c.value_rows()};
}

TEST(ExactScore, EqualsItsTwin) {
  AttendCase c{.config = bare_config("exact"),
               .sizes = {.query = 2, .key = 2, .value = 3},
               .queries = {9, 1, 0, 2},
               .keys = {7, 1, 3, 0}};
  const AttendRows rows = few_vectors(c);
  const auto result = TwinAttend{.problem = c, .score = exact}.run(
      to_double(rows.queries.value()), to_double(rows.keys.value()),
      to_double(rows.values.value()), {});
  const Attended a =
      attend_once(*new_attention(c.config, c.sizes), c, rows, true);
  EXPECT_TRUE(close(a.weights.values.value(), result.weights, 1e-6));
  EXPECT_TRUE(close(a.context.value(), result.context, 1e-6));
}

// SPEC A9: five names by number, and their telephones.
Attended phone_of(float person, std::vector<std::string> options = {},
                  EmptyRow empty_row = EmptyRow::kZeros) {
  ComposedConfig config = bare_config("exact", std::move(options));
  config.empty_row = empty_row;
  return attend_one(
      config,
      {Tensor::full({1, 1}, person), Tensor::of({5, 1}, {1, 2, 3, 4, 5}),
       Tensor::of({5, 1}, {5551234, 5555678, 5558765, 5554321, 5553456})});
}

TEST(ExactScore, FindsTheTelephoneOfAName) {
  EXPECT_EQ(phone_of(2).context.value()[0], 5555678.0f);
  EXPECT_EQ(phone_of(5).context.value()[0], 5553456.0f);
}

TEST(ExactScore, GivesAnEmptyRowForANameThatIsNotThere) {
  const Attended a = phone_of(7);
  EXPECT_TRUE(close(a.weights.values.value(), Doubles(5, 0.0), 0));
  EXPECT_EQ(a.context.value()[0], 0.0f);
  EXPECT_THROW(phone_of(7, {}, EmptyRow::kError), Error);
  EXPECT_NO_THROW(phone_of(2, {}, EmptyRow::kError));
}

TEST(ExactScore, TakesTheMeanOfTiesOrTheFirst) {
  const AttendRows rows = {Tensor::full({1, 1}, 3.0f),
                           Tensor::of({4, 1}, {1, 3, 3, 2}),
                           Tensor::of({4, 1}, {10, 20, 40, 80})};
  EXPECT_EQ(attend_one(bare_config("exact"), rows).context.value()[0], 30.0f);
  EXPECT_EQ(
      attend_one(bare_config("exact", {"ties=first"}), rows).context.value()[0],
      20.0f);
}

// SPEC A9: what sharp cosines, narrow kernels and high powers tend to.
TEST(ExactScore, IsTheLimitOfSharperScores) {
  const Tensor k = random_tensor({6, 3}, 1), v = random_tensor({6, 2}, 2);
  const AttendRows rows = {k.clone(), k, v};
  const Tensor expected =
      attend_one(bare_config("exact"), rows).context.value();
  EXPECT_TRUE(close(expected.span(), v.span(), 1e-6));
  for (const ComposedConfig& config :
       {bare_config("cosine", {"beta=100000"}),
        bare_config("gaussian", {"width=0.01"}),
        bare_config("epanechnikov", {"width=0.1"}),
        bare_config("boxcar", {"width=0.1"}),
        bare_config("inverse_distance")}) {
    const Tensor got = attend_one(config, rows).context.value();
    EXPECT_TRUE(close(got.span(), expected.span(), 1e-5)) << config.score;
  }
}

TEST(ExactScore, RefusesWhatItCannotCompare) {
  EXPECT_THROW(
      new_attention(bare_config("exact"), {.query = 4, .key = 3, .value = 4}),
      Error);
  ComposedConfig config = bare_config("exact", {"ties=first"});
  config.exclude_self = true;
  EXPECT_THROW(new_attention(config, {.query = 4}), Error);
}

}  // namespace
}  // namespace fovea
