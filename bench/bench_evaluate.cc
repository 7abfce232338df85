#include <string>
#include <vector>

#include "bench/bench.h"
#include "bench/peer.h"
#include "fovea/base/rng.h"
#include "fovea/eval/registry.h"

namespace fovea::bench {
namespace {

// A word from a vocabulary in which few words are frequent.
std::string word(RandomKey key, uint32_t index) {
  const float draw = random_uniform(key, index);
  const auto rank = static_cast<uint32_t>(10000 * draw * draw * draw);
  std::string letters;
  for (uint32_t i = 0; i < 2 + random_below(RandomKey(rank), 9, 8); ++i) {
    letters += static_cast<char>('a' + random_below(RandomKey(rank), i, 26));
  }
  return letters;
}

// Sentences of about 20 words and outputs that get about a fifth of them wrong.
ScoringCase make_case(const std::string& metric, int sentences) {
  ScoringCase c{metric, {}, {}};
  for (int s = 0; s < sentences; ++s) {
    const RandomKey key = RandomKey(1).with(static_cast<uint64_t>(s));
    const RandomKey other = key.with("other");
    const uint32_t words = 10 + random_below(key, 99, 21);
    std::string output, reference;
    for (uint32_t i = 0; i < words; ++i) {
      const bool wrong = random_below(other, i, 5) == 0;
      reference += word(key, i) + " ";
      output += word(wrong ? other : key, i) + " ";
    }
    c.output.push_back(output + "3.5, (that is all).");
    c.reference.push_back(reference + "3.5 - that is all.");
  }
  return c;
}

Row row_of(const std::string& metric, int sentences, int threads) {
  const ScoringCase c = make_case(metric, sentences);
  const auto ours = make_metric(metric);
  Peer peer = sacrebleu_score(c);
  Row row;
  row.bench = "evaluate";
  row.name = metric + " of " + std::to_string(sentences) + " sentences";
  row.threads = threads;
  return against(peer, row,
                 [&] { corpus_score(*ours, c.output, c.reference); });
}

}  // namespace

Bench evaluate_bench() {
  return {"evaluate",
          [](int threads) -> std::vector<Row> {
            return {row_of("bleu", 3000, threads),
                    row_of("chrf++", 3000, threads),
                    row_of("ter", 100, threads)};
          },
          {1}};
}

}  // namespace fovea::bench
