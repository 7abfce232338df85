// Runs benches and prints what they measured; see script/bench --help.
#include <fnmatch.h>

#include <algorithm>
#include <cstdio>
#include <iostream>
#include <string>
#include <vector>

#include "bench/bars.h"
#include "bench/bench.h"
#include "bench/report.h"
#include "fovea/base/check.h"
#include "fovea/base/nearest.h"
#include "fovea/base/parallel.h"

namespace fovea::bench {

// A family goes into its own file, bench_*.cc, and here.
const std::vector<Bench>& all_benches() {
  static const std::vector<Bench> benches = {
      gemm_bench(),
      packed_gemm_bench(),
      packed_int8_bench(),
      packed_row_bandwidth_bench(),
      packed_row_onednn_bench(),
      packed_row_int8_bench(),
      residual_norm_bench(),
      cross_entropy_bench(),
      adam_bench(),
      conv_bench(),
      recurrent_bench(),
      rnn_training_bench(),
      attention_forward_bench(),
      attention_training_bench(),
      attention_short_bench(),
      attention_memory_bench(),
      attention_block_bench(),
      attention_trace_bench(),
      user_score_bench(),
      sparse_attention_bench(),
      additive_bench(),
      data_bench(),
      align_bench(),
      align_neural_bench(),
      evaluate_bench(),
      explain_bench(),
      training_bench(),
      training_torch_bench(),
      translate_bench(),
      translate_latency_bench(),
      translate_shortlist_bench(),
      translate_start_bench(),
      translate_memory_bench(),
      translate_weights_bench(),
      translate_bleu_bench(),
      rnn_decoding_bench(),
      serve_bench(),
  };
  return benches;
}

namespace {

constexpr int kUsageCode = 3;  // 1 and 2 say how the bars were met
constexpr int kMoreTries = 2;  // for a row that fails

struct Flags {
  bool json = false, check = false, list = false;
  std::vector<std::string> names;
};

Flags parse(int argc, char** argv) {
  Flags flags;
  std::vector<std::string> known;
  for (const Bench& bench : all_benches()) known.push_back(bench.name);
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    if (word == "--json") {
      flags.json = true;
    } else if (word == "--check") {
      flags.check = true;
    } else if (word == "--list") {
      flags.list = true;
    } else {
      check_usage(!word.starts_with("-"), "unknown flag '", word,
                  "'; there are --json, --check and --list");
      const auto is_it = [&](const std::string& name) {
        return fnmatch(word.c_str(), name.c_str(), 0) == 0;
      };
      check_usage(std::any_of(known.begin(), known.end(), is_it),
                  "no bench is named '", word, "'", did_you_mean(word, known),
                  "; --list shows all");
      flags.names.push_back(word);
    }
  }
  return flags;
}

bool chosen(const Flags& flags, const Bench& bench) {
  const auto& names = flags.names;
  return names.empty() ||
         std::any_of(names.begin(), names.end(), [&](const std::string& n) {
           return fnmatch(n.c_str(), bench.name.c_str(), 0) == 0;
         });
}

bool fails(const Verdict& v) { return v.ok.has_value() && !*v.ok; }

// The rows of a family, with those that miss their bar measured again.
std::vector<Row> measure(const Bench& bench, int threads,
                         const std::vector<Bar>& bars) {
  ThreadLimit limit(threads);
  std::vector<Row> rows = bench.run(threads);
  for (int i = 0; i < kMoreTries; ++i) {
    std::vector<Verdict> verdicts = judge(rows, bars);
    std::erase_if(verdicts, [](const Verdict& v) { return !fails(v); });
    if (verdicts.empty()) break;
    std::cerr << "bench: " << verdicts.size() << " of " << bench.name
              << " below the bar; measuring again\n";
    const bool mean_fails =
        std::any_of(verdicts.begin(), verdicts.end(),
                    [](const Verdict& v) { return v.row.unit == "ratio"; });
    MeasureOnly only([&](const Row& row) {
      return mean_fails || std::any_of(verdicts.begin(), verdicts.end(),
                                       [&](const Verdict& v) {
                                         return same_case(v.row, row);
                                       });
    });
    std::vector<Row> again = bench.run(threads);
    std::erase_if(again, [](const Row& row) { return !wanted(row); });
    keep_better(rows, again);
  }
  return rows;
}

void print(const Flags& flags, const std::vector<Verdict>& verdicts) {
  for (const Verdict& v : verdicts) {
    if (flags.check && !v.need) continue;
    std::cout << (flags.json || flags.check ? json_line(v) : table_line(v))
              << std::endl;
  }
}

void summarise(const std::vector<Verdict>& verdicts) {
  int bars = 0, reached = 0, unknown = 0;
  for (const Verdict& v : verdicts) {
    bars += v.need.has_value();
    reached += v.ok.value_or(false);
    unknown += v.need && !v.ok;
  }
  std::cerr << "bench: " << reached << " of " << bars << " bars reached, "
            << bars - reached - unknown << " missed, " << unknown
            << " not measured\n";
}

int run(const Flags& flags) {
  if (flags.list) {
    for (const Bench& bench : all_benches()) std::cout << bench.name << "\n";
    return 0;
  }
  const std::vector<Bar> bars = read_bars(FOVEA_BARS);
  if (!flags.json && !flags.check) std::cout << table_heading() << std::endl;
  std::vector<Row> rows;
  std::vector<Verdict> verdicts;
  const auto add = [&](const std::vector<Verdict>& some) {
    print(flags, some);
    verdicts.insert(verdicts.end(), some.begin(), some.end());
  };
  for (const Bench& bench : all_benches()) {
    if (!chosen(flags, bench)) continue;
    for (int threads : bench.threads) {
      std::cerr << "bench: " << bench.name << ", threads: " << threads << "\n";
      const std::vector<Row> some = measure(bench, threads, bars);
      rows.insert(rows.end(), some.begin(), some.end());
      add(judge(some, bars));
    }
  }
  if (flags.names.empty()) add(unmet(rows, bars));
  summarise(verdicts);
  return flags.check ? exit_code(verdicts) : 0;
}

}  // namespace
}  // namespace fovea::bench

int main(int argc, char** argv) {
  try {
    return fovea::bench::run(fovea::bench::parse(argc, argv));
  } catch (const std::exception& error) {
    std::cerr << "bench: " << error.what() << "\n";
    return fovea::bench::kUsageCode;
  }
}
