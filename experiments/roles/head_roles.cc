// Which head looks at who, at what was done, and to whom.
#include <algorithm>
#include <array>
#include <fstream>
#include <iostream>
#include <map>

#include "experiments/program.h"
#include "fovea/attend/trace.h"
#include "fovea/base/check.h"
#include "fovea/base/words.h"
#include "fovea/data/batch.h"
#include "fovea/data/pharaoh.h"
#include "fovea/models/folder.h"

namespace fovea {
namespace {

constexpr const char* kUsage =
    "usage: head_roles MODEL TEXT\n"
    "TEXT.src, TEXT.tgt and TEXT.align are of the task roles, MODEL knows "
    "words.\n"
    "Prints LAYER,HEAD,WHO,WHAT,WHOM: in how many of 100 clauses the largest\n"
    "weight is at the word of that role, when the decoder writes it; in the\n"
    "encoder, when the verb is read.\n";

using Roles = std::array<int, 3>;  // who, what, whom

struct Clause {
  std::vector<int> source, target;
  Roles places;
};

std::vector<Clause> read_clauses(const TranslationModel& model,
                                 const std::string& name) {
  std::ifstream source(name + ".src"), target(name + ".tgt"),
      links(name + ".align");
  std::vector<Clause> all;
  std::string text, word, link;
  while (std::getline(source, text) && std::getline(target, word) &&
         std::getline(links, link)) {
    const WordLinks roles = read_pharaoh(link).value_or(WordLinks{});
    check_data(roles.size() == 3, name, ".align: a line without three links");
    Clause clause{model.source.encode(text), model.target.encode(word), {}};
    check_data(clause.source.size() == split_words(text).size(),
               "the model's tokens are not words");
    for (size_t r = 0; r < 3; ++r) clause.places[r] = roles[r].first;
    all.push_back(std::move(clause));
  }
  check_data(!all.empty(), name, ".src: no clauses");
  return all;
}

void count(const Record& record, const Clause& clause,
           std::map<std::pair<std::string, int>, Roles>& counts) {
  const bool encoder = record.about().name.starts_with("encoder");
  const bool cross = record.about().kind == "cross";
  if (!encoder && !cross) return;
  for (int head : record.heads()) {
    const Tensor weights = record.weights(0, head);
    Roles& found = counts[{record.about().name, head}];
    for (int r = 0; r < 3; ++r) {
      const int64_t row = encoder ? clause.places[1] : r;
      const auto all =
          weights.span().subspan(row * weights.cols(), weights.cols());
      const auto largest = std::ranges::max_element(all) - all.begin();
      found[r] += largest == clause.places[r];
    }
  }
}

void run(const std::vector<std::string>& arguments) {
  check_usage(arguments.size() == 2, kUsage);
  const TranslationModel model =
      load_translation_model(arguments[0], Precision::kFloat32);
  const NoGrad none;
  const std::vector<Clause> clauses = read_clauses(model, arguments[1]);
  std::map<std::pair<std::string, int>, Roles> counts;
  for (const Clause& clause : clauses) {
    Trace trace;
    Pass pass;
    pass.trace = &trace;
    const int end = model.model->end();
    const Encoded encoded =
        model.model->encode(with_end({&clause.source, 1}, end), pass);
    model.model->forced(encoded, with_end({&clause.target, 1}, end), pass);
    for (const Record& record : trace.records()) count(record, clause, counts);
  }
  const double share = 100.0 / static_cast<double>(clauses.size());
  for (const auto& [place, found] : counts) {
    std::cout << place.first << "," << place.second;
    for (int role : found) std::cout << "," << share * role;
    std::cout << "\n";
  }
}

}  // namespace
}  // namespace fovea

int main(int argc, char** argv) {
  return fovea::run_program(argc, argv, fovea::run);
}
