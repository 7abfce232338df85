#include "cli/align_statistical.h"

#include <optional>

#include "cli/pair_reader.h"
#include "fovea/base/log.h"
#include "fovea/base/progress.h"

namespace fovea::cli {

void AlignText::add(const ScoreRequest& pair) {
  source.add(pair.source);
  target.add(pair.target);
}

void AlignText::add_more(const AlignConfig& config) {
  if (config.more_src.empty() && config.more_tgt.empty()) return;
  PairReader reader({config.more_src, config.more_tgt});
  while (const auto pair = reader.next()) add(*pair);
}

std::vector<WordLinks> statistical_links(const AlignConfig& config,
                                         const AlignText& text, int64_t count) {
  std::optional<Progress> progress;
  int64_t rounds = 0;
  if (log_level() <= LogLevel::kInfo) {
    ProgressOptions shown = ProgressOptions::standard_error();
    shown.unit = "rounds";
    progress.emplace("align", rounds_of(config.statistical), std::move(shown));
  }
  const SymmetricAligner aligner = SymmetricAligner::train(
      text.source, text.target, config.statistical,
      [&](const AlignerStep& step) {
        log_debug("round ", step.iteration, step.diagonal ? " diagonal" : "",
                  ": log-likelihood ", step.log_likelihood, ", tension ",
                  step.tension);
        if (progress) progress->update(++rounds);
      });
  progress.reset();
  return aligner.align_all(text.source, text.target, count);
}

}  // namespace fovea::cli
