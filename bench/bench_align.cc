// fovea align without a model, both directions, against eflomal: on 100,000
// pairs of Tatoeba, if the variable FOVEA_DATA names a folder that holds them
// as translation/tatoeba-eng-fra/train.tsv.
#include <unistd.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "bench/bench.h"
#include "bench/peak_memory.h"
#include "bench/peer.h"
#include "fovea/base/check.h"
#include "fovea/data/line_file.h"
#include "fovea/io/file_replacement.h"
#include "fovea/io/text_file.h"

namespace fovea::bench {
namespace {

constexpr int64_t kPairs = 100000;

// Files of the two languages, which go with it.
class Text {
 public:
  explicit Text(const std::string& tsv)
      : folder_(std::filesystem::temp_directory_path() /
                ("fovea-bench-align-" + std::to_string(getpid()))) {
    std::filesystem::create_directories(folder_);
    FileReplacement source(file("src")), target(file("tgt"));
    const LineBlock lines(read_text(tsv));
    for (int64_t i = 0; i < kPairs; ++i) {  // from all over: it is sorted
      const std::string_view line = lines[i * lines.size() / kPairs];
      const size_t tab = line.find('\t');
      source.write(std::string(line.substr(0, tab)) + "\n");
      target.write(std::string(line.substr(tab + 1)) + "\n");
    }
    source.commit();
    target.commit();
  }
  ~Text() { std::filesystem::remove_all(folder_); }
  Text(const Text&) = delete;
  Text& operator=(const Text&) = delete;

  std::string file(const std::string& name) const { return folder_ / name; }

 private:
  std::filesystem::path folder_;
};

// The most memory that the command had, in megabytes.
double run_command(const Text& text, int threads) {
  const std::vector<std::string> words = {
      FOVEA_COMMAND,    "-q",    "--threads",      std::to_string(threads),
      "align",          "--src", text.file("src"), "--tgt",
      text.file("tgt"), "-o",    text.file("out")};
  std::string command;
  for (const std::string& word : words) command += word + " ";
  return peak_memory(command);
}

std::vector<Row> run(int threads) {
  const char* data = std::getenv("FOVEA_DATA");
  const std::string tsv = std::string(data == nullptr ? "" : data) +
                          "/translation/tatoeba-eng-fra/train.tsv";
  const bool there = std::filesystem::exists(tsv);
  const double none = std::nan("");
  Row speed{.bench = "align",
            .name = "speed of 100,000 pairs",
            .threads = threads,
            .value = none,
            .unit = "ms"};
  Row memory{.bench = "align",
             .name = "memory of 100,000 pairs",
             .threads = threads,
             .value = none,
             .unit = "MB"};
  if (there && (wanted(speed) || wanted(memory))) {
    const Text text(tsv);
    const nlohmann::json request = {{"source", text.file("src")},
                                    {"target", text.file("tgt")},
                                    {"threads", threads}};
    Peer peer("eflomal", request.dump());
    memory.value = run_command(text, threads);
    speed = against(peer, speed, [&] { run_command(text, threads); });
  }
  return {speed, memory};
}

}  // namespace

Bench align_bench() { return {"align", run, {1}}; }

}  // namespace fovea::bench
