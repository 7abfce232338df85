#include "cli/train_text.h"

#include <algorithm>
#include <filesystem>

#include "fovea/base/log.h"

namespace fovea::cli {

CheckReport checked_text(const CheckConfig& config) {
  CheckReport report = check_corpus(config);
  for (const Defect& defect : report.defects) log_debug(text_of(defect));
  for (int i = 0; i < kDefectCodes; ++i) {
    if (report.counts[i] == 0) continue;
    const auto code = static_cast<DefectCode>(i);
    const auto first = std::ranges::find(report.defects, code, &Defect::code);
    log_warning("text: ", report.counts[i], " times ", kind_of(code).name, " (",
                kind_of(code).summary, "): ", outcome_of(report, code),
                "; the first in ", first->file, ":", first->line);
  }
  require_usable(report);
  return report;
}

std::string longest_text(const CorpusConfig& config) {
  const bool by_batch = config.batch_tokens <= config.max_length;
  return by_batch
             ? join("what --batch-tokens ", config.batch_tokens, " can hold")
             : join("--max-length ", config.max_length, " tokens");
}

void announce_text(const Corpus& corpus, const CorpusConfig& config,
                   const char* unit) {
  const CorpusSize& size = corpus.size();
  const char* about = size.estimated ? "about " : "";
  const std::string target =
      size.target_tokens > 0
          ? join(" source and ", size.target_tokens, " target")
          : "";
  log_info("text: ", about, size.examples, " ", unit, " an epoch, ",
           size.source_tokens, target, " tokens; batches of ",
           config.batch_tokens, " tokens at most");
  const std::string longest = longest_text(config);
  const auto tell = [&](int64_t lines, const std::string& what) {
    if (lines > 0) log_warning("text: ", about, lines, " ", unit, " ", what);
  };
  tell(size.too_long, "longer than " + longest + ": left out");
  tell(size.cut, "longer than " + longest + ": their ends are left out");
  tell(size.empty, "without a token: left out");
}

Tokenizer make_vocabulary(const TrainConfig& config,
                          const VocabularySource& source) {
  if (std::filesystem::exists(source.file)) {
    log_info("vocabulary: ", source.file, ", which is there already");
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
