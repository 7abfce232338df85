#include "fovea/explain/explain_text.h"

#include <limits>

#include "fovea/base/check.h"
#include "fovea/base/words.h"

namespace fovea {
namespace {

Translation translation_of(const Translator& translator,
                           const ExplainRequest& request) {
  if (request.target) {
    check_usage(!is_blank(*request.target),
                "there is nothing to explain: the translation is blank");
    return translator.score({{{request.source, *request.target}}}).front();
  }
  TranslateOptions options;
  options.all.search.beam_size = request.beam_size;
  options.max_input = std::numeric_limits<int>::max();  // one part
  return translator.translate({{{request.source}}}, options)[0][0];
}

}  // namespace

Explanation explain_text(const Translator& translator,
                         const ExplainRequest& request,
                         const ExplainOptions& options) {
  return explain_translation(translator.model(), request.source,
                             translation_of(translator, request), options);
}

}  // namespace fovea
