#include "fovea/data/text_model.h"

#include "fovea/base/unicode.h"

namespace fovea {

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

}  // namespace fovea
