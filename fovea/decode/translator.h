#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "fovea/data/shortlist.h"
#include "fovea/decode/translate_options.h"
#include "fovea/decode/translation.h"
#include "fovea/models/folder.h"

namespace fovea {

struct PreparedText;  // decode/prepared_text.h
struct Voters;        // decode/translate_texts.h

// Models that translate text together. Immutable; threads may share one.
class Translator {
 public:
  // Folders of models, "box" being the model in the box. They vote, so that a
  // data error tells of vocabularies that differ. The shortlist is the first
  // one's.
  static Translator load(const std::vector<std::string>& folders,
                         Precision precision = Precision::kFloat32);
  // At least one model; all have the vocabularies of the first. The shortlist,
  // if any, is for those.
  explicit Translator(std::vector<TranslationModel> models,
                      std::optional<Shortlist> shortlist = {});

  // The n_best translations of each text, best first. A blank text has an empty
  // one. A text of more than max_input tokens is translated in parts (see
  // data/long_text.h), and what stood between them stands between their
  // translations. A newline that a model writes becomes a space. A text gets
  // the same translations alone or beside others, on any number of threads.
  std::vector<std::vector<Translation>> translate(
      std::span<const TranslateRequest> requests,
      const TranslateOptions& options = {},
      const TranslateWatch& watch = {}) const;

  // The same in three steps, for whoever puts sentences of many texts together:
  // a text in parts; hypotheses of parts of any texts, in batches on this
  // thread; and the translations of a text whose parts have theirs.
  PreparedText prepare(const TranslateRequest& request,
                       const TranslateOptions& options) const;
  std::vector<std::vector<Hypothesis>> search(
      std::span<const SearchSource> sources, const TranslateOptions& options,
      SearchWatch* watch = nullptr) const;
  std::vector<Translation> finish(const PreparedText& text,
                                  const TranslateOptions& options) const;
  // Throws a usage error if the models cannot do what is asked for.
  void check_options(const TranslateOptions& options) const;
  // Tokens of a text that is translated whole.
  int max_input(const TranslateOptions& options) const;

  // What the models say of given translations, whole however long they are; of
  // those with words of the shortlist only, if that is asked for.
  std::vector<Translation> score(std::span<const ScoreRequest> requests,
                                 const SearchAllConfig& config = {},
                                 bool with_shortlist = false) const;

  const TranslationModel& model() const { return models_.front(); }
  const Tokenizer& source() const { return models_.front().source; }
  const Tokenizer& target() const { return models_.front().target; }
  bool has_shortlist() const { return shortlist_.has_value(); }
  bool has_attention() const { return pointers_.front()->has_attention(); }

 private:
  Voters voters() const;
  void check_length(const ScoreRequest& request, size_t tokens) const;

  std::vector<TranslationModel> models_;
  std::vector<const Seq2Seq*> pointers_;
  std::optional<Shortlist> shortlist_;
  std::vector<int> blank_;  // words that give blank text by themselves
};

}  // namespace fovea
