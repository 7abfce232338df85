#pragma once

#include <span>
#include <string>
#include <string_view>

namespace fovea {

// The known word that `word` was most likely meant to be, or an empty one when
// none is near.
std::string nearest(std::string_view word, std::span<const std::string> known);

// " (did you mean 'x'?)", or nothing when none is near.
std::string did_you_mean(std::string_view word,
                         std::span<const std::string> known);

}  // namespace fovea
