// Which word comes from which: a translation with its score and alignment.
#include <iostream>
#include <string>

#include "fovea/decode/translator.h"
#include "fovea/decode/word_alignment.h"

int main(int argc, char** argv) {
  using namespace fovea;
  const auto translator = Translator::load({argc > 1 ? argv[1] : "box"});
  TranslateOptions options;
  options.all.search.beam_size = 4;
  options.all.search.want_weights = true;
  const std::string text = "She has a red car.";
  const Translation t = translator.translate({{{text}}}, options)[0][0];
  std::cout << text << "\n" << t.text << "\nscore " << t.score << "\n";

  const WordAlignment words = align_words(text, t);
  for (const auto& [source, target] : strongest_links(words)) {
    std::cout << words.target[target].of(t.text) << " <- "
              << words.source[source].of(text) << "\n";
  }
}
