#pragma once

#include <string>
#include <string_view>

namespace fovea {

// UTF-8 text in lower case, in any script, by Unicode's rules that need no
// language: a sigma at the end of a word is final, and the dot of a Turkish
// capital I stays. Bytes that are no UTF-8 stay as they are.
std::string lower_case(std::string_view text);

// Whether UTF-8 text begins with a small letter.
bool begins_lower_case(std::string_view text);

}  // namespace fovea
