// Code points, each a token; the others are written as bytes or are unknown.
#include <algorithm>
#include <unordered_map>

#include "fovea/base/check.h"
#include "fovea/base/unicode.h"
#include "fovea/data/line_sample.h"
#include "fovea/data/text_model.h"

namespace fovea {
namespace {

class Characters : public TextModel {
 public:
  Characters(Vocabulary vocabulary, bool bytes)
      : TextModel(std::move(vocabulary)),
        bytes_(bytes),
        first_(Vocabulary::kFirstByte + (bytes ? 256 : 0)) {
    const auto& entries = this->vocabulary().entries;
    for (int id = first_; id < this->vocabulary().size(); ++id) {
      ids_.emplace(entries[id].bytes, id);
    }
  }

  std::vector<Piece> pieces(std::string_view text) const override {
    std::vector<Piece> all;
    int begin = 0;
    while (begin < static_cast<int>(text.size())) {
      const size_t bytes = code_point_bytes(text.substr(begin));
      const std::string_view character = text.substr(begin, bytes);
      const int end = begin + static_cast<int>(bytes);
      if (const auto found = ids_.find(character); found != ids_.end()) {
        all.push_back({found->second, begin, end});
      } else if (bytes_) {
        for (const char c : character) {
          all.push_back({Vocabulary::kFirstByte + static_cast<unsigned char>(c),
                         begin, end});
        }
      } else {
        all.push_back({vocabulary().unknown, begin, end});
      }
      begin = end;
    }
    return all;
  }

  // Characters one after another, behind a letter that tells of the bytes.
  std::string payload() const override {
    std::string all = bytes_ ? "b" : "-";
    for (int id = first_; id < vocabulary().size(); ++id) {
      all += vocabulary().entries[id].bytes;
    }
    return all;
  }
  std::string unit() const override { return "characters"; }

 protected:
  bool has_space_in_front() const override { return false; }

 private:
  bool bytes_;
  int first_;
  std::unordered_map<std::string_view, int> ids_;  // views into the entries
};

Vocabulary vocabulary_of(const std::string& characters, bool bytes) {
  Vocabulary all = Vocabulary::with_marks(bytes);
  for (std::string_view rest = characters; !rest.empty();) {
    const std::string character(rest.substr(0, code_point_bytes(rest)));
    all.entries.push_back(
        {character == " " ? std::string(kSpaceMark) : character, character});
    rest.remove_prefix(character.size());
  }
  return all;
}

}  // namespace

TextModelPtr train_characters(const TokenizerConfig& config,
                              const std::vector<std::string>& lines) {
  const int first = Vocabulary::kFirstByte + (config.byte_fallback ? 256 : 0);
  check_usage(config.vocab_size > first, "vocab_size ", config.vocab_size,
              ": marks and bytes take ", first, "; give more");
  const std::vector<CharacterCount> counts = count_characters(lines);
  const size_t kept = std::min<size_t>(covering(counts, config.coverage),
                                       config.vocab_size - first);
  std::string characters;
  for (size_t i = 0; i < kept; ++i) characters += counts[i].character;
  return std::make_unique<Characters>(
      vocabulary_of(characters, config.byte_fallback), config.byte_fallback);
}

TextModelPtr read_characters(std::string_view payload,
                             const std::string& source) {
  check_data(!payload.empty() && (payload[0] == 'b' || payload[0] == '-') &&
                 is_utf8(payload),
             source, ": the list of characters is damaged");
  const bool bytes = payload[0] == 'b';
  return std::make_unique<Characters>(
      vocabulary_of(std::string(payload.substr(1)), bytes), bytes);
}

}  // namespace fovea
