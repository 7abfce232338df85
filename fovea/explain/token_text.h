#pragma once

#include <span>
#include <string>
#include <vector>

namespace fovea {

// The tokens of a text as people read them, as the page has them
// (web/src/data/token_text.ts): the mark of a word's beginning goes, bytes of
// one character tell which character it is, "é 1/2".
std::vector<std::string> token_texts(std::span<const std::string> tokens);

}  // namespace fovea
