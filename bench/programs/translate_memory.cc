// translate_memory MODEL TEXT PRECISION BEAM
//
// Translates a text in batches of 64 on one thread and prints the megabytes
// that were resident then, at most, beyond those before the model was loaded.
#include <fstream>
#include <iostream>
#include <string>
#include <vector>

#include "fovea/base/check.h"
#include "fovea/base/parallel.h"
#include "fovea/decode/search_all.h"
#include "fovea/io/text_file.h"
#include "fovea/models/folder.h"

namespace fovea::bench {
namespace {

// A line of /proc/self/status: "VmHWM:     1234 kB".
double megabytes(const std::string& name) {
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;) {
    double kilobytes = 0;
    if (word == name + ":" && status >> kilobytes) return kilobytes / 1024;
  }
  fail(ErrorKind::kRun, "no ", name, " in /proc/self/status");
}

void forget_peak() { std::ofstream("/proc/self/clear_refs") << "5"; }

int run(const std::vector<std::string>& arguments) {
  check_usage(arguments.size() == 4, "give MODEL TEXT PRECISION BEAM");
  set_thread_limit(1);
  const double before = megabytes("VmRSS");
  const TranslationModel m = load_translation_model(
      arguments[0],
      arguments[2] == "int8" ? Precision::kInt8 : Precision::kFloat32);
  std::vector<std::vector<int>> ids;
  LineReader reader(arguments[1]);
  while (const auto line = reader.next()) ids.push_back(m.source.encode(*line));
  forget_peak();
  const Seq2Seq* models[] = {m.model.get()};
  search_all(models, sources_of(ids),
             {.search = {.beam_size = std::stoi(arguments[3]),
                         .length_penalty = 1.0f}});
  std::cout << megabytes("VmHWM") - before << "\n";
  return 0;
}

}  // namespace
}  // namespace fovea::bench

int main(int argc, char** argv) {
  try {
    return fovea::bench::run({argv + 1, argv + argc});
  } catch (const std::exception& error) {
    std::cerr << "translate_memory: " << error.what() << "\n";
    return 1;
  }
}
