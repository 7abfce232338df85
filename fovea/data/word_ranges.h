#pragma once

#include <string_view>
#include <utility>
#include <vector>

namespace fovea {

// The words of a text, each as its bytes [begin, end): what stands between
// blanks (space, tab and the other white space of ASCII).
std::vector<std::pair<int, int>> word_ranges(std::string_view text);

}  // namespace fovea
