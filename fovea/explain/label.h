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

// Filled up with spaces to so many columns.
enum class Align { kLeft, kCentre, kRight };
std::string padded(std::string_view text, int columns,
                   Align align = Align::kLeft);

// A letter for 0..1 where there are no colours: " .:-=+*#%@". What is as good
// as 0 is blank.
inline constexpr std::string_view kShades = " .:-=+*#%@";
char shade_of(float value);

// Lines of at most `width` by `measure`, broken at spaces; a longer word has a
// line of its own.
std::vector<std::string> wrap_words(
    std::string_view text, double width,
    const std::function<double(std::string_view)>& measure);

// Harmless text in lines of at most so many columns, each with its end.
std::string wrapped_lines(std::string_view text, int columns);

}  // namespace fovea
