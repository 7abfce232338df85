// Where the markup of a line of text goes in its translation.
#include <algorithm>
#include <map>
#include <numeric>
#include <span>

#include "fovea/base/unicode.h"
#include "fovea/base/words.h"
#include "fovea/decode/word_alignment.h"
#include "fovea/serve/html_entity.h"
#include "fovea/serve/html_text.h"

namespace fovea {
namespace {

using Path = std::vector<size_t>;  // elements, the outer ones first

bool is_ascii_sign(std::string_view c) {
  const auto byte = static_cast<unsigned char>(c.front());
  const bool letter = (byte | 0x20) >= 'a' && (byte | 0x20) <= 'z';
  return byte < 0x80 && !letter && !(byte >= '0' && byte <= '9');
}

bool is_sign(std::string_view c) {
  if (static_cast<unsigned char>(c.front()) < 0x80) return is_ascii_sign(c);
  const char32_t point = code_points(c).front();
  return (point >= 0x2000 && point < 0x2070) ||
         (point >= 0x3000 && point < 0x3020) ||
         (point >= 0xff00 && point < 0xff10) || point == 0xa1 ||
         point == 0xab || point == 0xbb || point == 0xbf;
}

// don't, l'ami, well-known
bool joins(std::string_view c) { return c == "'" || c == "’" || c == "-"; }

// Words without the signs around them, each sign by itself, and so each
// character of scripts without spaces.
std::vector<TextRange> units_of(std::string_view text) {
  std::vector<TextRange> units;
  bool in_word = false;
  for (size_t at = 0; at < text.size();) {
    const size_t bytes = code_point_bytes(text.substr(at));
    const std::string_view c = text.substr(at, bytes);
    const size_t next = at + bytes;
    const bool joining = in_word && joins(c) && next < text.size() &&
                         !is_sign(text.substr(next)) &&
                         white_space_at(text.substr(next)) == 0;
    const bool sign = !joining && is_sign(c);
    const bool alone = sign || display_width(c) == 2;
    if (white_space_at(c) > 0) {
      in_word = false;
    } else if (in_word && !alone) {
      units.back().end = static_cast<int>(next);
    } else {
      units.push_back({static_cast<int>(at), static_cast<int>(next)});
      in_word = !alone;
    }
    at = next;
  }
  return units;
}

// Something to write: a unit of the translation, or markup.
struct Item {
  std::string_view space;  // before it
  std::string html;
  Path path;
};

class InlineMarkup {
 public:
  InlineMarkup(const HtmlBlock& block, const Translation& translation)
      : block_(block),
        translation_(translation),
        source_(units_of(block.text)),
        target_(units_of(translation.text)),
        weights_(target_.size()) {
    find_weights();
    for (const auto& row : weights_) links_.push_back(strongest(row));
  }

  std::string run() {
    find_paths();
    place_lost_elements();
    fill_items();
    place_marks();
    return written();
  }

 private:
  using Row = std::map<int, float>;  // of source units

  void find_weights() {
    if (source_.empty() || target_.empty()) return;
    const bool known = std::ranges::none_of(
        translation_.parts, [](const auto& p) { return p.weights.empty(); });
    if (known) {
      for (const TranslatedPart& part : translation_.parts) add_weights(part);
    } else {
      for (size_t t = 0; t < target_.size(); ++t) {
        weights_[t][as_far_along(t, target_, source_)] = 1;
      }
    }
  }

  static int as_far_along(size_t at, const std::vector<TextRange>& of,
                          const std::vector<TextRange>& in) {
    return static_cast<int>(at * in.size() / of.size());
  }

  void add_weights(const TranslatedPart& part) {
    constexpr float kNothing = 0.01f;  // most weights are less
    const std::vector<int> from = words_of_tokens(source_, part.source);
    const std::vector<int> to = words_of_tokens(target_, part.target);
    for (size_t t = 0; t < to.size(); ++t) {
      if (to[t] >= std::ssize(target_)) continue;
      for (size_t s = 0; s < from.size(); ++s) {
        const float weight = part.weights[t * part.keys() + s];
        if (weight < kNothing || from[s] >= std::ssize(source_)) continue;
        weights_[to[t]][from[s]] += weight;
      }
    }
  }

  // The source's unit that is looked at most; -1: none.
  static int strongest(const Row& row) {
    int best = -1;
    float most = 0;
    for (const auto& [source, weight] : row) {
      if (weight <= most) continue;
      most = weight;
      best = source;
    }
    return best;
  }

  // The target's unit that looks most at these.
  template <class Wanted>
  size_t looking_at(size_t first, const Wanted& wanted) const {
    size_t best = std::min<size_t>(as_far_along(first, source_, target_),
                                   target_.size() - 1);
    float most = 0;
    for (size_t t = 0; t < target_.size(); ++t) {
      float sum = 0;
      for (const auto& [source, weight] : weights_[t]) {
        if (wanted(source)) sum += weight;
      }
      if (sum <= most) continue;
      most = sum;
      best = t;
    }
    return best;
  }

  bool covers(size_t element, size_t source) const {
    const TextRange& own = block_.elements[element].text;
    return own.begin < source_[source].end && own.end > source_[source].begin;
  }

  Path path_of(size_t source) const {
    Path path;
    for (size_t e = 0; e < block_.elements.size(); ++e) {
      if (covers(e, source)) path.push_back(e);
    }
    return path;
  }

