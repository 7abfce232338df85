// The laws of SPEC Z6 that attention must obey, on random problems.
#include <rapidcheck.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "fovea/base/parallel.h"
#include "fovea/kernels/attention.h"
#include "fovea/kernels/custom_score.h"
#include "support/attention_case.h"
#include "support/compare.h"

namespace fovea::kernels {
namespace {

using testing::AttentionCase;
using testing::AttentionResult;
using testing::close;
using testing::cross_case;
using testing::run_forward;
using testing::same_bits;

const std::vector<float> kSlopes = {0.5f, 0.25f, 0.125f, 0.0625f};

const auto kOwn = custom_score(
    [](auto score, const ScoreAt& at) {
      return score + 0.01f * static_cast<float>((at.query ^ at.key) & 31);
    },
    [](const ScoreAt& at) {
      return (at.query + 3 * at.key + at.head) % 7 > 2 && at.query % 8 != 5;
    });

int any(int from, int to) { return *rc::gen::inRange(from, to + 1); }

int any_length() {
  return *rc::gen::weightedOneOf<int>({{6, rc::gen::inRange(0, 40)},
                                       {2, rc::gen::inRange(40, 300)},
                                       {1, rc::gen::just(1)}});
}

// Options that the result of a row may depend on.
void choose_options(AttentionCase& c) {
  AttentionOptions& options = c.twin.options;
  options.causal = *rc::gen::arbitrary<bool>();
  if (any(0, 2) == 0) options.window_left = any(0, 50);
  if (any(0, 2) == 0) options.window_right = any(0, 50);
  if (any(0, 2) == 0) options.alibi = kSlopes;
  if (any(0, 2) == 0) options.score = kOwn.get();
  options.kv_heads = *rc::gen::element(1, 2, 4);
  c.twin.v = *rc::gen::element(1, 7, 16, 64);
}

AttentionCase any_case(bool self) {
  std::vector<int> queries(any(1, 6)), keys(queries.size());
  for (int& n : queries) n = any_length();
  for (int& n : keys) n = any_length();
  AttentionCase c = cross_case(queries, self ? queries : keys, 4,
                               *rc::gen::element(1, 5, 16, 24, 64));
  choose_options(c);
  return c;
}

// Rows [first, first + rows) of queries and [key, key + keys) of keys alone.
AttentionCase alone(const AttentionCase& c, AttentionSpan span) {
  AttentionCase one = c;
  const auto rows = [](const std::vector<float>& x, int first, int count,
                       size_t width) {
    return std::vector<float>(x.begin() + first * width,
                              x.begin() + (first + count) * width);
  };
  const AttentionOptions& options = c.twin.options;
  one.q = rows(c.q, span.query, span.queries, options.heads * c.twin.k);
  one.k = rows(c.k, span.key, span.keys, options.kv_heads * c.twin.k);
  one.v = rows(c.v, span.key, span.keys, options.kv_heads * c.twin.v);
  one.query_rows = span.queries;
  one.key_rows = span.keys;
  span.query = span.key = 0;
  one.twin.spans = {span};
  return one;
}

std::span<const float> rows_of(const AttentionCase& c, const AttentionResult& r,
                               int first, int count) {
  return std::span(r.out).subspan(size_t(first) * c.out_width(),
                                  size_t(count) * c.out_width());
}

TEST(AttentionLaws, ASequenceAloneHasTheBitsItHasInABatch) {
  EXPECT_TRUE(rc::check([] {
    AttentionCase c = any_case(*rc::gen::arbitrary<bool>());
    c.fill(any(0, 1000));
    AttentionResult batch;
    {
      ThreadLimit limit(*rc::gen::element(1, 2, 4));
      batch = run_forward(c);
    }
    ThreadLimit limit(*rc::gen::element(1, 2, 4));
    for (const AttentionSpan& span : c.twin.spans) {
      const AttentionResult one = run_forward(alone(c, span));
      RC_ASSERT(
          same_bits(one.out, rows_of(c, batch, span.query, span.queries)));
    }
  }));
}

TEST(AttentionLaws, DecodingWithACacheHasTheBitsOfTheFullPass) {
  EXPECT_TRUE(rc::check([] {
    AttentionCase c = any_case(true);
    c.twin.options.causal = true;
    c.fill(any(0, 1000));
    const AttentionResult full = run_forward(c, {1});
    const float* weights = full.weights.data();
    for (const AttentionSpan& span : c.twin.spans) {
      for (int t = 0; t < span.queries;) {
        const int step = std::min(span.queries - t, any(1, 5) < 5 ? 1 : 7);
        AttentionCase some = c;  // the cache has rows behind those in use
        some.twin.spans = {
            attention_span(span.query + t, step, span.key, t + step)};
        const AttentionResult r = run_forward(some, {1});
        RC_ASSERT(same_bits(rows_of(c, r, span.query + t, step),
                            rows_of(c, full, span.query + t, step)));
        for (int i = 0; i < step; ++i) {
          const size_t keys = t + step;
          RC_ASSERT(same_bits({r.weights.data() + i * keys, keys},
                              {weights + (t + i) * span.keys, keys}));
        }
        t += step;
      }
      weights += span.queries * span.keys;
    }
  }));
}

TEST(AttentionLaws, LaterTokensDoNotChangeEarlierRows) {
  EXPECT_TRUE(rc::check([] {
    AttentionCase c = any_case(true);
    c.twin.options.causal = true;
    c.fill(any(0, 1000));
    const AttentionResult before = run_forward(c);
    AttentionCase changed = c;
    changed.fill(any(1001, 2000));
    for (const AttentionSpan& span : c.twin.spans) {
      if (span.queries == 0) continue;
      const int kept = any(0, span.queries - 1);
      const auto keep = [&](const std::vector<float>& from,
                            std::vector<float>& to, size_t width) {
        std::copy_n(from.begin() + span.key * width, kept * width,
                    to.begin() + span.key * width);
      };
      AttentionCase next = changed;
      keep(c.q, next.q, c.twin.options.heads * c.twin.k);
      keep(c.k, next.k, c.twin.options.kv_heads * c.twin.k);
      keep(c.v, next.v, c.twin.options.kv_heads * c.twin.v);
      const AttentionResult after = run_forward(next);
      RC_ASSERT(same_bits(rows_of(c, before, span.query, kept),
                          rows_of(c, after, span.query, kept)));
    }
  }));
}

TEST(AttentionLaws, WeightsArePositiveAndSumToOneOrAreAllZero) {
  EXPECT_TRUE(rc::check([] {
    AttentionCase c = any_case(false);
    c.fill(any(0, 1000));
    const AttentionResult r = run_forward(c, {2});
    const float* w = r.weights.data();
    for (const AttentionSpan& span : c.twin.spans) {
      for (int i = 0; i < span.queries; ++i, w += span.keys) {
        double sum = 0;
        for (int j = 0; j < span.keys; ++j) {
          RC_ASSERT(w[j] >= 0.0f);
          sum += w[j];
        }
        const bool sees = r.log_sum[(span.query + i) * 4 + 2] != -INFINITY;
        RC_ASSERT(std::abs(sum - (sees ? 1 : 0)) < 2e-6);
      }
    }
  }));
}

TEST(AttentionLaws, AConstantAddedToAllScoresOfARowChangesNothing) {
  EXPECT_TRUE(rc::check([] {
    AttentionCase c = any_case(false);
    c.fill(any(0, 1000));
    const AttentionResult before = run_forward(c);
    const size_t width = c.twin.options.kv_heads * c.twin.k;
    for (size_t i = 0; i < c.k.size(); ++i) c.k[i] += 0.1f * (i % width % 7);
    RC_ASSERT(close(run_forward(c).out, before.out, 2e-5));
  }));
}

TEST(AttentionLaws, TheOrderOfKeysAndQueriesDoesNotMatter) {
  EXPECT_TRUE(rc::check([] {
    const int queries = any(1, 60), keys = any(1, 200), size = 8;
    AttentionCase c = cross_case({queries}, {keys}, 1, size);
    c.fill(any(0, 1000));
    const AttentionResult before = run_forward(c);
    AttentionCase turned = c;  // every row moves by some places
    const auto turn = [](std::vector<float>& x, int by, int rows) {
      std::rotate(x.begin(), x.begin() + by % rows * size, x.end());
    };
    const int by = any(0, 300);
    turn(turned.k, by, keys);
    turn(turned.v, by, keys);
    RC_ASSERT(close(run_forward(turned).out, before.out, 1e-5));
    AttentionCase other = c;
    turn(other.q, by, queries);
    std::vector<float> expected = before.out;
    turn(expected, by, queries);
    RC_ASSERT(same_bits(run_forward(other).out, expected));
  }));
}

TEST(AttentionLaws, OneKeyGivesItsValue) {
  EXPECT_TRUE(rc::check([] {
    AttentionCase c = cross_case({any(1, 60)}, {1}, 1, any(1, 70));
    c.fill(any(0, 1000));
    const AttentionResult r = run_forward(c);
    for (int i = 0; i < c.query_rows; ++i) {
      RC_ASSERT(same_bits(rows_of(c, r, i, 1), c.v));
    }
  }));
}

TEST(AttentionLaws, EqualKeysGiveTheMeanOfTheValues) {
  EXPECT_TRUE(rc::check([] {
    const int keys = any(1, 300), size = 5;
    AttentionCase c = cross_case({3}, {keys}, 1, size);
    c.fill(any(0, 1000));
    for (int j = 1; j < keys; ++j) {
      std::copy_n(c.k.begin(), size, c.k.begin() + j * size);
    }
    std::vector<double> mean(3 * size, 0.0);
    for (int x = 0; x < 3 * size; ++x) {
      for (int j = 0; j < keys; ++j) {
        mean[x] += double{c.v[j * size + x % size]} / keys;
      }
    }
    RC_ASSERT(close(run_forward(c).out, mean, 1e-5, 0.1));
  }));
}

TEST(AttentionLaws, TheResultLiesBetweenTheValues) {
  EXPECT_TRUE(rc::check([] {
    AttentionCase c = cross_case({any(1, 60)}, {any(1, 300)}, 1, 4);
    c.fill(any(0, 1000), 2.0f);
    const AttentionResult r = run_forward(c);
    for (int x = 0; x < 4; ++x) {
      float low = INFINITY, high = -INFINITY;
      for (int j = 0; j < c.key_rows; ++j) {
        low = std::min(low, c.v[4 * j + x]);
        high = std::max(high, c.v[4 * j + x]);
      }
      for (int i = 0; i < c.query_rows; ++i) {
        RC_ASSERT(r.out[4 * i + x] >= low - 1e-5f);
        RC_ASSERT(r.out[4 * i + x] <= high + 1e-5f);
      }
    }
  }));
}

}  // namespace
}  // namespace fovea::kernels
