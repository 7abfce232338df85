// How long a training run takes to its first batch, and how fast text becomes
// ids: on Multi30k, if the variable FOVEA_DATA names a folder that holds it as
// translation/multi30k/tok.
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "bench/bench.h"
#include "fovea/base/log.h"
#include "fovea/base/parallel.h"
#include "fovea/data/batch_stream.h"
#include "fovea/data/check.h"
#include "fovea/data/tokenizer.h"
#include "fovea/io/text_file.h"

namespace fovea::bench {
namespace {

struct Paths {
  std::string source, target;
};

Paths multi30k() {
  const char* data = std::getenv("FOVEA_DATA");
  const std::string folder = std::string(data == nullptr ? "" : data) +
                             "/translation/multi30k/tok/train.lc.norm.tok.";
  return {folder + "en", folder + "de"};
}

double seconds_of(const Work& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  const std::chrono::duration<double> taken =
      std::chrono::steady_clock::now() - start;
  return taken.count();
}

Tokenizer joint_vocabulary(const Paths& paths, TextUnit unit) {
  return Tokenizer::train(
      {.unit = unit, .vocab_size = 8000}, [&](const auto& line) {
        for (const auto* path : {&paths.source, &paths.target}) {
          LineReader reader(*path);
          while (const auto text = reader.next()) {
            line(*text);
          }
        }
      });
}

// What `train` does before its first step.
void start_up(const Paths& paths, TextUnit unit) {
  const CheckReport report =
      check_corpus({.src = {paths.source}, .tgt = {paths.target}});
  const Tokenizer tokenizer = joint_vocabulary(paths, unit);
  const Corpus corpus = Corpus::of_pairs(
      {.src = {paths.source}, .tgt = {paths.target}, .skip = report.skip},
      tokenizer, tokenizer);
  BatchStream(corpus).next();
}

double lines_a_second(const Paths& paths, TextUnit unit) {
  const Tokenizer tokenizer = joint_vocabulary(paths, unit);
  const CorpusConfig config = {.src = {paths.source}, .tgt = {paths.target}};
  int64_t lines = 0;
  const double seconds = seconds_of([&] {
    lines = 2 * Corpus::of_pairs(config, tokenizer, tokenizer).size().lines;
  });
  return static_cast<double>(lines) / seconds;
}

std::vector<Row> run(int threads) {
  const ThreadLimit limit(threads);
  const Paths paths = multi30k();
  const bool there = std::filesystem::exists(paths.source) &&
                     std::filesystem::exists(paths.target);
  const LogLevel level = log_level();
  set_log_level(LogLevel::kWarning);
  const double none = std::nan("");
  std::vector<Row> rows;
  for (const auto& [unit, name] : kTextUnits) {
    Row start{.bench = "data",
              .name = std::string("start-up ") + name,
              .threads = threads,
              .value = none,
              .unit = "s"};
    Row tokenize{.bench = "data",
                 .name = std::string("tokenize ") + name,
                 .threads = threads,
                 .value = none,
                 .unit = "lines/s"};
    if (there && wanted(start)) {
      const TextUnit chosen = unit;
      start.value = seconds_of([&] { start_up(paths, chosen); });
    }
    if (there && wanted(tokenize)) {
      tokenize.value = lines_a_second(paths, unit);
    }
    rows.push_back(start);
    rows.push_back(tokenize);
  }
  set_log_level(level);
  return rows;
}

}  // namespace

Bench data_bench() { return {"data", run}; }

}  // namespace fovea::bench
