#include "cli/alignment_format.h"

#include <cmath>
#include <vector>

#include "fovea/base/check.h"
#include "fovea/base/fields.h"
#include "fovea/base/unicode.h"

namespace fovea::cli {
namespace {

using nlohmann::ordered_json;

// A row of source weights for each target word.
std::vector<std::vector<float>> rows_of(const WordAlignment& alignment) {
  const std::vector<float> weights = dense_weights(alignment);
  const auto columns = std::ssize(alignment.source);
  std::vector<std::vector<float>> rows;
  for (auto at = weights.begin(); at != weights.end(); at += columns) {
    rows.emplace_back(at, at + columns);
  }
  rows.resize(alignment.target.size());  // with no source word: empty ones
  return rows;
}

WordLinks links_of(const AlignmentFormat& format,
                   const WordAlignment& alignment) {
  return format.kind == AlignmentFormat::Kind::kHard
             ? strongest_links(alignment)
             : links_from(alignment, format.threshold);
}

std::string soft_text(const WordAlignment& alignment) {
  std::string text;
  for (const std::vector<float>& row : rows_of(alignment)) {
    if (!text.empty()) text += ' ';
    for (size_t s = 0; s < row.size(); ++s) {
      text += join(s > 0 ? "," : "", row[s]);
    }
  }
  return text;
}

ordered_json words_json(std::string_view text,
                        const std::vector<TextRange>& words) {
  ordered_json all = ordered_json::array();
  int byte = 0;
  size_t character = 0;
  const auto go_to = [&](int end) {
    character += code_points(text.substr(byte, end - byte)).size();
    byte = end;
    return character;
  };
  for (const TextRange& word : words) {
    const size_t begin = go_to(word.begin);
    all.push_back(
        {{"word", word.of(text)}, {"begin", begin}, {"end", go_to(word.end)}});
  }
  return all;
}

ordered_json links_json(const AlignmentFormat& format,
                        const WordAlignment& alignment) {
  ordered_json all = ordered_json::array();
  const std::vector<std::vector<float>> rows = rows_of(alignment);
  for (const auto& [source, target] : links_of(format, alignment)) {
    all.push_back({{"source", source},
                   {"target", target},
                   {"weight", rounded(rows[target][source])}});
  }
  return all;
}

}  // namespace

AlignmentFormat AlignmentFormat::parse(const std::string& text) {
  if (text.empty()) return {};
  if (text == "soft") return {Kind::kSoft};
  if (text == "hard") return {Kind::kHard};
  float threshold = 0;
  check_usage(FieldText<float>::parse(text, threshold) && threshold > 0 &&
                  threshold <= 1,
              "--alignment '", text,
              "': give soft, hard, or a number above 0 and at most 1");
  return {Kind::kThreshold, threshold};
}

std::string alignment_text(const AlignmentFormat& format,
                           const WordAlignment& alignment) {
  return format.kind == AlignmentFormat::Kind::kSoft
             ? soft_text(alignment)
             : write_pharaoh(links_of(format, alignment));
}

ordered_json alignment_json(const AlignmentFormat& format,
                            const WordAlignment& alignment,
                            std::string_view source, std::string_view target) {
  ordered_json all = {{"source", words_json(source, alignment.source)},
                      {"target", words_json(target, alignment.target)}};
  if (format.kind != AlignmentFormat::Kind::kSoft) {
    all["links"] = links_json(format, alignment);
    return all;
  }
  ordered_json& weights = all["weights"] = ordered_json::array();
  for (const std::vector<float>& row : rows_of(alignment)) {
    ordered_json& values = weights.emplace_back(ordered_json::array());
    for (float weight : row) values.push_back(rounded(weight));
  }
  return all;
}

std::string scores_text(const WordScores& scores) {
  std::string text;
  for (float score : scores.words) text += join(score, " ");
  return text + join(scores.end);
}

ordered_json scores_json(const WordScores& scores) {
  ordered_json words = ordered_json::array();
  for (float score : scores.words) words.push_back(rounded(score));
  return {{"words", words}, {"end", rounded(scores.end)}};
}

double rounded(float value) {
  return std::isfinite(value) ? std::stod(join(value)) : value;
}

}  // namespace fovea::cli
