// The demo's model learns, and its training settles into the memory it has.
#include <malloc.h>

#include <algorithm>
#include <numeric>

#include "cli/reverse_model.h"
#include "fovea/base/parallel.h"
#include "fovea/tensor/allocator.h"
#include "support/compare.h"
#include "support/effort.h"

namespace fovea {
namespace {

using cli::random_words;
using cli::ReverseModel;
using cli::ReverseTrainer;
using Words = std::vector<std::vector<int>>;

double share_right(const ReverseModel& model, const Words& words) {
  const auto results = model.reverse(words);
  int right = 0;
  for (size_t i = 0; i < words.size(); ++i) {
    right += std::equal(results[i].rbegin(), results[i].rend(),
                        words[i].begin(), words[i].end());
  }
  return right / static_cast<double>(words.size());
}

TEST(LongReverse, IsLearntInSeconds) {
  const ReverseModel model(64, RandomKey(1));
  ReverseTrainer trainer(model);
  for (int step = 1; step <= 600; ++step) {
    trainer.step(random_words(RandomKey(2).with(step), 64, 3, 12),
                 5e-3f * (601 - step) / 600);
  }
  EXPECT_GT(share_right(model, random_words(RandomKey(3), 500, 3, 12)), 0.99);
}

TEST(Reverse, LosesLossFromTheFirstSteps) {
  const ReverseModel model(16, RandomKey(1));
  ReverseTrainer trainer(model);
  const Words words = random_words(RandomKey(2), 32, 3, 6);
  const float before = trainer.step(words, 3e-3f);
  for (int step = 0; step < 20; ++step) trainer.step(words, 3e-3f);
  EXPECT_LT(trainer.step(words, 3e-3f), 0.9f * before);
}

TEST(Reverse, GivesTheSameWordsAloneAndTogether) {
  const ReverseModel model(16, RandomKey(1));
  const Words words = random_words(RandomKey(2), 9, 1, 12);
  const auto together = model.reverse(words);
  testing::with_threads({1, 2, 4}, [&](int) {
    for (size_t i = 0; i < words.size(); ++i) {
      const auto alone = model.reverse({&words[i], 1});
      EXPECT_EQ(alone[0], together[i]) << "word " << i;
    }
  });
}

TEST(Reverse, LooksAtAllLettersOfTheWordAtEachStep) {
  const ReverseModel model(16, RandomKey(1));
  for (const std::vector<int>& word : random_words(RandomKey(2), 5, 1, 12)) {
    const auto written = model.reverse({&word, 1}).front();
    const Tensor weights = model.weights(word, written);
    const auto size = static_cast<int64_t>(word.size());
    const auto steps = static_cast<int64_t>(written.size()) + 1;
    ASSERT_EQ(weights.size(), steps * size);
    for (int64_t step = 0; step < steps; ++step) {
      const auto row = weights.span().subspan(step * size, size);
      EXPECT_NEAR(std::accumulate(row.begin(), row.end(), 0.0), 1, 1e-5);
    }
  }
}

TEST(Reverse, TrainsToTheSameBitsTwice) {
  auto train = [] {
    const ReverseModel model(16, RandomKey(1));
    ReverseTrainer trainer(model);
    for (int step = 0; step < 5; ++step) {
      trainer.step(random_words(RandomKey(2).with(step), 16, 3, 12), 3e-3f);
    }
    std::vector<Tensor> values;
    const Params params = model.params();
    for (const auto& p : params.parameters()) {
      values.push_back(p.value->value());
    }
    return values;
  };
  testing::with_threads({1, 2}, [&](int) {
    const auto first = train(), second = train();
    for (size_t i = 0; i < first.size(); ++i) {
      EXPECT_TRUE(testing::same_bits(first[i].span(), second[i].span()));
    }
  });
}

size_t heap_from_the_system() {
  const struct mallinfo2 info = mallinfo2();
  return info.arena + info.hblkhd;
}

// As a trainer with a token budget makes them: about as many letters in each,
// no two batches alike.
Words ragged_batch(int step, int letters) {
  Words words;
  for (uint64_t i = 0; letters > 0; ++i) {
    words.push_back(
        random_words(RandomKey(7).with(step).with(i), 1, 3, 30).front());
    letters -= static_cast<int>(words.back().size());
  }
  return words;
}

TEST(SteadyMemory, TakesNothingFromTheSystemAfterTheWarmUp) {
  constexpr int kWarmUp = 50;
  const int steps = testing::effort(200, 20);
  const ReverseModel model(64, RandomKey(1));
  ReverseTrainer trainer(model);
  Allocator& allocator = Allocator::shared();
  allocator.reset_peak();
  for (int step = 0; step < kWarmUp; ++step) {
    // The first batch is the largest, as in a real run.
    const int letters =
        step == 0
            ? 2000
            : 1000 + static_cast<int>(random_below(RandomKey(8), step, 900));
    trainer.step(ragged_batch(step, letters), 1e-3f);
  }
  const size_t heap = heap_from_the_system();
  const auto before = allocator.stats();
  for (int step = kWarmUp; step < kWarmUp + steps; ++step) {
    trainer.step(ragged_batch(step, 1000 + static_cast<int>(random_below(
                                               RandomKey(8), step, 900))),
                 1e-3f);
  }
  const auto after = allocator.stats();
  EXPECT_EQ(after.system_calls, before.system_calls);
  // The matrix libraries take scratch from malloc, which gives some back to the
  // system and takes it again, as threads happen to meet: bounded, not counted.
  EXPECT_LE(heap_from_the_system(), heap + (size_t{2} << 20));
  EXPECT_LE(static_cast<double>(after.high_water),
            1.15 * static_cast<double>(after.peak_live));
}

}  // namespace
}  // namespace fovea
