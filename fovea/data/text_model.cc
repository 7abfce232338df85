#include "fovea/data/text_model.h"

#include <algorithm>

#include "fovea/base/unicode.h"

namespace fovea {
namespace {

// Puts U+FFFD where bytes are no UTF-8, and lets tokens that have a character
// together share its range.
void mend(JoinedText& all) {
  struct Place {
    int begin, end;  // in the mended text
  };
  std::string mended;
  std::vector<Place> places;  // of each byte
  for (std::string_view rest = all.text; !rest.empty();) {
    const size_t bytes = code_point_bytes(rest);
    const auto begin = static_cast<int>(mended.size());
    mended += mend_utf8(rest.substr(0, bytes));
    places.resize(places.size() + bytes,
                  {begin, static_cast<int>(mended.size())});
    rest.remove_prefix(bytes);
  }
  const auto bytes = static_cast<int>(places.size());
  int end = 0;  // of the token before; one without bytes stands there
  for (Piece& piece : all.pieces) {
    const int at = piece.begin;
    const bool within =
        at > 0 && at < bytes && places[at].begin == places[at - 1].begin;
    if (piece.begin == piece.end && !within) {
      piece.begin = piece.end = end;
    } else {
      const int last = std::max(piece.begin, piece.end - 1);
      piece.begin = places[at].begin;
      piece.end = end = places[last].end;
    }
  }
  all.text = std::move(mended);
}

}  // namespace

Vocabulary Vocabulary::with_marks(bool bytes) {
  constexpr char kDigits[] = "0123456789ABCDEF";
  Vocabulary all{.entries = {{"<unk>", "<unk>"}, {"<s>", ""}, {"</s>", ""}}};
  for (int b = 0; bytes && b < 256; ++b) {
    all.entries.push_back(
        {std::string("<0x") + kDigits[b >> 4] + kDigits[b & 15] + ">",
         std::string(1, static_cast<char>(b))});
  }
  return all;
}

std::vector<int> TextModel::encode(std::string_view text) const {
  std::vector<int> ids;
  for (const Piece& piece : pieces(text)) ids.push_back(piece.id);
  return ids;
}

std::string TextModel::decode(std::span<const int> ids) const {
  std::string text;
  for (const int id : ids) text += vocabulary_.entries[id].bytes;
  if (has_space_in_front() && text.starts_with(' ')) text.erase(0, 1);
  return is_utf8(text) ? text : mend_utf8(text);
}

JoinedText TextModel::decode_pieces(std::span<const int> ids) const {
  JoinedText all;
  for (const int id : ids) {
    const auto begin = static_cast<int>(all.text.size());
    all.text += vocabulary_.entries[id].bytes;
    all.pieces.push_back({id, begin, static_cast<int>(all.text.size())});
  }
  if (has_space_in_front() && all.text.starts_with(' ')) {
    all.text.erase(0, 1);
    for (Piece& piece : all.pieces) {
      piece.begin = std::max(0, piece.begin - 1);
      piece.end = std::max(0, piece.end - 1);
    }
  }
  mend(all);
  return all;
}

}  // namespace fovea
