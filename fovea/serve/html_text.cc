#include "fovea/serve/html_text.h"

#include <algorithm>
#include <set>
#include <utility>

#include "fovea/base/unicode.h"
#include "fovea/base/words.h"
#include "fovea/data/sentence_split.h"
#include "fovea/serve/html_entity.h"
#include "fovea/serve/html_tag.h"

namespace fovea {
namespace {

using Part = std::variant<std::string, HtmlBlock>;
using Kind = HtmlTag::Kind;

constexpr size_t kDeepest = 16;  // elements in elements of a line

// A link to a place that its text names.
bool is_address(std::string_view text) {
  if (split_words(text).size() != 1) return false;
  return std::ranges::any_of(
      std::vector<std::string_view>{"http://", "https://", "www.", "@", "#"},
      [&](std::string_view begin) { return text.starts_with(begin); });
}

class HtmlReader {
 public:
  explicit HtmlReader(std::string_view html) : html_(html) {}

  std::vector<Part> run() {
    while (at_ < html_.size()) {
      const HtmlTag tag = tag_at(rest());
      if (tag.kind == Kind::kNone) {
        read_character();
      } else {
        read_tag(tag);
      }
    }
    end_block(at_);
    return std::move(parts_);
  }

 private:
  struct Open {
    std::string name;
    size_t element;  // its number
    size_t marks;    // that came before it
  };

  std::string_view rest() const { return html_.substr(at_); }
  int size_of_text() const { return static_cast<int>(block_.text.size()); }
  std::string_view take(size_t bytes) {
    const std::string_view taken = html_.substr(at_, bytes);
    at_ += bytes;
    return taken;
  }

  void read_character() {
    const HtmlEntity entity = entity_at(rest());
    const bool is_entity = entity.bytes > 0;
    const std::string_view raw =
        take(is_entity ? entity.bytes : code_point_bytes(rest()));
    const std::string_view text = is_entity ? entity.text : raw;
    if (white_space_at(text) > 0) {
      has_space_ = true;
      for (auto mark = block_.marks.rbegin();
           mark != block_.marks.rend() && mark->at == size_of_text(); ++mark) {
        mark->space_after = true;
      }
      return;
    }
    put_space();
    block_.text += text;
  }

  // One for all white space, none at the beginning.
  void put_space() {
    const std::string& text = block_.text;
    const bool wanted = std::exchange(has_space_, false);
    if (wanted && !text.empty() && text.back() != ' ') block_.text += ' ';
  }

  void read_tag(const HtmlTag& tag) {
    const bool opens = tag.kind == Kind::kOpen;
    size_t whole = tag.bytes;
    bool alone = tag.kind == Kind::kOther || (opens && is_single(tag));
    if (opens && !alone && is_verbatim(tag)) {
      const size_t bytes = verbatim_bytes(tag);
      alone = bytes > 0;
      whole = std::max(whole, bytes);
    }
    const bool comment = tag.kind == Kind::kOther;
    if (!comment && !is_inline(tag)) return add_markup(whole);
    if (alone) return add_mark(whole);
    opens ? open(tag) : close(tag);
  }

  static bool is_single(const HtmlTag& tag) {
    return tag.is_single || is_void(tag);
  }

  // An element that lacks its end is looked for once.
  size_t verbatim_bytes(const HtmlTag& tag) {
    if (endless_.contains(tag.name)) return 0;
    const size_t bytes = element_bytes(rest(), tag);
    if (bytes == 0) endless_.insert(tag.name);
    return bytes;
  }

  void add_mark(size_t bytes) {
    if (begins_sentence()) end_block(at_);
    put_space();
    const auto place = static_cast<int>(at_);
    put_mark(std::string(take(bytes)), size_of_text(), place);
  }

  void put_mark(std::string markup, int at, int place) {
    const bool space = at > 0 && block_.text[at - 1] == ' ';
    block_.marks.push_back({std::move(markup), at, place, space, false});
  }

  void open(const HtmlTag& tag) {
    if (open_.size() >= kDeepest) return add_mark(tag.bytes);
    put_space();
    const int begin = size_of_text();
    const auto place = static_cast<int>(at_);
    open_.push_back({tag.name, block_.elements.size(), block_.marks.size()});
    block_.elements.push_back(
        {std::string(take(tag.bytes)), "", {begin, begin}, {place, place}});
  }

