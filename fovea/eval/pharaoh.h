#pragma once

#include <compare>
#include <string>
#include <string_view>
#include <vector>

namespace fovea {

// Two words that correspond, counted from 0.
struct Link {
  int source = 0, target = 0;
  friend auto operator<=>(const Link&, const Link&) = default;
};

// The links of a sentence pair, sorted, each once. Sure ones are possible, too.
struct Alignment {
  std::vector<Link> sure, possible;
};

// Reads a line of links between white space: 2-3 is a sure link of source word
// 2 and target word 3, 2?3 or 2p3 a possible one. Words are counted from
// `first`, 0 or 1. Anything else is a data error that begins with `place`, such
// as "FILE:12".
Alignment parse_alignment(std::string_view line, const std::string& place,
                          int first = 0);

}  // namespace fovea
