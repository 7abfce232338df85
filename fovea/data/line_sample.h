#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "fovea/data/tokenizer.h"

namespace fovea {

// At most so many lines, each equally likely; all of them, in order, if there
// are no more. Long lines are cut into several, empty ones are left out, bytes
// that are no UTF-8 are mended.
std::vector<std::string> sample_lines(const EachLine& lines, int64_t most,
                                      int64_t seed);

struct CharacterCount {
  std::string character;
  int64_t count;
};

// Every character of the lines, the most frequent first; of equals the one with
// the smaller code first.
std::vector<CharacterCount> count_characters(
    const std::vector<std::string>& lines);

// How many of the characters cover this part of the text, at least.
size_t covering(const std::vector<CharacterCount>& counts, float coverage);

}  // namespace fovea
