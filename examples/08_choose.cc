// Which of two translations does the model think better?
#include <iostream>
#include <vector>

#include "fovea/decode/translator.h"

int main(int argc, char** argv) {
  using namespace fovea;
  const auto translator = Translator::load({argc > 1 ? argv[1] : "box"});
  const std::vector<ScoreRequest> pairs = {
      {.source = "The dog is sleeping.", .target = "Le chien dort."},
      {.source = "The dog is sleeping.", .target = "Le chat mange."}};
  const std::vector<Translation> said = translator.score(pairs);
  for (size_t i = 0; i < pairs.size(); ++i) {
    std::cout << said[i].log_probability << "  " << pairs[i].target << "\n";
  }
  return said[0].log_probability > said[1].log_probability ? 0 : 1;
}
