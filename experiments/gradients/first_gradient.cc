// How much of the loss of a word arrives at the first word of its source.
#include <cmath>
#include <iostream>
#include <string>
#include <vector>

#include "experiments/program.h"
#include "fovea/autograd/cross_entropy.h"
#include "fovea/base/check.h"
#include "fovea/data/synthetic.h"
#include "fovea/models/checkpoint.h"
#include "fovea/models/folder.h"

namespace fovea {
namespace {

constexpr const char* kUsage =
    "usage: first_gradient MODEL initial|trained SEED DELAY...\n"
    "Prints DELAY,NORM: the length of the gradient of -log p(letter) by the\n"
    "embedding of the letter, the first of DELAY + 1 source words of the task\n"
    "recall; the geometric mean of 50 sources. 'initial' draws new "
    "parameters.\n";
constexpr int kSources = 50;

struct Texts {
  Tokenizer source, target;
};

Ids ids_of(std::vector<int> ids) {
  const int length = static_cast<int>(ids.size());
  return {std::move(ids), Segments::from_lengths(std::vector<int>{length})};
}

Var source_table(Seq2Seq& model) {
  const Params params(model);
  for (const auto& p : params.parameters()) {
    if (p.name.starts_with("source.")) return *p.value;
  }
  fail(ErrorKind::kRun, "first_gradient: no source embedding");
}

// The letter is nowhere else in the source, so its row of the table has the
// gradient of the first place alone.
double first_norm(const Seq2Seq& model, const Var& table, const Texts& texts,
                  const SyntheticPair& pair) {
  std::vector<int> source = texts.source.encode(pair.source);
  const std::vector<int> gold = texts.target.encode(pair.target);
  const int letter = source.front();
  source.push_back(texts.source.end());
  const Pass pass;
  const Forced forced =
      model.forced(model.encode(ids_of(source), pass), ids_of(gold), pass);
  cross_entropy(model.readout(forced.hidden), gold).loss.backward();
  double sum = 0;
  const Tensor row = table.grad().row_range(letter, letter + 1);
  for (float g : row.span()) sum += static_cast<double>(g) * g;
  table.clear_grad();
  return std::sqrt(sum);
}

double mean_norm(const Seq2Seq& model, const Var& table, const Texts& texts,
                 int delay) {
  const SyntheticConfig config{.part = SyntheticPart::kTest, .delay = delay};
  double logs = 0;
  for (int i = 0; i < kSources; ++i) {
    const SyntheticPair pair =
        make_synthetic(SyntheticTask::kRecall, config, i);
    logs += std::log(first_norm(model, table, texts, pair));
  }
  return std::exp(logs / kSources);
}

void run(const std::vector<std::string>& arguments) {
  check_usage(arguments.size() >= 4, kUsage);
  const std::string& folder = arguments[0];
  const TranslationModel loaded =
      load_translation_model(folder, Precision::kFloat32);
  const Texts texts{loaded.source, loaded.target};
  Seq2Seq model(loaded.config.model, RandomKey(std::stoi(arguments[2])));
  if (arguments[1] == "trained") {
    load_parameters(weights_file(folder), Params(model));
  }
  const Var table = source_table(model);
  for (size_t i = 3; i < arguments.size(); ++i) {
    std::cout << arguments[i] << ","
              << mean_norm(model, table, texts, std::stoi(arguments[i]))
              << "\n";
  }
}

}  // namespace
}  // namespace fovea

int main(int argc, char** argv) {
  return fovea::run_program(argc, argv, fovea::run);
}
