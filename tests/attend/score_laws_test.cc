#include <rapidcheck.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "fovea/attend/registry.h"
#include "support/attend_case.h"
#include "support/compare.h"
#include "support/random.h"

// What holds for every score of the registry (SPEC Z6). A new one is tested as
// soon as it has its line there.
namespace fovea {
namespace {

using namespace testing;  // NOLINT: the support library

// Its weights follow from places, not from keys.
bool looks_at_places(const std::string& score) {
  return score.starts_with("location");
}

// It may hide all keys.
bool may_hide(const std::string& score) {
  return score == "epanechnikov" || score == "boxcar" || score == "exact";
}

std::vector<std::string> options_of(const std::string& score) {
  if (score == "epanechnikov" || score == "boxcar") return {"width=2.5"};
  return {};
}

struct Problem {
  AttendCase c;
  AttendRows rows;
  std::unique_ptr<Attention> attention;
};

// Random sizes and numbers. Only a score of the keys is there: values come as
// they are, so that the context is a mean of them.
Problem some_problem(const std::string& score, bool self = false,
                     const std::string& extent = "global") {
  Problem p;
  p.c.config = {.score = score,
                .extent = extent,
                .heads = *rc::gen::element(1, 2),
                .value_proj = false,
                .out_proj = false,
                .causal = self,
                .options = options_of(score)};
  if (extent != "global") p.c.config.options.emplace_back("window=2");
  p.c.sizes = {.query = 4, .key = 4, .value = 4};
  const int count = *rc::gen::inRange(1, 4);
  p.c.queries =
      *rc::gen::container<std::vector<int>>(count, rc::gen::inRange(0, 5));
  p.c.keys = self ? p.c.queries
                  : *rc::gen::container<std::vector<int>>(
                        count, rc::gen::inRange(0, 7));
  p.c.seed = *rc::gen::inRange(1, 1 << 20);
  p.attention = random_attention(p.c);
  // A row does not depend on others then.
  Params(*p.attention).prepare(Precision::kFloat32);
  p.rows = {p.c.query_rows(), p.c.key_rows(), p.c.value_rows()};
  if (self) p.rows.queries = p.rows.values = p.rows.keys;
  if (score != "exact") return p;
  for (const Var& x : {p.rows.queries, p.rows.keys}) {
    for (float& v : x.value().span()) v = v > 0 ? 1.0f : 0.0f;
  }
  return p;
}

Attended run(const Problem& p, bool want_weights = true) {
  return attend_once(*p.attention, p.c, p.rows, want_weights);
}

// Calls law(name) for each score as a property.
template <class Law>
void for_scores(const Law& law) {
  const NoGrad no_grad;
  for (const auto& entry : score_registry()) {
    SCOPED_TRACE(entry.name);
    EXPECT_TRUE(rc::check(entry.name, [&] { law(entry.name); }));
  }
}

float row_sum(const Weights& w, int64_t m, int head) {
  float sum = 0;
  for (int j = 0; j < w.pairs.row(m).keys; ++j) {
    sum += w.values.value()[w.pairs.begin(m, head) + j];
  }
  return sum;
}

// A row without any weight: there is no key, or none that is seen.
bool is_empty(const Weights& w, int64_t m, int head, const std::string& score) {
  if (w.pairs.row(m).keys == 0) return true;
  return may_hide(score) && row_sum(w, m, head) == 0;
}

TEST(ScoreLaws, WeightsAreNeverNegativeAndSumToOne) {  // P1
  for_scores([](const std::string& score) {
    const std::string extent =
        *rc::gen::element<std::string>("global", "local_m", "local_p");
    const Weights w = run(some_problem(score, false, extent)).weights;
    for (float x : w.values.value().span()) RC_ASSERT(x >= 0);
    for (int64_t m = 0; m < w.pairs.rows(); ++m) {
      for (int h = 0; h < w.pairs.heads(); ++h) {
        const float sum = row_sum(w, m, h);
        RC_ASSERT(sum <= 1 + 1e-5f);
        if (is_empty(w, m, h, score) || extent == "local_p") continue;
        RC_ASSERT(std::abs(sum - 1) < 1e-5f);
      }
    }
  });
}

TEST(ScoreLaws, AConstantAddedToScoresChangesNothing) {  // P2
  for_scores([](const std::string& score) {
    Problem p = some_problem(score);
    const ComposedConfig& config = p.c.config;
    Settings settings(config.options);
    const PartContext context{.config = config,
                              .sizes = p.c.sizes,
                              .score = {config.heads, config.heads, 4, 4},
                              .value_size = 4 / config.heads,
                              .settings = settings,
                              .key = RandomKey{1}};
    const auto part = make_score(context);
    const auto normaliser = make_normaliser(context, *part);
    std::vector<Pairs::Row> rows(p.rows.queries.dim(0));
    for (Pairs::Row& row : rows) {
      row.keys = static_cast<int>(p.rows.keys.dim(0));
    }
    const Pairs pairs(rows, config.heads, config.heads);
    const Tensor scores =
        part->score(part->prepare_queries(p.rows.queries),
                    part->prepare_keys(p.rows.keys), pairs, {})
            .value();
    const Tensor before = normaliser->weights(scores, pairs).value();
    const Tensor moved = scores.clone();
    for (float& e : moved.span()) e += 3;
    const Tensor after = normaliser->weights(moved, pairs).value();
    RC_ASSERT(close(after.span(), before.span(), 1e-5));
  });
}

// Rows of one sequence in another order.
Tensor reordered(const Tensor& x, const Segments& of, int shift) {
  const Tensor y = x.clone();
  for (int b = 0; b < of.count(); ++b) {
    for (int i = 0; i < of.length(b); ++i) {
      const int from = of.begin(b) + (i + shift) % of.length(b);
      const int to = of.begin(b) + i;
      y.row_range(to, to + 1).copy_from(x.row_range(from, from + 1));
    }
  }
  return y;
}

TEST(ScoreLaws, TheOrderOfKeysDoesNotMatterAndThatOfQueriesIsKept) {  // P3
  for_scores([](const std::string& score) {
    Problem p = some_problem(score);
    const int shift = *rc::gen::inRange(1, 4);
    const Segments of = p.c.query_segments();
    const Tensor before = reordered(run(p).context.value(), of, shift);
    p.rows.queries = reordered(p.rows.queries.value(), of, shift);
    if (!looks_at_places(score)) {
      const Segments keys = p.c.key_segments();
      p.rows.keys = reordered(p.rows.keys.value(), keys, shift);
      p.rows.values = reordered(p.rows.values.value(), keys, shift);
    }
    RC_ASSERT(close(run(p).context.value().span(), before.span(), 1e-5));
  });
}

TEST(ScoreLaws, LaterTokensChangeNothingWhereItIsCausal) {  // P4
  for_scores([](const std::string& score) {
    Problem p = some_problem(score, true);
    const Tensor before = run(p, false).context.value();
    const Tensor x = p.rows.keys.value().clone();
    const Segments of = p.c.key_segments();
    const int t = *rc::gen::inRange(0, 4);
    std::vector<int> kept;
    for (int b = 0; b < of.count(); ++b) {
      for (int i = 0; i < of.length(b); ++i) {
        const int row = of.begin(b) + i;
        if (i <= t) kept.push_back(row);
        if (i > t) x.row_range(row, row + 1).fill(0.5f);
      }
    }
    p.rows = {x, x, x};
    const Tensor after = run(p, false).context.value();
    for (int row : kept) {
      RC_ASSERT(same_bits(after.row_range(row, row + 1).span(),
                          before.row_range(row, row + 1).span()));
    }
  });
}

TEST(ScoreLaws, CompanyChangesNothing) {  // P5
  for_scores([](const std::string& score) {
    const std::string extent =
        *rc::gen::element<std::string>("global", "local_m", "local_p");
    Problem p = some_problem(score, false, extent);
    const Segments queries = p.c.query_segments(), keys = p.c.key_segments();
    const Tensor together = run(p, false).context.value();
    const AttendRows all = p.rows;
    for (int b = 0; b < queries.count(); ++b) {
      const auto own = [&](const Var& x, const Segments& of) {
        return x.value().row_range(of.begin(b), of.end(b));
      };
      p.c.queries = {queries.length(b)};
      p.c.keys = {keys.length(b)};
      p.rows = {own(all.queries, queries), own(all.keys, keys),
                own(all.values, keys)};
      RC_ASSERT(close(run(p, false).context.value().span(),
                      own(together, queries).span(), 1e-6, 1.0));
    }
  });
}

TEST(ScoreLaws, OneKeyHasAllTheWeight) {  // P6
  for_scores([](const std::string& score) {
    Problem p = some_problem(score);
    p.c.queries = {static_cast<int>(p.rows.queries.dim(0))};
    p.c.keys = {1};
    p.rows.keys = random_tensor({1, 4}, 5);
    p.rows.values = random_tensor({1, 4}, 6);
    const Attended a = run(p);
    const int heads = p.c.config.heads;
    for (int64_t m = 0; m < a.weights.pairs.rows(); ++m) {
      for (int i = 0; i < 4; ++i) {
        if (is_empty(a.weights, m, i / (4 / heads), score)) continue;
        RC_ASSERT(a.context.value()[m * 4 + i] == p.rows.values.value()[i]);
      }
    }
  });
}

TEST(ScoreLaws, EqualKeysShareTheWeight) {  // P7
  for_scores([](const std::string& score) {
    if (looks_at_places(score)) return;
    Problem p = some_problem(score);
    for (int64_t i = 0; i < p.rows.keys.value().size(); ++i) {
      p.rows.keys.value()[i] = static_cast<float>(i % 4) / 4;
    }
    const Weights w = run(p).weights;
    for (int64_t m = 0; m < w.pairs.rows(); ++m) {
      for (int h = 0; h < w.pairs.heads(); ++h) {
        if (is_empty(w, m, h, score)) continue;
        const int keys = w.pairs.row(m).keys;
        for (int j = 0; j < keys; ++j) {
          const float x = w.values.value()[w.pairs.begin(m, h) + j];
          RC_ASSERT(std::abs(x - 1 / static_cast<float>(keys)) < 1e-6f);
        }
      }
    }
  });
}

TEST(ScoreLaws, StepByStepEqualsAllAtOnce) {  // P8
  for_scores([](const std::string& score) {
    const std::string extent =
        *rc::gen::element<std::string>("global", "local_m");
    Problem p = some_problem(score, true, extent);
    const Tensor x = p.rows.keys.value();
    const Segments of = p.c.key_segments();
    const Tensor all = run(p, false).context.value();
    const std::vector<int> none(p.c.keys.size(), 0);
    Memory memory = p.attention->remember(
        {.keys = Tensor({0, 4}), .of = Segments::from_lengths(none)}, {});
    for (int t = 0; t < of.longest(); ++t) {
      std::vector<int> lengths, rows;
      std::vector<float> numbers;
      for (int b = 0; b < of.count(); ++b) {
        lengths.push_back(t < of.length(b));
        if (t >= of.length(b)) continue;
        rows.push_back(of.begin(b) + t);
        const auto row = x.row_range(rows.back(), rows.back() + 1).span();
        numbers.insert(numbers.end(), row.begin(), row.end());
      }
      const Segments one = Segments::from_lengths(lengths);
      const Tensor now = Tensor::from({one.total(), 4}, numbers);
      p.attention->extend(memory, {.keys = now, .of = one});
      const Tensor step =
          p.attention->attend({.rows = now, .of = one}, memory, {}, {})
              .context.value();
      for (size_t i = 0; i < rows.size(); ++i) {
        RC_ASSERT(close(step.row_range(i, i + 1).span(),
                        all.row_range(rows[i], rows[i] + 1).span(), 1e-5, 1.0));
      }
    }
  });
}

TEST(ScoreLaws, TheContextLiesAmongTheValues) {  // P10
  for_scores([](const std::string& score) {
    const Problem p = some_problem(score);
    const Attended a = run(p);
    const Pairs& pairs = a.weights.pairs;
    const Tensor v = p.rows.values.value();
    for (int64_t m = 0; m < pairs.rows(); ++m) {
      for (int i = 0; i < 4; ++i) {
        if (is_empty(a.weights, m, i / (4 / pairs.heads()), score)) continue;
        float low = INFINITY, high = -INFINITY;
        for (int j = 0; j < pairs.row(m).keys; ++j) {
          const float x = v[(pairs.row(m).key + j) * 4 + i];
          low = std::min(low, x);
          high = std::max(high, x);
        }
        const float x = a.context.value()[m * 4 + i];
        RC_ASSERT(x >= low - 1e-5f && x <= high + 1e-5f);
      }
    }
  });
}

TEST(ScoreLaws, BothPathsAgree) {
  for_scores([](const std::string& score) {
    const std::string extent =
        *rc::gen::element<std::string>("global", "local_m", "local_p");
    const bool self = extent != "local_p" && *rc::gen::arbitrary<bool>();
    const Problem p = some_problem(score, self, extent);
    RC_ASSERT(close(run(p, false).context.value().span(),
                    run(p, true).context.value().span(), 1e-5, 1.0));
  });
}

TEST(ScoreLaws, ZerosAndLargeNumbersGiveFiniteGradients) {
  for (const auto& entry : score_registry()) {
    SCOPED_TRACE(entry.name);
    for (float scale : {0.0f, 1e-20f, 1e3f}) {
      AttendCase c{.config = {.score = entry.name, .heads = 2}, .scale = scale};
      const auto attention = random_attention(c);
      const AttendRows rows = random_rows(c);
      const Attended a = attend_once(*attention, c, rows, true);
      for (float x : a.context.value().span()) EXPECT_TRUE(std::isfinite(x));
      a.context.backward(random_tensor(a.context.shape(), 3));
      for (const Var& x : {rows.queries, rows.keys, rows.values}) {
        if (!x.grad()) continue;
        for (float g : x.grad().span()) EXPECT_TRUE(std::isfinite(g));
      }
    }
  }
}

}  // namespace
}  // namespace fovea
