#include "fovea/data/example_maker.h"

#include <algorithm>

#include "fovea/base/unicode.h"
#include "fovea/data/labelled.h"
#include "fovea/data/pharaoh.h"

namespace fovea {
namespace {

Fate fate_of(size_t tokens, int longest) {
  if (tokens == 0) return Fate::kEmpty;
  return tokens > static_cast<size_t>(longest) ? Fate::kTooLong : Fate::kKept;
}

}  // namespace

ExampleMaker pair_maker(Tokenizer source, Tokenizer target, int longest) {
  return [=](std::span<const std::string_view> texts) {
    MadeExample made;
    Example& example = made.example;
    if (texts.size() > 2) {
      // The pieces of bytes that are no UTF-8 belong to the mended text.
      const std::string from = mend_utf8(texts[0]), to = mend_utf8(texts[1]);
      const std::vector<Piece> source_pieces = source.pieces(from);
      const std::vector<Piece> target_pieces = target.pieces(to);
      example.source = ids_of(source_pieces);
      example.target = ids_of(target_pieces);
      if (const auto words = read_pharaoh(texts[2])) {
        example.links =
            token_links(*words, {from, source_pieces}, {to, target_pieces});
      }
    } else {
      example.source = source.encode(texts[0]);
      example.target = target.encode(texts[1]);
    }
    made.fate = std::max(fate_of(example.source.size(), longest),
                         fate_of(example.target.size(), longest));
    return made;
  };
}

ExampleMaker label_maker(Tokenizer text, std::vector<std::string> labels,
                         int longest) {
  return [=](std::span<const std::string_view> texts) {
    MadeExample made;
    const auto line = read_labelled(texts[0]);
    if (!line) return made;
    const auto found =
        std::lower_bound(labels.begin(), labels.end(), line->label);
    if (found == labels.end() || *found != line->label) return made;
    made.example.label = static_cast<int>(found - labels.begin());
    std::vector<int>& ids = made.example.source;
    ids = text.encode(line->text);
    made.cut = ids.size() > static_cast<size_t>(longest);
    if (made.cut) ids.resize(longest);
    made.fate = fate_of(ids.size(), longest);
    made.more_labels = line->labels > 1;
    return made;
  };
}

}  // namespace fovea
