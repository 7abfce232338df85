#include "fovea/serve/html_tag.h"

#include <algorithm>
#include <cctype>

#include "fovea/serve/http_text.h"

namespace fovea {
namespace {

constexpr std::string_view kInline[] = {
    "a",    "abbr", "acronym", "b",    "bdi",    "bdo",    "big",
    "cite", "code", "data",    "del",  "dfn",    "em",     "font",
    "i",    "img",  "ins",     "kbd",  "label",  "mark",   "q",
    "s",    "samp", "small",   "span", "strike", "strong", "sub",
    "sup",  "svg",  "time",    "tt",   "u",      "var",    "wbr"};
constexpr std::string_view kVoid[] = {
    "area",  "base", "br",   "col",    "embed", "hr", "img",
    "input", "link", "meta", "source", "track", "wbr"};
constexpr std::string_view kVerbatim[] = {"code",     "kbd",    "math",  "pre",
                                          "samp",     "script", "style", "svg",
                                          "textarea", "var"};
// Tags within these are text.
constexpr std::string_view kRaw[] = {"script", "style", "textarea"};

bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}
bool is_space(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f';
}

template <size_t N>
bool among(const std::string_view (&names)[N], const std::string& name) {
  return std::ranges::find(names, name) != std::end(names);
}

// Reads the text of a tag from its beginning.
class TagReader {
 public:
  explicit TagReader(std::string_view html) : html_(html) {}

  bool done() const { return at_ >= html_.size(); }
  char now() const { return html_[at_]; }
  size_t at() const { return at_; }
  void skip(size_t bytes) { at_ += bytes; }
  void skip_space() {
    while (!done() && is_space(now())) ++at_;
  }

  // Up to one of these, or white space.
  std::string word(std::string_view ends) {
    const size_t begin = at_;
    while (!done() && !is_space(now()) && ends.find(now()) == ends.npos) ++at_;
    return small_letters(std::string(html_.substr(begin, at_ - begin)));
  }

  // With or without quotes.
  std::string value() {
    if (done() || (now() != '"' && now() != '\'')) return word(">");
    const char quote = now();
    const size_t begin = ++at_;
    at_ = std::min(html_.find(quote, at_), html_.size());
    const std::string_view text = html_.substr(begin, at_ - begin);
    skip(1);
    return small_letters(std::string(text));
  }

 private:
  const std::string_view html_;
  size_t at_ = 0;
};

// What ends with `end`, and begins with `skipped` bytes that cannot.
HtmlTag until(std::string_view html, std::string_view end, size_t skipped) {
  const size_t at = html.find(end, skipped);
  if (at == html.npos) return {};
  return {.kind = HtmlTag::Kind::kOther, .bytes = at + end.size()};
}

}  // namespace

HtmlTag tag_at(std::string_view html) {
  if (html.starts_with("<!--")) return until(html, "-->", 4);
  if (html.starts_with("<!") || html.starts_with("<?")) {
    return until(html, ">", 2);
  }
  const bool closes = html.starts_with("</");
  const size_t begin = closes ? 2 : 1;
  if (!html.starts_with('<') || html.size() <= begin) return {};
  if (!is_letter(html[begin])) return {};
  TagReader reader(html);
  reader.skip(begin);
  HtmlTag tag{closes ? HtmlTag::Kind::kClose : HtmlTag::Kind::kOpen,
              reader.word("/><")};
  for (;;) {
    reader.skip_space();
    if (reader.done() || reader.now() == '<') return {};
    if (reader.now() == '>') break;
    tag.is_single = reader.now() == '/';
    const size_t before = reader.at();
    const std::string name = reader.word("=/>");
    reader.skip_space();
    if (!reader.done() && reader.now() == '=') {
      reader.skip(1);
      reader.skip_space();
      if (reader.value() == "no" && name == "translate") tag.translates = false;
    }
    if (reader.at() == before) reader.skip(1);  // a slash
  }
  tag.bytes = reader.at() + 1;
  return tag;
}

bool is_inline(const HtmlTag& tag) { return among(kInline, tag.name); }

bool is_void(const HtmlTag& tag) { return among(kVoid, tag.name); }

bool is_verbatim(const HtmlTag& tag) {
  return !tag.translates || among(kVerbatim, tag.name);
}

size_t element_bytes(std::string_view html, const HtmlTag& tag) {
  const bool raw = among(kRaw, tag.name);
  int depth = 1;
  for (size_t at = html.find('<', tag.bytes); at != html.npos;
       at = html.find('<', at)) {
    const HtmlTag next = tag_at(html.substr(at));
    const bool ours = next.name == tag.name;
    const bool is_text = next.kind == HtmlTag::Kind::kNone || (raw && !ours);
    at += is_text ? 1 : next.bytes;
    if (!ours) continue;
    const bool opens = next.kind == HtmlTag::Kind::kOpen;
    if (opens && !raw && !next.is_single) ++depth;
    if (!opens && --depth == 0) return at;
  }
  return 0;
}

}  // namespace fovea
