#include <string>
#include <vector>

#include "bench/attention_problem.h"
#include "bench/bench.h"
#include "fovea/base/parallel.h"
#include "fovea/kernels/custom_score.h"

namespace fovea::bench {
namespace {

using kernels::ScoreAt;

constexpr int kHeads = 8;
constexpr float kSlope = 0.01f;

const auto kDecay = [](auto score, const ScoreAt& at) {
  return score - kSlope * static_cast<float>(at.query - at.key);
};

// One's own scores and mask against the kernel's own way to see the same pairs,
// forward and backward.
Row compare(const std::string& name, AttentionProblem& own,
            AttentionProblem& built_in) {
  const std::vector<float> slopes(kHeads, kSlope);
  built_in.options.alibi = slopes;
  Row row;
  row.bench = "user_score";
  row.name = name;
  row.threads = thread_limit();
  const auto train = [](AttentionProblem& p) {
    return [&p] {
      p.forward();
      p.backward();
    };
  };
  return against("built-in", row, train(own), train(built_in));
}

// The mask alone makes it causal.
Row causal(int length) {
  const auto score = kernels::custom_score(
      kDecay, [](const ScoreAt& at) { return at.key <= at.query; });
  AttentionProblem own({length}, kHeads, false);
  own.options.score = score.get();
  AttentionProblem built_in({length}, kHeads, true);
  return compare("length=" + std::to_string(length) + " causal", own, built_in);
}

// Causal within documents. To the kernel itself each one is a sequence.
Row documents(int length, int document, bool skipping) {
  std::vector<int> ids(length);
  for (int i = 0; i < length; ++i) ids[i] = i / document;
  const auto mask = [&ids](const ScoreAt& at) {
    return ids[at.query_row] == ids[at.key_row];
  };
  const auto skip = [&ids](const ScoreAt& first, const ScoreAt& last) {
    return ids[last.key_row] < ids[first.query_row];
  };
  const auto score = skipping ? kernels::custom_score(kDecay, mask, skip)
                              : kernels::custom_score(kDecay, mask);
  AttentionProblem own({length}, kHeads, true);
  own.options.score = score.get();
  AttentionProblem built_in(std::vector<int>(length / document, document),
                            kHeads, true);
  return compare("length=" + std::to_string(length) + " documents of " +
                     std::to_string(document) + (skipping ? ", skipping" : ""),
                 own, built_in);
}

// The same, all of it said by the mask: the kernel asks about every pair.
Row documents_by_mask(int length, int document) {
  std::vector<int> ids(length);
  for (int i = 0; i < length; ++i) ids[i] = i / document;
  const auto score = kernels::custom_score(kDecay, [&ids](const ScoreAt& at) {
    return ids[at.query_row] == ids[at.key_row] && at.key <= at.query;
  });
  AttentionProblem own({length}, kHeads, false);
  own.options.score = score.get();
  AttentionProblem built_in(std::vector<int>(length / document, document),
                            kHeads, true);
  return compare("length=" + std::to_string(length) + " documents of " +
                     std::to_string(document) + ", all by the mask",
                 own, built_in);
}

}  // namespace

Bench user_score_bench() {
  return {"user_score", [](int) -> std::vector<Row> {
            return {causal(512), causal(2048), documents(2048, 512, false),
                    documents(2048, 512, true), documents_by_mask(2048, 512)};
          }};
}

}  // namespace fovea::bench
