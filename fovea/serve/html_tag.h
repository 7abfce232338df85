#pragma once

#include <string>
#include <string_view>

namespace fovea {

// What stands between < and >.
struct HtmlTag {
  enum class Kind { kNone, kOpen, kClose, kOther };  // other: a comment, ...
  Kind kind = Kind::kNone;
  std::string name = {};   // in small letters
  size_t bytes = 0;        // of the tag
  bool is_single = false;  // ends with /
  bool translates = true;  // does not say translate="no"
};

// The tag that the text begins with; kNone if it is none or lacks its end.
HtmlTag tag_at(std::string_view html);

// Such an element is part of a line of text: <b>, unlike <p>.
bool is_inline(const HtmlTag& tag);
// Such an element has no end: <img>.
bool is_void(const HtmlTag& tag);
// What is within is no text to translate: <code>, or by its attribute.
bool is_verbatim(const HtmlTag& tag);

// Bytes of the element that the text begins with, whose tag this is, up to the
// end of its closing tag; 0 if that is missing.
size_t element_bytes(std::string_view html, const HtmlTag& tag);

}  // namespace fovea
