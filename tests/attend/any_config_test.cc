// Random configs, legal or not, on random ragged batches: an error that names
// what is wrong, or finite numbers.
#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "fovea/attend/impose.h"
#include "fovea/attend/registry.h"
#include "fovea/attend/trace.h"
#include "fovea/base/check.h"
#include "support/effort.h"
#include "support/random.h"

namespace fovea {
namespace {

using namespace testing;  // NOLINT: the support library

class Dice {
 public:
  explicit Dice(uint64_t seed) : key_(seed) {}
  int below(int bound) {
    return static_cast<int>(random_below(key_, next_++, bound));
  }
  bool one_in(int n) { return below(n) == 0; }
  template <class Entries>
  std::string name(const Entries& entries) {
    return entries[below(static_cast<int>(entries.size()))].name;
  }

 private:
  RandomKey key_;
  uint32_t next_ = 0;
};

ComposedConfig random_config(Dice& dice) {
  ComposedConfig c;
  c.score = dice.name(score_registry());
  if (dice.one_in(3)) c.extent = dice.name(extent_registry());
  if (dice.one_in(2)) c.normaliser = dice.name(normaliser_registry());
  if (dice.one_in(3)) c.select = dice.name(select_registry());
  if (dice.one_in(2)) c.position = dice.name(position_registry());
  c.heads = 1 + dice.below(4);
  c.kv_heads = dice.below(5);
  c.head_size = dice.one_in(2) ? 0 : dice.below(7);
  c.value_size = dice.one_in(3) ? dice.below(5) : 0;
  c.project = !dice.one_in(3);
  c.value_proj = !dice.one_in(3);
  c.out_proj = !dice.one_in(3);
  c.bias = dice.one_in(2);
  c.temperature = dice.one_in(3) ? 0.5f : 1.0f;
  c.dropout = dice.one_in(3) ? 0.3f : 0.0f;
  c.causal = dice.one_in(3);
  c.exclude_self = dice.one_in(4);
  c.coverage = dice.one_in(8);
  return c;
}

Segments random_segments(Dice& dice, int count) {
  std::vector<int> lengths;
  for (int b = 0; b < count; ++b) {
    lengths.push_back(dice.one_in(3) ? dice.below(2) : dice.below(7));
  }
  return Segments::from_lengths(lengths);
}

void expect_finite(const Tensor& t, const std::string& what) {
  for (float value : t.span()) {
    ASSERT_TRUE(std::isfinite(value)) << what;
  }
}

std::string describe(ComposedConfig config) {
  ComposedConfig defaults;
  std::string text;
  for (const FieldChange& change :
       changed_fields(fields_of(defaults), fields_of(config))) {
    text += change.name + "=" + change.after + " ";
  }
  return text;
}

// True if it was legal.
bool run_one(uint64_t seed) {
  Dice dice(seed);
  const ComposedConfig config = random_config(dice);
  const int width = 1 + dice.below(12);
  const AttentionSizes sizes{.query = width,
                             .key = dice.one_in(3) ? 1 + dice.below(12) : width,
                             .value = dice.one_in(3) ? 1 + dice.below(9) : 0};
  std::unique_ptr<Attention> attention;
  try {
    attention = make_attention(config, sizes, RandomKey(seed));
  } catch (const Error& e) {
    EXPECT_EQ(e.kind(), ErrorKind::kUsage) << e.what();
    return false;
  }
  const int count = dice.below(4);
  const Segments keys = random_segments(dice, count);
  // A causal query has a place among the keys, which learned codes insist on.
  const Segments queries = config.causal ? keys : random_segments(dice, count);
  const int value_width = sizes.value ? sizes.value : sizes.key;
  const Var q = Var::parameter(random_tensor({queries.total(), width}, seed));
  const Var k =
      Var::parameter(random_tensor({keys.total(), sizes.key}, seed + 1));
  const Var v =
      Var::parameter(random_tensor({keys.total(), value_width}, seed + 2));
  Trace trace;
  std::vector<Loss> losses;
  std::vector<Update> updates;
  Pass root{.training = dice.one_in(2), .key = RandomKey(seed)};
  root.losses = &losses;
  root.updates = &updates;
  if (dice.one_in(2)) root.trace = &trace;
  Impose impose;
  if (dice.one_in(3)) {
    impose.weights("layer", [](const Var&, const Pairs& pairs) {
      return uniform_weights(pairs);
    });
  }
  if (dice.one_in(3)) {
    impose.head_mask("layer", std::vector<float>(config.heads, 0.5f));
  }
  if (dice.one_in(2)) root.impose = &impose;
  const Pass pass = root.in("layer");
  const std::string what = describe(config);
  const Memory memory =
      attention->remember({.keys = k, .values = v, .of = keys}, pass);
  const Attended out = attention->attend(
      {.rows = q, .of = queries, .want_weights = dice.one_in(2)}, memory, {},
      pass);
  expect_finite(out.context.value(), what);
  for (const Record& record : trace.records()) {
    for (int b = 0; b < record.sequences(); ++b) {
      expect_finite(record.mean_weights(b), what);
    }
  }
  out.context.backward(random_tensor(out.context.shape(), seed + 3));
  for (const Var& input : {q, k, v}) {
    if (input.grad()) expect_finite(input.grad(), what);
  }
  const Params params(*attention);
  for (const auto& p : params.parameters()) {
    if (p.value->grad()) expect_finite(p.value->grad(), what + p.name);
  }
  return true;
}

TEST(AnyConfig, IsRefusedOrGivesFiniteNumbers) {
  int legal = 0;
  const int count = effort(3000, 300);
  for (int seed = 0; seed < count && !HasFatalFailure(); ++seed) {
    SCOPED_TRACE(seed);
    ASSERT_NO_THROW(legal += run_one(seed));
  }
  // Both kinds must come up, or the test tells nothing.
  EXPECT_GT(legal, count / 20);
  EXPECT_LT(legal, count);
}

}  // namespace
}  // namespace fovea
