// What a choice costs: memory, attention weights asked for, words in int8; and
// what a start costs.
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <string>
#include <vector>

#include "bench/bench.h"
#include "bench/translation_case.h"
#include "fovea/base/check.h"

namespace fovea::bench {
namespace {

constexpr int kWeightsSentences = 500;
constexpr auto kFloat32 = Precision::kFloat32, kInt8 = Precision::kInt8;

// Of the program that does nothing but translate: this one holds yardsticks.
// Megabytes, as the "memory" request of the peer: the most that was resident
// while it translated, beyond what was before the model came.
double our_megabytes(const TranslationSet& set, const TranslationCase& c) {
  const std::string command =
      std::string(FOVEA_MEMORY_PROGRAM) + " '" + set.folder + "' '" + set.data +
      "test_2016_flickr.en' " + (c.precision == kInt8 ? "int8 " : "float32 ") +
      std::to_string(c.beam);
  std::FILE* answer = popen(command.c_str(), "r");
  check(answer != nullptr, "cannot start ", FOVEA_MEMORY_PROGRAM);
  double megabytes = 0;
  const int read = std::fscanf(answer, "%lf", &megabytes);
  check(pclose(answer) == 0 && read == 1, "no answer of ",
        FOVEA_MEMORY_PROGRAM);
  return megabytes;
}

std::vector<Row> memory(int threads) {
  const auto set = translation_set();
  std::vector<Row> rows;
  for (const TranslationCase& c : translation_cases(64, 1000)) {
    Row row = unmeasured("translate_memory", c.name(), threads, "MB");
    if (set && wanted(row)) {
      Peer peer = ctranslate2(*set, c, threads);
      row.value = our_megabytes(*set, c);
      row.peer = peer.name();
      if (peer.present()) {
        row.peer_value = megabytes_of(peer);
        row.ratio = row.peer_value / row.value;
      }
    }
    rows.push_back(row);
  }
  return rows;
}

std::vector<Row> weights(int threads) {
  const auto set = translation_set();
  std::vector<Row> rows;
  for (Precision precision : {kFloat32, kInt8}) {
    TranslationCase c{.precision = precision, .sentences = kWeightsSentences};
    Row row = unmeasured("translate_weights", c.name(), threads, "ms");
    if (set && wanted(row)) {
      Translation without(*set, c);
      c.want_weights = true;
      Translation with(*set, c);
      row = against(
          "no weights", row, [&] { with.run(); }, [&] { without.run(); });
    }
    rows.push_back(row);
  }
  return rows;
}

std::vector<Row> bleu_lost(int threads) {
  // On the test alone chance moves the difference by 0.4.
  auto set = translation_set();
  if (set) add_text(*set, "val");
  std::vector<Row> rows;
  for (int beam : {1, 4}) {
    TranslationCase c{.precision = kInt8, .beam = beam};
    const auto bleu = [&](Precision precision) {
      c.precision = precision;
      c.sentences = static_cast<int>(set->source.size());
      Translation ours(*set, c);
      ours.run();
      return bleu_of(*set, ours.text(ours.outputs()));
    };
    Row row = unmeasured("translate_bleu", c.name() + ", test and validation",
                         threads, "lost");
    if (set && wanted(row)) {
      const double of_float32 = bleu(kFloat32), of_int8 = bleu(kInt8);
      std::cerr << "bench: BLEU " << of_float32 << " in float32, " << of_int8
                << " in int8\n";
      row.value = of_float32 - of_int8;
    }
    rows.push_back(row);
  }
  return rows;
}

// A new process up to the translation of a word by the model in the box.
std::vector<Row> start(int threads) {
  Row row = unmeasured("translate_start", "model in the box", threads, "ms");
  if (wanted(row)) {
    const auto work = [] {
      check(std::system("echo Hello | " FOVEA_COMMAND
                        " --threads 1 translate > /dev/null") == 0,
            FOVEA_COMMAND, " does not translate");
    };
    row.value = 1e3 * best_of(work, [] {}).ours;
  }
  return {row};
}

}  // namespace

Bench translate_start_bench() { return {"translate_start", start, {1}}; }
Bench translate_memory_bench() { return {"translate_memory", memory, {1}}; }
Bench translate_weights_bench() { return {"translate_weights", weights, {1}}; }
Bench translate_bleu_bench() { return {"translate_bleu", bleu_lost, {2}}; }

}  // namespace fovea::bench
