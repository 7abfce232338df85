// An explanation of a sentence of 20 words by a Transformer of 6+6 layers, all
// heads: computed, written as a page with all views; and a map of 200 x 200
// tokens as a picture.
#include <string>
#include <vector>

#include "bench/bench.h"
#include "bench/translation_case.h"
#include "fovea/base/check.h"
#include "fovea/decode/translator.h"
#include "fovea/explain/explanation.h"
#include "fovea/explain/page.h"
#include "fovea/explain/render_svg.h"
#include "fovea/models/presets.h"

namespace fovea::bench {
namespace {

constexpr int kWords = 8000;

std::string words(int count, int first) {
  std::string text;
  for (int i = 0; i < count; ++i) {
    text += join("w", (first + 37 * i) % kWords, " ");
  }
  return text;
}

// A model with random weights, for words w0, w1 ...
Translator random_translator() {
  const Tokenizer tokenizer =
      Tokenizer::train({.unit = TextUnit::kWords, .vocab_size = kWords},
                       [](const auto& line) { line(words(kWords, 0)); });
  FolderConfig config;
  config.model = preset("transformer-medium");
  config.model.vocabulary = {.source = tokenizer.size(),
                             .target = tokenizer.size(),
                             .begin = tokenizer.begin(),
                             .end = tokenizer.end()};
  auto model = std::make_unique<Seq2Seq>(config.model, RandomKey(1));
  Params(*model).prepare(Precision::kFloat32);
  std::vector<TranslationModel> all;
  all.push_back({config, tokenizer, tokenizer, std::move(model)});
  return Translator(std::move(all));
}

Row page_of_a_sentence(Row row) {
  const Translator translator = random_translator();
  const std::string source = words(20, 1), target = words(20, 2);
  const auto work = [&] {
    const fovea::Translation t = translator.score({{{source, target}}}).front();
    explain_page(explanation_json(
        explain_translation(translator.model(), source, t, {.vectors = true})));
  };
  row.value = 1e3 * best_of(work, [] {}).ours;
  return row;
}

Row large_picture(Row row) {
  constexpr int kTokens = 200;
  Tensor weights({kTokens, kTokens});
  std::vector<std::string> labels;
  for (int i = 0; i < kTokens; ++i) {
    labels.push_back(join("w", i));
    for (int j = 0; j < kTokens; ++j) {
      weights[i * kTokens + j] = static_cast<float>((i * j) % 97) / 97;
    }
  }
  const Heatmap map = heatmap_of_weights(weights, labels, labels);
  row.value = 1e3 * best_of([&] { render_svg(map); }, [] {}).ours;
  return row;
}

std::vector<Row> explain(int threads) {
  Row page =
      unmeasured("explain", "page of 20 words, 6+6 layers", threads, "ms");
  Row picture = unmeasured("explain", "picture of 200 x 200", threads, "ms");
  if (wanted(page)) page = page_of_a_sentence(page);
  if (wanted(picture)) picture = large_picture(picture);
  return {page, picture};
}

}  // namespace

Bench explain_bench() { return {"explain", explain, {1}}; }

}  // namespace fovea::bench
