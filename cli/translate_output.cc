#include "cli/translate_output.h"

#include <algorithm>

#include "fovea/base/check.h"
#include "fovea/serve/translation_json.h"

namespace fovea::cli {
namespace {

using nlohmann::ordered_json;

std::string text_line(const OutputStyle& style, const std::string& source,
                      const Translation& t) {
  // A JSON text may have lines, and a long one keeps what is between its parts.
  std::string line = t.text;
  std::replace(line.begin(), line.end(), '\n', ' ');
  if (style.alignment.wanted()) {
    line += " ||| " + alignment_text(style.alignment, align_words(source, t));
  }
  if (style.word_scores) {
    line += " ||| WordScores= " + scores_text(score_words(t));
  }
  if (style.n_best) {
    line += join(" ||| F0= ", t.log_probability, " ||| ", t.score);
  } else if (style.with_score) {
    line += join(" ||| ", t.score);
  }
  return line + "\n";
}

// Adds the fields of a translation.
void add_fields(ordered_json& object, const OutputStyle& style,
                const std::string& source, const Translation& t) {
  object["translation"] = t.text;
  object["score"] = rounded(t.score);
  object["log_probability"] = rounded(t.log_probability);
  object["cut_off"] = t.cut_off;
  if (style.word_scores)
    object["word_scores"] = word_scores_json(score_words(t));
  if (style.alignment.wanted()) {
    object["alignment"] =
        alignment_json(style.alignment, align_words(source, t), source, t.text);
  }
}

std::string json_line(const OutputStyle& style, const InputRecord& record,
                      const std::vector<Translation>& translations) {
  if (record.empty_line) return "\n";
  ordered_json object = record.object;
  if (object.is_null()) object = {{"text", record.text}};
  add_fields(object, style, record.text, translations.front());
  const size_t parts = translations.front().parts.size();
  object.erase("parts");
  if (parts > 1) object["parts"] = parts;
  if (style.n_best) {
    ordered_json list = ordered_json::array();
    for (const Translation& t : translations) {
      add_fields(list.emplace_back(ordered_json::object()), style, record.text,
                 t);
    }
    object["n_best"] = std::move(list);
  }
  return object.dump() + "\n";
}

}  // namespace

OutputStyle OutputStyle::of(const TranslateConfig& config) {
  return {.format = config.format,
          .alignment = AlignmentFormat::parse(config.alignment),
          .word_scores = config.word_scores,
          .with_score = config.with_score,
          .n_best = config.all.search.n_best > 1};
}

std::string output_lines(const OutputStyle& style, const InputRecord& record,
                         int64_t number,
                         const std::vector<Translation>& translations) {
  if (style.format == LineFormat::kJson) {
    return json_line(style, record, translations);
  }
  if (!style.n_best) {
    return text_line(style, record.text, translations.front());
  }
  std::string lines;
  for (const Translation& t : translations) {
    lines += join(number, " ||| ", text_line(style, record.text, t));
  }
  return lines;
}

}  // namespace fovea::cli