  void find_paths() {
    for (size_t t = 0; t < target_.size(); ++t) {
      if (links_[t] >= 0) {
        paths_.push_back(path_of(static_cast<size_t>(links_[t])));
      } else {
        paths_.push_back(t > 0 ? paths_.back() : Path());
      }
    }
    const std::vector<Path> found = paths_;
    for (size_t t = 0; t < target_.size(); ++t) {
      if (!is_sign(target_[t].of(translation_.text))) continue;
      const Path before = t > 0 ? found[t - 1] : Path();
      const Path behind = t + 1 < found.size() ? found[t + 1] : Path();
      paths_[t] = path_of_sign(found[t], before, behind);
    }
  }

  // The attention of signs is often elsewhere: they go with their neighbours.
  static Path path_of_sign(const Path& own, const Path& before,
                           const Path& behind) {
    Path all, kept;
    std::ranges::set_union(before, behind, std::back_inserter(all));
    for (size_t element : all) {
      const int count = static_cast<int>(has(before, element)) +
                        static_cast<int>(has(behind, element)) +
                        static_cast<int>(has(own, element));
      if (count >= 2) kept.push_back(element);
    }
    return kept;
  }

  static bool has(const Path& path, size_t element) {
    return std::ranges::find(path, element) != path.end();
  }

  // One that no unit looks at most goes where it is looked at at all.
  void place_lost_elements() {
    std::vector<bool> placed(block_.elements.size());
    for (const Path& path : paths_) {
      for (size_t element : path) placed[element] = true;
    }
    for (size_t e = 0; e < placed.size() && !target_.empty(); ++e) {
      if (placed[e]) continue;
      const size_t first = first_unit(block_.elements[e].text.begin);
      Path& path = paths_[looking_at(
          first, [&](int s) { return covers(e, static_cast<size_t>(s)); })];
      for (size_t outer : around(block_.elements[e].place)) {
        if (!has(path, outer)) path.push_back(outer);
      }
      std::ranges::sort(path);
    }
  }

  // The source's first unit that begins there or later.
  size_t first_unit(int at) const {
    const auto found =
        std::ranges::lower_bound(source_, at, {}, &TextRange::begin);
    return static_cast<size_t>(found - source_.begin());
  }

  // The elements around a place of the HTML, itself included.
  Path around(const TextRange& place) const {
    Path path;
    for (size_t e = 0; e < block_.elements.size(); ++e) {
      const TextRange& own = block_.elements[e].place;
      if (own.begin <= place.begin && place.end <= own.end) path.push_back(e);
    }
    return path;
  }

  void fill_items() {
    int end = 0;
    for (size_t t = 0; t < target_.size(); ++t) {
      const TextRange gap{end, target_[t].begin};
      items_.push_back({gap.of(translation_.text),
                        html_escaped(target_[t].of(translation_.text)),
                        paths_[t]});
      end = target_[t].end;
    }
  }

  void place_marks() {
    std::vector<size_t> places(target_.size());  // of units
    std::iota(places.begin(), places.end(), size_t{0});
    for (const HtmlMark& mark : block_.marks) {
      const size_t unit = unit_behind(mark);
      const size_t at = unit < places.size() ? places[unit] : items_.size();
      Item item{"", mark.markup, around({mark.place, mark.place + 1})};
      if (at < items_.size()) {
        set_spaces(mark, item, items_[at]);
      } else if (mark.space_before) {
        item.space = " ";
      }
      items_.insert(items_.begin() + static_cast<int64_t>(at), std::move(item));
      for (size_t& place : places) place += place >= at ? 1 : 0;
    }
    if (!items_.empty()) items_.front().space = "";
  }

  void set_spaces(const HtmlMark& mark, Item& item, Item& next) const {
    if (mark.space_before) {
      item.space = " ";
      next.space = mark.space_after ? " " : "";
    } else if (mark.space_after) {
      if (next.space.empty()) next.space = " ";
    } else {
      const size_t behind = first_unit(mark.at);
      const bool within =
          behind == source_.size() || source_[behind].begin > mark.at;
      if (!within) std::swap(item.space, next.space);
    }
  }

  // The target's unit that a mark goes before; their number: behind all.
  size_t unit_behind(const HtmlMark& mark) const {
    if (mark.at == 0) return 0;
    const size_t source = first_unit(mark.at);
    if (source == source_.size()) return target_.size();
    const auto link = std::ranges::find(links_, static_cast<int>(source));
    if (link != links_.end()) return static_cast<size_t>(link - links_.begin());
    return looking_at(source,
                      [&](int s) { return s == static_cast<int>(source); });
  }

  std::string written() const {
    std::string html;
    Path open;
    const auto change = [&](const Path& to, std::string_view space) {
      const auto same = std::ranges::mismatch(open, to).in1 - open.begin();
      for (auto e = std::ssize(open); e-- > same;) {
        html += block_.elements[open[e]].close;
      }
      html += space;
      for (auto e = same; e < std::ssize(to); ++e) {
        html += block_.elements[to[e]].open;
      }
      open = to;
    };
    for (const Item& item : items_) {
      change(item.path, item.space);
      html += item.html;
    }
    change({}, "");
    return html;
  }

  const HtmlBlock& block_;
  const Translation& translation_;
  const std::vector<TextRange> source_, target_;  // units
  std::vector<Row> weights_;                      // of target units
  std::vector<int> links_;   // the source's unit of each of the target's
  std::vector<Path> paths_;  // of target units
  std::vector<Item> items_;
};

}  // namespace

std::string html_of(const HtmlBlock& block, const Translation& translation) {
  const bool plain = block.elements.empty() && block.marks.empty();
  if (plain) return html_escaped(translation.text);
  return InlineMarkup(block, translation).run();
}

}  // namespace fovea
