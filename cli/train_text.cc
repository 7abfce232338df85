#include "cli/train_text.h"

#include <filesystem>

#include "fovea/base/log.h"

namespace fovea::cli {

CheckReport checked_text(const CheckConfig& config) {
  CheckReport report = check_corpus(config);
  for (const Defect& defect : report.defects) log_debug(text_of(defect));
  for (int i = 0; i < kDefectCodes; ++i) {
    if (report.counts[i] == 0) continue;
    const DefectKind& kind = kind_of(static_cast<DefectCode>(i));
    log_warning("text: ", report.counts[i], " times ", kind.name, " (",
                kind.summary, "): ", kind.outcome);
  }
  require_usable(report);
  return report;
}

Tokenizer make_vocabulary(const TrainConfig& config,
                          const VocabularySource& source) {
  if (std::filesystem::exists(source.file)) {
    return Tokenizer::load(source.file);
  }
  TokenizerConfig learn = config.text;
  learn.seed = config.trainer.seed;
  const Tokenizer made = source.given.empty()
                             ? Tokenizer::train(learn, source.text)
                             : Tokenizer::load(source.given);
  made.save(source.file);
  return made;
}

}  // namespace fovea::cli
