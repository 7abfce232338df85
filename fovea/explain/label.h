#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace fovea {

// How a token is shown: harmless (see one_line), and with spaces at its ends
// visible.
std::string label_text(std::string_view token);

// At most so many columns, ending in an ellipsis if something was cut off.
std::string shortened(std::string_view text, int columns);

// Lines of at most `width` by `measure`, broken at spaces; a longer word has a
// line of its own.
std::vector<std::string> wrap_words(
    std::string_view text, double width,
    const std::function<double(std::string_view)>& measure);

}  // namespace fovea
