#pragma once

#include <string>
#include <string_view>

namespace fovea {

// The tokenizer of NIST's mteval-v13a as sacreBLEU has it. Its rules look at
// ASCII only, so that bytes do for code points.
//
// The line with white space between words and signs.
std::string separate_13a(std::string_view line);
// The same with one space between them and none around.
std::string tokenize_13a(std::string_view line);

// Parts of it that others use.
std::string replace_all(std::string text, std::string_view from,
                        std::string_view to);
// &quot; &amp; &lt; &gt; as what they mean, in this order.
std::string without_entities(std::string text);
// Spaces around ASCII signs other than ' , - and the point.
std::string separate_signs(std::string_view text);
// Spaces around , and . unless between digits, and around - after a digit. The
// text must begin and end with a space.
std::string separate_points(std::string_view text);

}  // namespace fovea
