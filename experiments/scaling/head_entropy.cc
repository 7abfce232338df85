// How spread the weights of each layer's heads are.
#include <algorithm>
#include <cmath>
#include <fstream>
#include <iostream>
#include <map>

#include "experiments/program.h"
#include "fovea/attend/trace.h"
#include "fovea/base/check.h"
#include "fovea/data/batch.h"
#include "fovea/explain/head_statistics.h"
#include "fovea/models/folder.h"

namespace fovea {
namespace {

constexpr const char* kUsage =
    "usage: head_entropy MODEL TEXT\n"
    "Reads TEXT.src and TEXT.tgt with MODEL. Prints LAYER,ENTROPY,UNIFORM,\n"
    "LARGEST: means over heads and queries of the weights' entropy (natural\n"
    "logarithm), of what it were if all keys that the query sees had the same\n"
    "weight, and of the largest weight.\n";

struct Sums {
  double entropy = 0, uniform = 0, largest = 0, queries = 0;
};

// The mean over queries of the logarithm of the number of keys they see.
double uniform_entropy(const Record& record) {
  const int queries = record.queries(0), keys = record.keys(0);
  const std::vector<bool> valid = record.valid(0);
  double sum = 0;
  for (int i = 0; i < queries; ++i) {
    const auto row = valid.begin() + int64_t{i} * keys;
    sum += std::log(static_cast<double>(std::count(row, row + keys, true)));
  }
  return sum / queries;
}

void add(const Record& record, Sums& sums) {
  const double queries = record.queries(0), uniform = uniform_entropy(record);
  for (int head : record.heads()) {
    const HeadStatistics of = head_statistics(record.weights(0, head));
    sums.entropy += queries * of.entropy;
    sums.uniform += queries * uniform;
    sums.largest += queries * of.largest;
    sums.queries += queries;
  }
}

void run(const std::vector<std::string>& arguments) {
  check_usage(arguments.size() == 2, kUsage);
  const TranslationModel model =
      load_translation_model(arguments[0], Precision::kFloat32);
  const NoGrad none;
  std::ifstream source(arguments[1] + ".src"), target(arguments[1] + ".tgt");
  std::map<std::string, Sums> layers;
  std::string from, to;
  while (std::getline(source, from) && std::getline(target, to)) {
    Trace trace;
    Pass pass;
    pass.trace = &trace;
    const int end = model.model->end();
    const std::vector<int> read = model.source.encode(from),
                           written = model.target.encode(to);
    const Encoded encoded =
        model.model->encode(with_end({&read, 1}, end), pass);
    model.model->forced(encoded, with_end({&written, 1}, end), pass);
    for (const Record& record : trace.records()) {
      add(record, layers[record.about().name]);
    }
  }
  check_data(!layers.empty(), arguments[1], ".src: no lines");
  for (const auto& [name, sums] : layers) {
    std::cout << name << "," << sums.entropy / sums.queries << ","
              << sums.uniform / sums.queries << ","
              << sums.largest / sums.queries << "\n";
  }
}

}  // namespace
}  // namespace fovea

int main(int argc, char** argv) {
  return fovea::run_program(argc, argv, fovea::run);
}
