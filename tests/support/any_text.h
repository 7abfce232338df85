#pragma once

#include <rapidcheck.h>

#include <string>

namespace fovea::testing {

// A character as UTF-8.
std::string code_point(uint32_t code);

// Lines of any UTF-8, with many of the characters that tokenizers trip over.
rc::Gen<std::string> any_text();

}  // namespace fovea::testing
