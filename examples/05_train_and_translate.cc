// Trains a small translator on a few sentences and asks it.
#include <iostream>
#include <string>
#include <vector>

#include "fovea/data/tokenizer.h"
#include "fovea/decode/search.h"
#include "fovea/decode/search_all.h"
#include "fovea/models/presets.h"
#include "fovea/models/seq2seq.h"
#include "fovea/train/optimizer.h"

int main() {
  using namespace fovea;
  const std::vector<std::string> english = {"a dog runs", "a cat sleeps",
                                            "the dog sleeps", "the cat runs"};
  const std::vector<std::string> french = {"un chien court", "un chat dort",
                                           "le chien dort", "le chat court"};

  // One vocabulary of words for both languages.
  TokenizerConfig words;
  words.unit = TextUnit::kWords;
  const Tokenizer text = Tokenizer::train(words, [&](const auto& give) {
    for (const std::string& line : english) give(line);
    for (const std::string& line : french) give(line);
  });
  std::vector<Example> examples;
  for (size_t i = 0; i < english.size(); ++i) {
    examples.push_back(
        {.source = text.encode(english[i]), .target = text.encode(french[i])});
  }
  const Batch batch =
      make_batch(examples, {.source = text.end(), .target = text.end()});

  ModelConfig config = preset("transformer-mini");
  config.vocabulary = {.source = text.size(),
                       .target = text.size(),
                       .begin = text.begin(),
                       .end = text.end()};
  Seq2Seq model(config, RandomKey(1));
  const Params params(model);
  Optimizer optimizer({}, params);
  for (int step = 1; step <= 100; ++step) {
    const Pass pass{.training = true, .key = RandomKey(step)};
    model.loss(batch, {}, pass).total.backward();
    optimizer.step(step, 3e-3f, optimizer.gradient_norm());
  }

  params.prepare(Precision::kFloat32);
  const std::vector<std::vector<int>> source = {text.encode("the dog runs")};
  const Seq2Seq* models[] = {&model};
  const auto found = search(models, sources_of(source), {.beam_size = 4});
  std::cout << "the dog runs -> " << text.decode(found[0][0].ids) << "\n";
}
