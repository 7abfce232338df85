#include "fovea/data/corpus.h"

#include <gtest/gtest.h>

#include <map>
#include <tuple>

#include "fovea/base/check.h"
#include "fovea/base/log.h"
#include "fovea/base/parallel.h"
#include "fovea/base/rng.h"
#include "fovea/data/batch_stream.h"
#include "fovea/data/labelled.h"
#include "support/text_folder.h"

namespace fovea {
namespace {

using Lines = std::vector<std::string>;

// Random words of the letters a to h, 1 to 12 in a line.
Lines made_up_lines(int count, uint64_t seed) {
  Lines lines(count);
  for (int i = 0; i < count; ++i) {
    const RandomKey key = RandomKey(seed).with(i);
    const uint32_t words = 1 + random_below(key, 0, 12);
    for (uint32_t w = 0; w < words; ++w) {
      lines[i] += (w > 0 ? " " : "");
      lines[i] += static_cast<char>('a' + random_below(key, 1 + w, 8));
    }
  }
  return lines;
}

Tokenizer words() {
  return Tokenizer::train({.unit = TextUnit::kWords, .vocab_size = 100},
                          [](const auto& line) { line("a b c d e f g h"); });
}

auto contents(const Batch& b) {
  return std::tuple(b.source.ids, b.source.of, b.target.ids, b.target.of,
                    b.lines, b.links, b.labels);
}

class CorpusTest : public ::testing::Test {
 protected:
  CorpusTest() { set_log_level(LogLevel::kError); }
  ~CorpusTest() override { set_log_level(LogLevel::kInfo); }

  CorpusConfig pairs(int count, uint64_t seed = 1) {
    const std::string name = "part" + std::to_string(seed);
    return {
        .src = {folder_.write_lines(name + ".src", made_up_lines(count, seed))},
        .tgt = {folder_.write_lines(name + ".tgt",
                                    made_up_lines(count, seed + 100))},
        .batch_tokens = 100};
  }
  testing::TextFolder folder_;
};

// How often each line is seen in an epoch.
std::map<int64_t, int> seen_in(const Corpus& corpus, int64_t epoch) {
  std::map<int64_t, int> seen;
  BatchStream stream(corpus, {.epoch = epoch});
  while (stream.place().epoch == epoch) {
    for (const int64_t line : stream.next().lines) ++seen[line];
  }
  return seen;
}

TEST_F(CorpusTest, SeesEveryLineOnceInAnEpoch) {
  const Corpus corpus = Corpus::of_pairs(pairs(500), words(), words());
  for (const int64_t epoch : {0, 1, 7}) {
    const auto seen = seen_in(corpus, epoch);
    EXPECT_EQ(seen.size(), 500u);
    for (const auto& [line, times] : seen) EXPECT_EQ(times, 1) << line;
  }
}

TEST_F(CorpusTest, KeepsToTheTokenBudgetAndTheOrderInABatch) {
  const Corpus corpus = Corpus::of_pairs(pairs(500), words(), words());
  BatchStream stream(corpus);
  while (stream.place().epoch == 0) {
    const Batch batch = stream.next();
    EXPECT_LE(batch.source.of.total(), 100);
    EXPECT_LE(batch.target.of.total(), 100);
    EXPECT_EQ(batch.source.of.count(), batch.target.of.count());
    for (int b = 0; b < batch.size(); ++b) {
      EXPECT_EQ(batch.source.ids[batch.source.of.end(b) - 1], words().end());
      EXPECT_EQ(batch.target.ids[batch.target.of.end(b) - 1], words().end());
      if (b == 0) continue;
      const auto key = [&](int i) {
        return std::tuple(-batch.target.of.length(i),
                          -batch.source.of.length(i), batch.lines[i]);
      };
      EXPECT_LT(key(b - 1), key(b));
    }
  }
}

TEST_F(CorpusTest, ContinuesAtAnyPlaceWithTheSameBatches) {
  for (const int64_t lines : {300, 3000}) {
    CorpusConfig config = pairs(static_cast<int>(lines));
    config.shuffle_memory = 1;
    config.batch_tokens = 2000;
    if (lines > 1000) {
      // Long lines: several buffers of about a megabyte.
      Lines text = made_up_lines(static_cast<int>(lines), 3);
      for (std::string& line : text) line.append(500, ' ');
      config.src = {folder_.write_lines("long", text)};
    }
    const Corpus corpus = Corpus::of_pairs(config, words(), words());
    BatchStream whole(corpus);
    int64_t buffers = 0;
    std::vector<std::pair<CorpusPlace, Batch>> all;
    while (whole.place().epoch < 2) {
      const CorpusPlace place = whole.place();
      buffers = std::max(buffers, place.buffer + 1);
      all.emplace_back(place, whole.next());
    }
    EXPECT_EQ(buffers > 1, lines > 1000);
    for (size_t i = 0; i < all.size(); ++i) {
      BatchStream later(corpus, all[i].first);
      for (size_t j = i; j < std::min(i + 3, all.size()); ++j) {
        EXPECT_EQ(later.place(), all[j].first);
        EXPECT_EQ(contents(later.next()), contents(all[j].second));
      }
    }
  }
}

}  // namespace
}  // namespace fovea
