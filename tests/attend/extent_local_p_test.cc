#include "fovea/attend/extent_local_p.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "fovea/base/check.h"
#include "support/compare.h"
#include "support/random.h"
#include "support/twin_attend.h"

namespace fovea {
namespace {

using namespace testing;  // NOLINT: the support library

double scaled_dot(const TwinPair& pair) {
  return twin_dot(pair.q(), pair.k()) /
         std::sqrt(static_cast<double>(pair.q().size()));
}

// From 1 on, as in the paper.
double predicted(const TwinQuery& query) {
  Doubles x = twin_linear(query.param("extent.hidden.weight"), query.raw);
  for (double& y : x) y = std::tanh(y);
  return query.keys /
         (1 + std::exp(-twin_dot(query.param("extent.position.weight"), x)));
}

TwinAttend twin(AttendCase problem, int window, double sigma,
                bool renormalise) {
  return {
      .problem = std::move(problem),
      .score = scaled_dot,
      .window =
          [=](const TwinQuery& query) {
            const int centre = static_cast<int>(std::floor(predicted(query)));
            const int begin = std::clamp(centre - window, 1, query.keys + 1);
            const int end = std::clamp(centre + window, begin - 1, query.keys);
            return TwinAttend::Window{begin - 1, end};
          },
      .adjust =
          [=](const TwinQuery& query, int first, Doubles& weights) {
            for (size_t j = 0; j < weights.size(); ++j) {
              const double far =
                  first + static_cast<double>(j) + 1 - predicted(query);
              weights[j] *= std::exp(-far * far / (2 * sigma * sigma));
            }
            if (!renormalise) return;
            const double sum =
                std::accumulate(weights.begin(), weights.end(), 0.0);
            for (double& w : weights) w /= sum;
          }};
}

AttendCase problem(std::vector<std::string> options) {
  return {.config = {.extent = "local_p",
                     .heads = 2,
                     .options = std::move(options)},
          .queries = {3, 1, 0, 2, 2},
          .keys = {9, 1, 3, 0, 5}};
}

TEST(LocalPExtent, EqualsItsTwin) {
  check_attend(twin(problem({"window=2"}), 2, 1.0, false));
  check_attend(twin(problem({"window=1", "sigma=0.7"}), 1, 0.7, false));
  check_attend(twin(problem({}), 10, 5.0, false));
}

TEST(LocalPExtent, EqualsItsTwinIfItRenormalises) {
  check_attend(twin(problem({"window=2", "renormalise=true"}), 2, 1.0, true));
}

// Of 10 keys, all alike, around p = 3.4.
Attended at_3_4(std::vector<std::string> options, const Tensor& values) {
  AttendCase c{.config = bare_config("dot", std::move(options)),
               .sizes = {.query = 1},
               .queries = {1},
               .keys = {10}};
  c.config.extent = "local_p";
  const auto attention = new_attention(c.config, c.sizes);
  param(*attention, "extent.hidden.weight") = Tensor::full({1, 1}, 100.0f);
  param(*attention, "extent.position.weight") =
      Tensor::full({1, 1}, std::log(0.34f / 0.66f));
  return attend_once(
      *attention, c,
      {Tensor::full({1, 1}, 1.0f), Tensor::zeros({10, 1}), values}, true);
}

TEST(LocalPExtent, GivesTheNumbersOfTheSpecification) {
  const Tensor values = Tensor::full({10, 1}, 1.0f);
  const Attended a = at_3_4({"window=2"}, values);
  EXPECT_EQ(a.weights.pairs.row(0).first, 0);
  EXPECT_TRUE(close(a.weights.values.value(),
                    Doubles{0.011227, 0.075062, 0.184623, 0.167054, 0.055607},
                    1e-5));
  EXPECT_NEAR(a.context.value()[0], 0.493574, 2e-6);
  const Attended whole = at_3_4({"window=2", "renormalise=true"}, values);
  EXPECT_NEAR(whole.context.value()[0], 1, 1e-6);
}

TEST(LocalPExtent, StaysFiniteWhereTheGaussianVanishes) {
  const Attended a = at_3_4({"window=1", "sigma=0.001", "renormalise=true"},
                            Tensor::full({10, 1}, 1.0f));
  EXPECT_TRUE(close(a.weights.values.value(), Doubles{0, 0, 0}, 0));
}

TEST(LocalPExtent, StartsAsAskedTogetherWithTheScore) {
  const auto largest = [](const char* init, const char* name) {
    ComposedConfig config = bare_config("additive", {init});
    config.extent = "local_p";
    const auto attention = new_attention(config, {.query = 40});
    float max = 0;
    for (float x : param(*attention, name).value().span()) {
      max = std::max(max, std::abs(x));
    }
    return max;
  };
  for (const char* name : {"extent.hidden.weight", "extent.position.weight"}) {
    EXPECT_LE(largest("init=luong", name), 0.1f);
    EXPECT_GT(largest("init=luong", name), 0.09f);
    EXPECT_LE(largest("init=bahdanau", name), 0.05f);
    EXPECT_GT(largest("init=bahdanau", name), 0.01f);
    EXPECT_GT(largest("init=xavier", name), 0.2f);
  }
}

TEST(LocalPExtent, RefusesASourceThatGrows) {
  ComposedConfig config = problem({}).config;
  config.causal = true;
  EXPECT_THROW(new_attention(config, {.query = 4}), Error);
}

TEST(LocalPExtent, RefusesAGaussianWithoutWidth) {
  for (const char* option : {"window=0", "sigma=-1", "window=-1"}) {
    EXPECT_THROW(new_attention(problem({option}).config, {.query = 4}), Error);
  }
}

}  // namespace
}  // namespace fovea
