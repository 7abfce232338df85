#pragma once

#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "fovea/data/text_range.h"
#include "fovea/decode/translation.h"

namespace fovea {

// An element within a line of text, as <b> to </b>.
struct HtmlElement {
  std::string open, close;  // its tags
  TextRange text;           // of the block's text
  TextRange place;          // of the HTML
};

// Markup that has no text to translate, as <img> or <code>x</code>.
struct HtmlMark {
  std::string markup;
  int at;             // in the block's text, before this byte
  int place;          // in the HTML
  bool space_before;  // there is white space between it and its neighbours
  bool space_after;
};

// A line of text with the markup in it, as that of a paragraph.
struct HtmlBlock {
  std::string text;  // with characters for entities, white space as one space
  std::vector<HtmlElement> elements;  // those around others come before them
  std::vector<HtmlMark> marks;        // in their order
};

// HTML, whole or a part of it, whose text is to be translated. What is no tag
// is text; tags, comments and elements such as <code> or <p translate="no">
// stay as they are, as do links whose text is an address, @name or #tag.
class HtmlText {
 public:
  explicit HtmlText(std::string_view html);

  std::vector<std::string> texts() const;  // of blocks
  // The HTML with a translation for each of them.
  std::string with(const std::vector<const Translation*>& translations) const;

 private:
  std::vector<std::variant<std::string, HtmlBlock>> parts_;
};

// A translation as HTML: each element goes around the words whose attention is
// on its own (and so may come twice), each mark before the word that looks at
// the one behind it. Without attention, words count as far along in both.
std::string html_of(const HtmlBlock& block, const Translation& translation);

}  // namespace fovea
