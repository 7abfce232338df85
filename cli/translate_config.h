#pragma once

#include <string>
#include <vector>

#include "fovea/base/fields.h"
#include "fovea/decode/translator.h"

namespace fovea::cli {

enum class LineFormat { kText, kJson };
constexpr EnumName<LineFormat> kLineFormats[] = {{LineFormat::kText, "text"},
                                                 {LineFormat::kJson, "json"}};
constexpr auto& enum_names(LineFormat) { return kLineFormats; }

// The flags of fovea translate that a file may hold, too.
struct TranslateConfig {
  SearchAllConfig all;
  Precision precision = Precision::kFloat32;
  bool shortlist = false;
  int max_input = 0;
  LineFormat input_format = LineFormat::kText, format = LineFormat::kText;
  std::string alignment;
  bool word_scores = false, with_score = false;
  std::string prefix_file;
  bool replace_unk = false;
  std::string unk_dictionary;

  void fields(auto&& field) {
    field("batch-size", all.batch_size,
          "hypotheses computed together: sentences times the beam");
    field("precision", precision, "of the model's weights: float32, int8");
    field("shortlist", shortlist,
          "only words of the model's shortlist: faster");
    field("max-input", max_input,
          "tokens of a line that is translated whole; longer ones are\n"
          "translated in parts; 0: as many as the model has learnt from,\n"
          "256 at most");
    all.search.fields(field);
    field("input-format", input_format,
          "text, or json: an object on each line, with \"text\" and, if\n"
          "wanted, \"target_prefix\"; its other fields come out again");
    field("format", format, "of the output: text, json");
    field("alignment", alignment,
          "add which source words each word comes from: hard, or a number:\n"
          "links of at least that weight; or soft: all weights");
    field("word-scores", word_scores,
          "add the log-probability of each word and of the end");
    field("with-score", with_score, "add the score");
    field("prefix-file", prefix_file,
          "how translations begin, one line for each line of the input");
    field("replace-unk", replace_unk,
          "put the source word that it looks at most in the place of <unk>");
    field("unk-dictionary", unk_dictionary,
          "the same, but first look here: source word, tab, target word");
  }
};

}  // namespace fovea::cli
