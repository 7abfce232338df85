// An explanation of a sentence of 20 words by a Transformer of 6+6 layers, all
// heads: computed, written as a page with all views; and all views of a text of
// 200 x 200 tokens.
#include <optional>
#include <string>
#include <vector>

#include "bench/bench.h"
#include "bench/translation_case.h"
#include "fovea/base/check.h"
#include "fovea/decode/translator.h"
#include "fovea/explain/explanation.h"
#include "fovea/explain/page.h"
#include "fovea/explain/render_png.h"
#include "fovea/explain/render_view.h"
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

// Each view of a text of 200 x 200 tokens, as SVG and as PNG from the start;
// and the page.
class LongText {
 public:
  static constexpr int kTokens = 200;

  Row view(Row row, View view, bool png) {
    const auto work = [&] {
      const std::string svg =
          render_view_svg(explanation(), view, {}, {.theme = SvgTheme::kLight});
      if (png) render_png(svg);
    };
    return timed(row, work);
  }
  Row page(Row row) {
    return timed(row, [&] { explain_page(explanation_json(explanation())); });
  }

 private:
  static Row timed(Row row, const Work& work) {
    row.value = 1e3 * best_of(
                          work, [] {}, 3)
                          .ours;
    return row;
  }
  const Explanation& explanation() {
    if (!explanation_) {
      const std::string source = words(kTokens, 1), target = words(kTokens, 2);
      const Translator translator = random_translator();
      const fovea::Translation t =
          translator.score({{{source, target}}}).front();
      explanation_ =
          explain_translation(translator.model(), source, t, {.vectors = true});
    }
    return *explanation_;
  }

  std::optional<Explanation> explanation_;
};

std::vector<Row> explain(int threads) {
  const auto row = [&](const std::string& name) {
    return unmeasured("explain", name, threads, "ms");
  };
  std::vector<Row> rows = {row("page of 20 words, 6+6 layers")};
  if (wanted(rows.back())) rows.back() = page_of_a_sentence(rows.back());
  LongText text;
  for (const auto& [view, name] : kViews) {
    if (view == View::kGates) continue;  // which this model has not
    for (const bool png : {false, true}) {
      rows.push_back(row(join("200 x 200: ", name, png ? ", PNG" : ", SVG")));
      if (wanted(rows.back())) rows.back() = text.view(rows.back(), view, png);
    }
  }
  rows.push_back(row("200 x 200: page"));
  if (wanted(rows.back())) rows.back() = text.page(rows.back());
  return rows;
}

}  // namespace

Bench explain_bench() { return {"explain", explain, {1}}; }

}  // namespace fovea::bench
