#pragma once

#include <string>
#include <string_view>
#include <vector>

// How words of one line follow each other on the page, where some scripts are
// written from right to left. A rough form of the Unicode bidirectional
// algorithm: words have a direction, and those without one follow the rest.
namespace fovea {

enum class Direction { kNone, kLeftToRight, kRightToLeft };

// That of the first letter.
Direction direction_of(std::string_view word);

// That of the first word that has one; else from left to right.
Direction direction_of(const std::vector<std::string>& words);

// The numbers of the words as they are met from the side where the line
// begins: runs of words of the other direction are turned around.
std::vector<size_t> written_order(const std::vector<std::string>& line,
                                  Direction base);

}  // namespace fovea
