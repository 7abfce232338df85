#include "fovea/predict/pool.h"

#include <gtest/gtest.h>

#include "fovea/attend/trace.h"
#include "fovea/base/check.h"
#include "support/compare.h"
#include "support/random.h"

namespace fovea {
namespace {

using namespace fovea::testing;

std::unique_ptr<Pool> pool_of(const std::string& name,
                              const EncodedWidths& widths = {.states = 2}) {
  const PoolingConfig pooling;
  const ComposedConfig attend;
  return make_pool(name, {.pooling = pooling,
                          .attend = attend,
                          .widths = widths,
                          .key = RandomKey(1)});
}

Encoded source() {
  return {.states = Tensor::of({3, 2}, {1, 6, 3, 2, -5, 4}),
          .of = Segments::from_lengths(std::vector<int>{2, 1})};
}

TEST(Pool, MakesOneRowOfMany) {
  const auto pooled = [](const char* name) {
    return (*pool_of(name))(source(), Pass{}).value();
  };
  const auto expect = [](const Tensor& rows, std::vector<float> expected) {
    EXPECT_TRUE(close(rows.span(), expected, 1e-6));
  };
  expect(pooled("mean"), {2, 4, -5, 4});
  expect(pooled("sum"), {4, 8, -5, 4});
  expect(pooled("max"), {3, 6, -5, 4});
  expect(pooled("last"), {3, 2, -5, 4});
}

TEST(Pool, TakesTheLastStateOfARecurrentEncoder) {
  Encoded encoded = source();
  encoded.last = {random_tensor({2, 3}, 1), random_tensor({2, 4}, 2)};
  const auto last = pool_of("last", {.states = 2, .last = {3, 4}});
  EXPECT_EQ(last->width(), 4);
  EXPECT_TRUE(same_bits((*last)(encoded, Pass{}).value().span(),
                        encoded.last[1].value().span()));
}

TEST(Pool, LeavesARecordOfItsAttention) {
  for (const char* name : {"attention", "query"}) {
    Trace trace;
    const Pass pass{.trace = &trace};
    (*pool_of(name))(source(), pass);
    ASSERT_EQ(trace.records().size(), 1u) << name;
    const Record& record = trace.records()[0];
    EXPECT_EQ(record.about().kind, "pooling");
    EXPECT_EQ(record.queries(0), 1);
    EXPECT_EQ(record.keys(0), 2);
    const Tensor weights = record.weights(0, 0);
    EXPECT_NEAR(weights[0] + weights[1], 1, 1e-5);
    EXPECT_NEAR(record.weights(1, 0)[0], 1, 1e-5);
  }
}

TEST(Pool, NamesTheNearestOne) {
  try {
    pool_of("maen");
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("'mean'"), std::string::npos);
  }
}

}  // namespace
}  // namespace fovea
