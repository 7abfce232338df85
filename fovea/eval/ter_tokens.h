#pragma once

#include <string>
#include <string_view>

namespace fovea {

struct TerOptions {
  bool normalized = false;      // tokenize as Tercom does
  bool no_punctuation = false;  // leave out . , ? : ; ! " ( )
  // With the above: Chinese and Japanese characters apart, their punctuation
  // left out.
  bool asian_support = false;
  bool case_sensitive = false;
};

// A line as TER compares it: words between white space, in lower case and else
// as it is by default.
std::string ter_tokens(std::string_view line, const TerOptions& options);

}  // namespace fovea
