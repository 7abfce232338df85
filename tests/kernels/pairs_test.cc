#include "fovea/kernels/pairs.h"

#include <rapidcheck.h>

#include "support/compare.h"
#include "support/random.h"
#include "support/twin_pairs.h"

namespace fovea::kernels {
namespace {

using testing::close;
using testing::Doubles;
using testing::mixed_pairs;
using testing::on_every_target;
using testing::random_floats;
using testing::same_bits;
using testing::to_double;
using testing::TwinPairs;
using testing::with_threads;

using Floats = std::vector<float>;

struct Inputs {
  explicit Inputs(const TwinPairs& twin)
      : a(random_floats(twin.queries(), 1)),
        b(random_floats(twin.keys(), 2)),
        s(random_floats(twin.size(), 3)) {}
  Floats a, b, s;
};

struct Results {
  Floats dot, distance, gather, scatter;
};

Results run(const TwinPairs& twin, const Inputs& in, float scale = 1.0f) {
  const PairLayout pairs = twin.layout();
  const ConstMatrixView a(in.a.data(), twin.query_rows(), twin.heads * twin.d);
  const ConstMatrixView b(in.b.data(), twin.key_rows, twin.key_heads * twin.d);
  Results r{Floats(in.s.size(), 7.0f), Floats(in.s.size(), 7.0f),
            Floats(in.a.size(), 7.0f), Floats(in.b.size(), 0.0f)};
  pair_dot(a, b, pairs, scale, false, r.dot.data());
  pair_distance(a, b, pairs, r.distance.data());
  pair_gather(in.s.data(), b, pairs, scale, false,
              {r.gather.data(), a.rows, a.cols});
  pair_scatter(in.s.data(), a, pairs, scale,
               {r.scatter.data(), b.rows, b.cols});
  return r;
}

Doubles times(double factor, Doubles x) {
  for (double& v : x) v *= factor;
  return x;
}

void expect_same(const Results& r, const Results& other) {
  EXPECT_TRUE(same_bits(r.dot, other.dot));
  EXPECT_TRUE(same_bits(r.distance, other.distance));
  EXPECT_TRUE(same_bits(r.gather, other.gather));
  EXPECT_TRUE(same_bits(r.scatter, other.scatter));
}

void expect_like_twin(const TwinPairs& twin) {
  const Inputs in(twin);
  const Doubles a = to_double(in.a), b = to_double(in.b), s = to_double(in.s);
  on_every_target([&] {
    const Results r = run(twin, in, 0.75f);
    EXPECT_TRUE(close(r.dot, times(0.75, twin.dot(a, b)), 1e-5));
    EXPECT_TRUE(close(r.distance, twin.distance(a, b), 1e-5));
    EXPECT_TRUE(close(r.gather, times(0.75, twin.gather(s, b)), 1e-5));
    EXPECT_TRUE(close(r.scatter, times(0.75, twin.scatter(s, a)), 1e-5));
    with_threads({1, 2, 4}, [&](int) { expect_same(run(twin, in, 0.75f), r); });
  });
}

TEST(Pairs, MatchTheTwinOnOddHeadSizes) {
  for (int d : {1, 2, 3, 7, 8, 15, 16, 31, 32, 33, 64, 80, 130}) {
    SCOPED_TRACE(d);
    expect_like_twin(TwinPairs(mixed_pairs(), 2, 2, d));
  }
}

TEST(Pairs, MatchTheTwinWhenHeadsShareKeys) {
  for (int key_heads : {1, 2, 3, 6}) {
    for (int d : {1, 5, 40}) {
      SCOPED_TRACE(::testing::Message() << key_heads << " " << d);
      expect_like_twin(TwinPairs(mixed_pairs(), 6, key_heads, d));
    }
  }
}

TEST(Pairs, AreFineWithoutRowsAndWithoutKeys) {
  expect_like_twin(TwinPairs({}, 2, 1, 8));
  expect_like_twin(TwinPairs({{0, 0}, {5, 0}}, 2, 1, 8));
}

TEST(Pairs, MatchTheTwinOnProblemsThatThreadsShare) {
  std::vector<std::pair<int, int>> rows;
  for (int i = 0; i < 300; ++i) rows.push_back({0, i + 1});
  for (int i = 0; i < 50; ++i) rows.push_back({300, 67});
  expect_like_twin(TwinPairs(rows, 2, 1, 70));
}

TEST(Pairs, AddToWhatIsThere) {
  const TwinPairs twin(mixed_pairs(), 2, 1, 11);
  const Inputs in(twin);
  on_every_target([&] {
    const Results r = run(twin, in, 0.5f);
    Floats dot = in.s, gather = in.a, scatter = in.b;
    const ConstMatrixView a(in.a.data(), twin.query_rows(), 22);
    const ConstMatrixView b(in.b.data(), twin.key_rows, 11);
    pair_dot(a, b, twin.layout(), 0.5f, true, dot.data());
    pair_gather(in.s.data(), b, twin.layout(), 0.5f, true,
                {gather.data(), a.rows, a.cols});
    pair_scatter(in.s.data(), a, twin.layout(), 0.5f,
                 {scatter.data(), b.rows, b.cols});
    for (size_t i = 0; i < dot.size(); ++i) {
      ASSERT_NEAR(dot[i], in.s[i] + r.dot[i], 1e-5);
    }
    for (size_t i = 0; i < gather.size(); ++i) {
      ASSERT_NEAR(gather[i], in.a[i] + r.gather[i], 1e-4);
    }
    for (size_t i = 0; i < scatter.size(); ++i) {
      ASSERT_NEAR(scatter[i], in.b[i] + r.scatter[i], 1e-4);
    }
  });
}

TEST(Pairs, ReadAndWriteOnlyTheColumnsOfAView) {
  const TwinPairs twin({{0, 3}, {0, 2}}, 1, 1, 5);
  const Floats wide_b = random_floats(3 * 9, 1), s = random_floats(5, 2);
  Floats b, wide(2 * 8, 7.0f), dense(2 * 5);
  for (int i = 0; i < 3; ++i) {
    b.insert(b.end(), &wide_b[9 * i + 2], &wide_b[9 * i + 2] + 5);
  }
  on_every_target([&] {
    pair_gather(s.data(), {b.data(), 3, 5}, twin.layout(), 1, false,
                {dense.data(), 2, 5});
    pair_gather(s.data(), {&wide_b[2], 3, 5, 9}, twin.layout(), 1, false,
                {&wide[1], 2, 5, 8});
    for (int m = 0; m < 2; ++m) {
      for (int i = 0; i < 8; ++i) {
        const bool inside = i >= 1 && i < 6;
        EXPECT_EQ(wide[8 * m + i], inside ? dense[5 * m + i - 1] : 7.0f);
      }
    }
  });
}

// A row's numbers alone are those it has in company.
TEST(Pairs, GiveARowTheSameBitsAloneAndInCompany) {
  on_every_target([] {
    EXPECT_TRUE(rc::check([] {
      const int key_heads = *rc::gen::inRange(1, 3);
      const int heads = key_heads * *rc::gen::inRange(1, 4);
      const int d = *rc::gen::inRange(1, 70);
      std::vector<std::pair<int, int>> rows;
      const int count = *rc::gen::inRange(1, 12);
      for (int i = 0; i < count; ++i) {
        rows.push_back({*rc::gen::inRange(0, 20), *rc::gen::inRange(0, 20)});
      }
      rows.push_back({0, 40});  // the same key matrix for all
      const int m = *rc::gen::inRange(0, count);
      const TwinPairs all(rows, heads, key_heads, d);
      TwinPairs one({rows[m]}, heads, key_heads, d);
      one.key_rows = all.key_rows;
      const Inputs in(all);
      Inputs mine(one);
      const int64_t width = heads * d, begin = all.layout().begin(m, 0);
      mine.b = in.b;
      mine.a.assign(&in.a[m * width], &in.a[m * width] + width);
      mine.s.assign(in.s.begin() + begin, in.s.begin() + begin + one.size());
      const Results r = run(all, in, 0.3f), alone = run(one, mine, 0.3f);
      const auto part = [](const Floats& x, int64_t from, int64_t size) {
        return Floats(x.begin() + from, x.begin() + from + size);
      };
      RC_ASSERT(same_bits(alone.dot, part(r.dot, begin, one.size())));
      RC_ASSERT(same_bits(alone.distance, part(r.distance, begin, one.size())));
      RC_ASSERT(same_bits(alone.gather, part(r.gather, m * width, width)));
    }));
  });
}

// Sums over queries: rows that do not meet a key leave its bits alone.
TEST(Pairs, GiveAKeyTheSameBitsAmongOtherSequences) {
  std::vector<std::pair<int, int>> rows(5, {0, 7});
  const TwinPairs alone(rows, 2, 1, 37);
  for (int i = 0; i < 4; ++i) rows.insert(rows.begin(), {7, 3 + i});
  const TwinPairs company(rows, 2, 1, 37);
  const Inputs in(alone);
  Inputs more(company);
  std::copy(in.a.begin(), in.a.end(), more.a.end() - in.a.size());
  std::copy(in.s.begin(), in.s.end(), more.s.end() - in.s.size());
  on_every_target([&] {
    Floats scatter = run(company, more).scatter;
    scatter.resize(in.b.size());
    EXPECT_TRUE(same_bits(scatter, run(alone, in).scatter));
  });
}

}  // namespace
}  // namespace fovea::kernels
