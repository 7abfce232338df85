#include "cli/alignment_format.h"

#include "fovea/base/check.h"
#include "fovea/base/fields.h"
#include "fovea/serve/translation_json.h"

namespace fovea::cli {
namespace {

using nlohmann::ordered_json;

WordLinks links_of(const AlignmentFormat& format,
                   const WordAlignment& alignment) {
  return format.kind == AlignmentFormat::Kind::kHard
             ? strongest_links(alignment)
             : links_from(alignment, format.threshold);
}

// A row of source weights for each target word, straight from the links: in
// long texts nearly all weights are 0.
std::string soft_text(const WordAlignment& alignment) {
  if (alignment.source.empty()) return {};
  std::string text;
  auto link = alignment.links.begin();
  for (int t = 0; t < std::ssize(alignment.target); ++t) {
    if (t > 0) text += ' ';
    for (int s = 0; s < std::ssize(alignment.source); ++s) {
      if (s > 0) text += ',';
      const bool linked = link != alignment.links.end() && link->target == t &&
                          link->source == s;
      if (linked) {
        text += join(link->weight);
        ++link;
      } else {
        text += '0';
      }
    }
  }
  return text;
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

void declare_heads(CLI::App& app, std::vector<int>& heads) {
  app.add_option("--alignment-head", heads,
                 "heads whose attention is the alignment, with commas\n"
                 "(default: the mean of all)")
      ->type_name("NUMBERS")
      ->delimiter(',')
      ->allow_extra_args(false);
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
  if (format.kind == AlignmentFormat::Kind::kSoft) {
    return word_weights_json(alignment, source, target);
  }
  return word_links_json(alignment, links_of(format, alignment), source,
                         target);
}

std::string scores_text(const WordScores& scores) {
  std::string text;
  for (float score : scores.words) text += join(score, " ");
  return text + join(scores.end);
}

}  // namespace fovea::cli
