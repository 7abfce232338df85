#pragma once

#include <string>
#include <string_view>

namespace fovea {

// A character by its name or number: "&eacute;", "&#233;", "&#xe9;".
struct HtmlEntity {
  std::string text = {};
  size_t bytes = 0;  // of the entity; 0: there is none
};

// The one that the text begins with, if it is known.
HtmlEntity entity_at(std::string_view html);

// Text as HTML.
std::string html_escaped(std::string_view text);

}  // namespace fovea
