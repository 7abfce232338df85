#include "support/well_formed.h"

#include <algorithm>
#include <initializer_list>
#include <regex>
#include <vector>

namespace fovea::testing {
namespace {

const std::regex kTag(R"(/?[a-z][a-zA-Z0-9]*( [a-zA-Z:-]+="[^"<]*")*/?)");

bool is_entity(std::string_view text) {
  return std::ranges::any_of(
      std::initializer_list<std::string_view>{"&amp;", "&lt;", "&gt;", "&quot;",
                                              "&#39;"},
      [&](auto entity) { return text.starts_with(entity); });
}

std::string character_fault(std::string_view xml) {
  for (size_t i = 0; i < xml.size(); ++i) {
    const auto byte = static_cast<unsigned char>(xml[i]);
    if (byte < 0x20 && byte != '\n') return "a control character";
    if (byte == '&' && !is_entity(xml.substr(i))) return "a bare &";
  }
  return "";
}

}  // namespace

std::string xml_fault(std::string_view xml) {
  std::vector<std::string> open;
  for (size_t at = xml.find('<'); at != std::string_view::npos;
       at = xml.find('<', at + 1)) {
    const size_t end = xml.find('>', at);
    if (end == std::string_view::npos) return "a tag without an end";
    const std::string tag(xml.substr(at + 1, end - at - 1));
    // Long paths would be too much for a recursive matcher.
    if (tag.size() < 2000 && !std::regex_match(tag, kTag)) {
      return "a bad tag: " + tag;
    }
    const std::string name = tag.substr(0, tag.find(' '));
    if (name.starts_with('/')) {
      if (open.empty() || "/" + open.back() != name) return "stray <" + name;
      open.pop_back();
    } else if (!tag.ends_with('/')) {
      open.push_back(name);
    }
  }
  if (!open.empty()) return open.back() + " is not closed";
  return character_fault(xml);
}

}  // namespace fovea::testing
