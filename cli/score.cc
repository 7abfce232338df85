// fovea score: what a model thinks of given translations.
#include <algorithm>
#include <cmath>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "cli/alignment_format.h"
#include "cli/command.h"
#include "cli/flags.h"
#include "cli/model_flags.h"
#include "cli/pair_reader.h"
#include "cli/read_ahead.h"
#include "cli/translate_config.h"
#include "fovea/base/check.h"
#include "fovea/base/log.h"
#include "fovea/base/words.h"
#include "fovea/serve/translation_json.h"

namespace fovea::cli {
namespace {

struct ScoreConfig {
  SearchAllConfig all;
  Precision precision = Precision::kFloat32;
  bool shortlist = false;
  LineFormat format = LineFormat::kText;
  std::string src, tgt;
  std::string alignment;
  bool word_scores = false;

  void fields(auto&& field) {
    field("src", src, "file of source lines");
    field("tgt", tgt, "file of their translations, line by line");
    field("batch-size", all.batch_size, "pairs computed together");
    field("precision", precision, "of the model's weights: float32, int8");
    field("shortlist", shortlist,
          "only words of the model's shortlist have a probability");
    field("length-penalty", all.search.length_penalty,
          "scores are divided by ((5 + length) / 6) to this power");
    field("coverage-penalty", all.search.coverage_penalty,
          "weight of what source words lack of one whole attention");
    field("format", format, "of the output: text, json");
    field("alignment", alignment,
          "add which source words each word comes from: hard, or a number:\n"
          "links of at least that weight; or soft: all weights");
    field("word-scores", word_scores,
          "add the log-probability of each word and of the end");
  }
};

constexpr size_t kMostPairs = 2048;

std::string text_line(const ScoreConfig& config, const AlignmentFormat& format,
                      const ScoreRequest& pair, const Translation& t) {
  std::string line = join(t.log_probability);
  if (format.wanted()) {
    line += " ||| " + alignment_text(format, align_words(pair.source, t));
  }
  if (config.word_scores) {
    line += " ||| WordScores= " + scores_text(score_words(t));
  }
  return line;
}

std::string json_line(const ScoreConfig& config, const AlignmentFormat& format,
                      const ScoreRequest& pair, const Translation& t) {
  nlohmann::ordered_json object = {
      {"source", pair.source},
      {"target", pair.target},
      {"log_probability", rounded(t.log_probability)},
      {"score", rounded(t.score)},
      {"tokens", t.parts.front().log_probabilities.size()}};
  if (config.word_scores)
    object["word_scores"] = word_scores_json(score_words(t));
  if (format.wanted()) {
    object["alignment"] = alignment_json(format, align_words(pair.source, t),
                                         pair.source, t.text);
  }
  return object.dump();
}

bool is_nothing(const ScoreRequest& pair) {
  return is_blank(pair.source) && is_blank(pair.target);
}

struct ScoreFlags {
  ModelFlags models;
  std::string input = "-";
  std::vector<int> heads;
  bool precision_given = false;
};

void score_all(const ScoreFlags& f, ScoreConfig config) {
  const AlignmentFormat format = AlignmentFormat::parse(config.alignment);
  config.all.search.want_weights = format.wanted();
  config.all.search.heads = f.heads;
  check_search_config(config.all.search);
  PairReader pairs({config.src, config.tgt, f.input});
  const Translator translator =
      Translator::load(f.models.folders(), config.precision);
  if (f.precision_given && config.precision == Precision::kFloat32) {
    f.models.warn_of_precision(translator);
  }
  double sum = 0;
  int64_t tokens = 0;
  ReadAhead<ScoreRequest> ahead;
  const auto more = [&](const std::vector<ScoreRequest>& some) {
    return some.size() < kMostPairs && (some.empty() || pairs.ready());
  };
  for (;;) {
    const std::vector<ScoreRequest> some =
        ahead.next(more, [&] { return pairs.next(); });
    if (some.empty()) break;
    const std::vector<Translation> scored =
        translator.score(some, config.all, config.shortlist);
    for (size_t i = 0; i < some.size(); ++i) {
      if (is_nothing(some[i])) {
        std::cout << "\n";
        continue;
      }
      sum += scored[i].log_probability;
      tokens += std::ssize(scored[i].parts.front().log_probabilities);
      std::cout << (config.format == LineFormat::kJson
                        ? json_line(config, format, some[i], scored[i])
                        : text_line(config, format, some[i], scored[i]))
                << "\n";
    }
    std::cout << std::flush;
  }
  log_info("perplexity ",
           std::exp(-sum / static_cast<double>(std::max<int64_t>(1, tokens))),
           " of ", tokens, " tokens, end marks included");
}

}  // namespace

Run score(CLI::App& app) {
  auto f = std::make_shared<ScoreFlags>();
  auto config = std::make_shared<ScoreConfig>();
  f->models.declare(app);
  app.add_option("INPUT", f->input,
                 "lines of source, tab or |||, translation, if there is no\n"
                 "--src; -: standard input")
      ->type_name("");
  declare_heads(app, f->heads);
  auto flags = std::make_shared<ConfigFlags>(app, fields_of(*config));
  return [=] {
    flags->resolve();
    f->precision_given = flags->given("precision");
    score_all(*f, *config);
  };
}

}  // namespace fovea::cli