  void close(const HtmlTag& tag) {
    const auto found =
        std::find_if(open_.rbegin(), open_.rend(),
                     [&](const Open& one) { return one.name == tag.name; });
    if (found == open_.rend()) return add_mark(tag.bytes);
    while (open_.back().name != tag.name) leave_open();
    const Open own = open_.back();
    open_.pop_back();
    HtmlElement& element = block_.elements[own.element];
    element.close = take(tag.bytes);
    element.text.end = size_of_text();
    element.place.end = static_cast<int>(at_);
    const std::string_view text = element.text.of(block_.text);
    const bool keeps = is_blank(text) || (own.name == "a" && is_address(text));
    if (keeps) keep_whole(own);
  }

  // The element and all in it become one mark.
  void keep_whole(const Open& open) {
    const HtmlElement element = block_.elements[open.element];
    block_.elements.resize(open.element);
    block_.marks.resize(open.marks);
    block_.text.resize(element.text.begin);
    if (begins_sentence()) end_block(element.place.begin);
    const auto markup = element.place.of(html_);
    put_mark(std::string(markup), size_of_text(), element.place.begin);
  }

  // What comes next does: a splitter cannot know if markup stands for its first
  // word, so that it goes on with a small letter.
  bool begins_sentence() const {
    constexpr size_t kLongestWord = 40;
    if (!open_.empty()) return false;
    std::string_view text = without_end_space(block_.text);
    text.remove_prefix(text.rfind(' ') + 1);
    text.remove_prefix(text.size() - std::min(text.size(), kLongestWord));
    return split_sentences(std::string(text) + " X").size() > 1;
  }

  // The last that is open has no end here: its tag stands alone.
  void leave_open() {
    HtmlElement& element = block_.elements[open_.back().element];
    put_mark(element.open, element.text.begin, element.place.begin);
    element.open.clear();
    open_.pop_back();
  }

  void add_markup(size_t bytes) {
    end_block(at_);
    add_verbatim(take(bytes));
    begin_ = at_;
  }

  void add_verbatim(std::string_view html) {
    if (html.empty()) return;
    if (parts_.empty() || !std::holds_alternative<std::string>(parts_.back())) {
      parts_.emplace_back(std::string());
    }
    std::get<std::string>(parts_.back()) += html;
  }

  // All since begin_: white space around it stays as it is.
  void end_block(size_t end) {
    while (!open_.empty()) leave_open();
    HtmlBlock block = std::exchange(block_, {});
    block.text.resize(without_end_space(block.text).size());
    has_space_ = false;
    const std::string_view raw = html_.substr(begin_, end - begin_);
    begin_ = end;
    if (block.text.empty()) return add_verbatim(raw);
    constexpr std::string_view kSpace = " \t\r\n\f";
    add_verbatim(raw.substr(0, raw.find_first_not_of(kSpace)));
    tidy(block);
    parts_.emplace_back(std::move(block));
    add_verbatim(raw.substr(raw.find_last_not_of(kSpace) + 1));
  }

  static void tidy(HtmlBlock& block) {
    std::erase_if(block.elements,
                  [](const HtmlElement& one) { return one.open.empty(); });
    std::ranges::stable_sort(block.marks, {}, &HtmlMark::place);
    for (HtmlMark& mark : block.marks) {
      mark.at = std::min(mark.at, static_cast<int>(block.text.size()));
    }
  }

  const std::string_view html_;
  size_t at_ = 0, begin_ = 0;  // now, and where the block began
  HtmlBlock block_;
  bool has_space_ = false;  // before what comes next
  std::vector<Open> open_;
  std::set<std::string> endless_;
  std::vector<Part> parts_;
};

}  // namespace

HtmlText::HtmlText(std::string_view html) : parts_(HtmlReader(html).run()) {}

std::vector<std::string> HtmlText::texts() const {
  std::vector<std::string> all;
  for (const Part& part : parts_) {
    const auto* block = std::get_if<HtmlBlock>(&part);
    if (block != nullptr) all.push_back(block->text);
  }
  return all;
}

std::string HtmlText::with(
    const std::vector<const Translation*>& translations) const {
  std::string html;
  auto next = translations.begin();
  for (const Part& part : parts_) {
    const auto* block = std::get_if<HtmlBlock>(&part);
    html += block == nullptr ? std::get<std::string>(part)
                             : html_of(*block, **next++);
  }
  return html;
}

}  // namespace fovea
