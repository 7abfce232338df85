#pragma once

#include <optional>
#include <string>

#include "fovea/decode/translator.h"
#include "fovea/explain/explanation.h"

namespace fovea {

struct ExplainRequest {
  std::string source;
  std::optional<std::string> target = {};  // none: what the model writes
  int beam_size = 4;                       // of the search for that
};

// Of a text as a whole, however long it is. A usage error if a side is blank.
Explanation explain_text(const Translator& translator,
                         const ExplainRequest& request,
                         const ExplainOptions& options = {});

}  // namespace fovea
