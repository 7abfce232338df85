#pragma once

#include <span>

namespace fovea {

// The fewest edits found that turn words into a reference, where moving a block
// of words to another place is one edit (Snover et al. 2006). Finding the best
// moves is hard, so they are chosen one after another by the rules and limits
// of Tercom, as sacreBLEU has them.
int ter_edits(std::span<const int> words, std::span<const int> reference);

}  // namespace fovea
