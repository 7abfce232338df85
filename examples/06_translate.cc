// Translates sentences. The model is the one in the box, or the folder named.
#include <iostream>
#include <string>
#include <vector>

#include "fovea/decode/translator.h"

int main(int argc, char** argv) {
  using namespace fovea;
  const auto translator = Translator::load({argc > 1 ? argv[1] : "box"});
  const std::vector<TranslateRequest> requests = {
      {.text = "Where is the station?"},
      {.text = "I would like a cup of coffee.", .number = 1}};
  for (const auto& best : translator.translate(requests)) {
    std::cout << best.front().text << "\n";
  }
}
