#include "fovea/data/corpus.h"

#include <gtest/gtest.h>

#include <algorithm>
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
  // Lines so long that a megabyte does not hold them.
  std::string long_file(int count) {
    Lines text = made_up_lines(count, 3);
    for (std::string& line : text) line.append(500, ' ');
    return folder_.write_lines("long", text);
  }
  Corpus streamed(int count) {
    CorpusConfig config = pairs(count);
    config.src = {long_file(count)};
    config.shuffle_memory = 1;
    config.batch_tokens = 2000;
    return Corpus::of_pairs(config, words(), words());
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

TEST_F(CorpusTest, TheSizeOfAnEpochFollowsTheWeights) {
  CorpusConfig config = pairs(40);
  const CorpusConfig more = pairs(20, 2);
  config.src.push_back(more.src[0]);
  config.tgt.push_back(more.tgt[0]);
  const CorpusSize once = Corpus::of_pairs(config, words(), words()).size();
  const CorpusSize first = Corpus::of_pairs(pairs(40), words(), words()).size();
  config.weights = {1, 3};
  const CorpusSize thrice = Corpus::of_pairs(config, words(), words()).size();
  EXPECT_EQ(once.examples, 60);
  EXPECT_EQ(thrice.examples, 40 + 3 * 20);
  EXPECT_EQ(thrice.target_tokens,
            3 * once.target_tokens - 2 * first.target_tokens);
  config.weights = {0.5f, 0};
  EXPECT_EQ(Corpus::of_pairs(config, words(), words()).size().examples, 20);
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

void expect_same_from_every_place(const Corpus& corpus, bool several_buffers) {
  BatchStream whole(corpus);
  int64_t buffers = 0;
  std::vector<std::pair<CorpusPlace, Batch>> all;
  while (whole.place().epoch < 2) {
    const CorpusPlace place = whole.place();
    buffers = std::max(buffers, place.buffer + 1);
    all.emplace_back(place, whole.next());
  }
  EXPECT_EQ(buffers > 1, several_buffers);
  for (size_t i = 0; i < all.size(); ++i) {
    BatchStream later(corpus, all[i].first);
    for (size_t j = i; j < std::min(i + 3, all.size()); ++j) {
      EXPECT_EQ(later.place(), all[j].first);
      EXPECT_EQ(contents(later.next()), contents(all[j].second));
    }
  }
}

TEST_F(CorpusTest, ContinuesAtAnyPlaceWithTheSameBatches) {
  expect_same_from_every_place(Corpus::of_pairs(pairs(300), words(), words()),
                               false);
  expect_same_from_every_place(streamed(2500), true);
}

TEST_F(CorpusTest, SeesEveryLineOnceWhenItStreams) {
  const Corpus corpus = streamed(2500);
  const auto seen = seen_in(corpus, 3);
  EXPECT_EQ(seen.size(), 2500u);
  for (const auto& [line, times] : seen) EXPECT_EQ(times, 1) << line;
  EXPECT_TRUE(corpus.size().estimated);
  EXPECT_EQ(corpus.size().lines, 2500);
  EXPECT_NEAR(static_cast<double>(corpus.size().examples), 2500, 500);
}

TEST_F(CorpusTest, HasAnotherOrderInEachEpochAndForEachSeed) {
  CorpusConfig config = pairs(300);
  const Corpus corpus = Corpus::of_pairs(config, words(), words());
  config.seed = 2;
  const Corpus other = Corpus::of_pairs(config, words(), words());
  const auto first = contents(BatchStream(corpus).next());
  EXPECT_EQ(first, contents(BatchStream(corpus).next()));
  EXPECT_NE(first, contents(BatchStream(corpus, {.epoch = 1}).next()));
  EXPECT_NE(first, contents(BatchStream(other).next()));
}

TEST_F(CorpusTest, IsTheSameForAnyNumberOfThreads) {
  std::vector<decltype(contents(Batch()))> firsts;
  for (const int threads : {1, 2, 4}) {
    const ThreadLimit limit(threads);
    const Corpus corpus = streamed(2500);
    BatchStream stream(corpus, {.epoch = 1, .buffer = 1});
    stream.next();
    firsts.push_back(contents(stream.next()));
  }
  EXPECT_EQ(firsts[0], firsts[1]);
  EXPECT_EQ(firsts[0], firsts[2]);
}

TEST_F(CorpusTest, MixesFilesByTheirWeights) {
  const CorpusConfig one = pairs(200, 1), two = pairs(100, 2);
  for (const bool stream : {false, true}) {
    CorpusConfig config = one;
    config.src = {one.src[0], two.src[0]};
    config.tgt = {one.tgt[0], two.tgt[0]};
    config.weights = {0.5f, 2.25f};
    if (stream) {
      config.src.push_back(long_file(1500));
      config.tgt.push_back(config.src.back());
      config.weights.push_back(0);
      config.shuffle_memory = 1;
    }
    const Corpus corpus = Corpus::of_pairs(config, words(), words());
    EXPECT_EQ(corpus.size().estimated, stream);
    std::map<int64_t, int> seen;
    for (int64_t epoch = 0; epoch < 4; ++epoch) {
      for (const auto& [line, times] : seen_in(corpus, epoch)) {
        EXPECT_TRUE(line < 200 ? times == 1 : times == 2 || times == 3);
        seen[line] += times;
      }
    }
    // Over four epochs the fractions come out even.
    EXPECT_EQ(seen.size(), 300u);
    for (const auto& [line, times] : seen) {
      EXPECT_EQ(times, line < 200 ? 2 : 9) << line;
    }
  }
}

TEST_F(CorpusTest, LeavesOutAndCountsWhatItCannotUse) {
  CorpusConfig config = {
      .src = {folder_.write("s", "a b\n\nc\nd e f g h\na\n")},
      .tgt = {folder_.write("t", "a\nb\n\nd\nb\n")},
      .max_length = 4,
      .skip = {{false, false, false, false, true}}};
  const Corpus corpus = Corpus::of_pairs(config, words(), words());
  EXPECT_EQ(corpus.size().lines, 5);
  EXPECT_EQ(corpus.size().examples, 1);
  EXPECT_EQ(corpus.size().empty, 2);
  EXPECT_EQ(corpus.size().too_long, 1);
  EXPECT_EQ(corpus.size().skipped, 1);
  EXPECT_EQ(corpus.size().source_tokens, 3);
  EXPECT_EQ(corpus.size().target_tokens, 2);
  EXPECT_EQ(corpus.size().long_source, 2);
  EXPECT_EQ(BatchStream(corpus).next().lines, std::vector<int64_t>{0});
}

TEST_F(CorpusTest, SaysHowLongNearlyAllSourcesAre) {
  std::string source, target;
  for (int i = 0; i < 300; ++i) {
    source += i % 100 == 7 ? "a b c d e f g\n" : "a b c\n";
    target += "a\n";
  }
  CorpusConfig config = {.src = {folder_.write("s", source)},
                         .tgt = {folder_.write("t", target)}};
  const auto length = [&] {
    return Corpus::of_pairs(config, words(), words()).size().long_source;
  };
  EXPECT_EQ(length(), 3);
  folder_.write("s", source + "a b c d e f g\n");
  folder_.write("t", target + "a\n");
  EXPECT_EQ(length(), 7);
}

TEST_F(CorpusTest, TakesASentenceThatNoBatchCouldHoldForTooLong) {
  CorpusConfig config = {.src = {folder_.write("s", "a b c d\na b c\n")},
                         .tgt = {folder_.write("t", "a\nb\n")},
                         .batch_tokens = 4};
  const Corpus corpus = Corpus::of_pairs(config, words(), words());
  EXPECT_EQ(corpus.size().too_long, 1);
  EXPECT_EQ(corpus.size().examples, 1);
}

TEST_F(CorpusTest, GivesLinesInOrderForValidation) {
  const Corpus corpus = Corpus::of_pairs(pairs(300), words(), words());
  int64_t next = 0;
  for (const Batch& batch : corpus.in_order()) {
    std::vector<int64_t> lines = batch.lines;
    std::sort(lines.begin(), lines.end());
    for (const int64_t line : lines) EXPECT_EQ(line, next++);
    EXPECT_LE(batch.target.of.total(), 100);
  }
  EXPECT_EQ(next, 300);
}

TEST_F(CorpusTest, LinksTokensOfGuidedAlignment) {
  CorpusConfig config = {
      .src = {folder_.write("s", "a b\nc\nd\n")},
      .tgt = {folder_.write("t", "b a\nc\nd\n")},
      .alignments = {folder_.write("l", "0-1 1-0\n0-0\nx\n")}};
  const Corpus corpus = Corpus::of_pairs(config, words(), words());
  const std::vector<Batch> batches = corpus.in_order();
  ASSERT_EQ(batches.size(), 1u);
  EXPECT_EQ(batches[0].links,
            (std::vector<TokenLinks>{{{0, 1}, {1, 0}}, {{0, 0}}, {}}));
  EXPECT_EQ(BatchStream(corpus).next().links, batches[0].links);
}

TEST_F(CorpusTest, ReadsLabelledLines) {
  CorpusConfig config = {
      .labelled = {folder_.write("l",
                                 "pos\ta b\nneg\tc\nno label\n"
                                 "__label__pos __label__neg d e f\nneg\t\n")},
      .max_length = 2};
  const Corpus corpus =
      Corpus::of_labels(config, words(), labels_in(config.labelled));
  EXPECT_EQ(corpus.size().examples, 3);
  EXPECT_EQ(corpus.size().bad, 1);
  EXPECT_EQ(corpus.size().empty, 1);
  EXPECT_EQ(corpus.size().more_labels, 1);
  EXPECT_EQ(corpus.size().cut, 1);
  EXPECT_EQ(corpus.size().target_tokens, 0);
  const std::vector<Batch> batches = corpus.in_order();
  ASSERT_EQ(batches.size(), 1u);
  EXPECT_EQ(batches[0].lines, (std::vector<int64_t>{0, 3, 1}));
  EXPECT_EQ(batches[0].labels, (std::vector<int>{1, 1, 0}));
  // A label that was not in the training text.
  EXPECT_EQ(Corpus::of_labels(config, words(), {"pos"}).size().bad, 3);
}

TEST_F(CorpusTest, SaysWhatIsWrongWithTheFiles) {
  const auto error = [&](const CorpusConfig& config) -> std::string {
    try {
      const Corpus corpus = Corpus::of_pairs(config, words(), words());
      BatchStream(corpus).next();
    } catch (const Error& e) {
      return join(static_cast<int>(e.kind()), " ", e.what());
    }
    return "no error";
  };
  CorpusConfig config = {.src = {folder_.write("s", "a\nb\n")},
                         .tgt = {folder_.write("t", "a\n")}};
  const std::string kData = std::to_string(static_cast<int>(ErrorKind::kData));
  const std::string kUsage =
      std::to_string(static_cast<int>(ErrorKind::kUsage));
  EXPECT_EQ(error(config), join(kData, " ", config.src[0], " has 2 lines but ",
                                config.tgt[0], " has 1"));
  config.tgt = {folder_.write("t", "\n\n")};
  EXPECT_EQ(error(config), kData + " nothing to learn from: no line is left");
  config.tgt = {folder_.path("missing")};
  EXPECT_NE(error(config).find("missing"), std::string::npos);
  config.tgt = {};
  EXPECT_EQ(error(config), kUsage + " 1 source files but 0 target files");
  config = pairs(2);
  config.weights = {1, 2};
  EXPECT_EQ(error(config), kUsage + " corpus-weights: 2 weights for 1 corpora");
  config.weights = {0};
  EXPECT_EQ(error(config),
            kUsage + " nothing to learn from: no corpus has a weight above 0");
}

}  // namespace
}  // namespace fovea
