#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "fovea/eval/bleu.h"
#include "fovea/eval/word_numbers.h"

namespace fovea {

// A line as BLEU compares it, its tokens by number.
std::vector<int> bleu_tokens(std::string_view line, const BleuOptions& options,
                             WordNumbers& words);

// A hyphen inside a word as a word of its own, "##AT##-##AT##". Bytes, not code
// points, are looked at: so does the perl line that everybody uses.
std::string split_compounds(std::string_view text);

}  // namespace fovea
