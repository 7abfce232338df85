#pragma once

#include <string_view>
#include <vector>

#include "fovea/decode/prepared_text.h"
#include "fovea/decode/translator.h"

namespace fovea {

// The sentences of each line, without the white space around them.
std::vector<TextRange> split_lines(std::string_view text);

// As Translator::prepare, but each sentence of each line is a part of its own,
// since models learn from single sentences. A text of one sentence is prepared
// whole. Sentences that the prefix reaches into stay together.
PreparedText prepare_sentences(const Translator& translator,
                               const TranslateRequest& request,
                               const TranslateOptions& options);

}  // namespace fovea
