#include "fovea/data/sentencepiece.h"

#include <sentencepiece_processor.h>

#include <algorithm>
#include <charconv>

#include "fovea/base/check.h"
#include "fovea/base/unicode.h"
#include "fovea/data/word_cache.h"

namespace fovea {
namespace {

namespace sp = sentencepiece;

// SentencePiece writes a space as the mark and so loses a real mark; and its
// tries end at NUL. Our own models write both as bytes.
struct NextReserved {
  size_t begin, size;
};

NextReserved next_reserved(std::string_view text) {
  const size_t mark = text.find(kSpaceMark), nul = text.find('\0');
  if (std::min(mark, nul) == std::string_view::npos) return {text.size(), 0};
  return mark < nul ? NextReserved{mark, kSpaceMark.size()}
                    : NextReserved{nul, 1};
}

std::string bytes_of(const sp::SentencePieceProcessor& processor, int id) {
  const std::string& piece = processor.IdToPiece(id);
  if (processor.IsControl(id)) return "";
  if (processor.IsByte(id)) {  // <0x0A>
    int byte = 0;
    const char* const digits = piece.data() + std::min<size_t>(3, piece.size());
    std::from_chars(digits, piece.data() + piece.size(), byte, 16);
    return std::string(1, static_cast<char>(byte));
  }
  std::string bytes;
  for (size_t at = 0; at < piece.size();) {
    const bool space = piece.compare(at, kSpaceMark.size(), kSpaceMark) == 0;
    bytes += space ? ' ' : piece[at];
    at += space ? kSpaceMark.size() : 1;
  }
  return bytes;
}

Vocabulary vocabulary_of(const sp::SentencePieceProcessor& processor) {
  Vocabulary all;
  for (int id = 0; id < processor.GetPieceSize(); ++id) {
    all.entries.push_back({processor.IdToPiece(id), bytes_of(processor, id)});
  }
  all.unknown = processor.unk_id();
  all.end = processor.eos_id();
  all.begin = processor.bos_id() >= 0 ? processor.bos_id() : all.end;
  return all;
}

// As SentencePiece does it, for a model from elsewhere.
class Foreign : public TextModel {
 public:
  Foreign(std::unique_ptr<sp::SentencePieceProcessor> processor,
          std::string_view payload)
      : TextModel(vocabulary_of(*processor)),
        processor_(std::move(processor)),
        payload_(payload) {}

  std::vector<int> encode(std::string_view text) const override {
    return processor_->EncodeAsIds(text);
  }

  std::vector<Piece> pieces(std::string_view text) const override {
    return pieces_of(processor_->EncodeAsImmutableProto(text));
  }

  std::string decode(std::span<const int> ids) const override {
    return processor_->DecodeIds({ids.begin(), ids.end()});
  }

  JoinedText decode_pieces(std::span<const int> ids) const override {
    const auto joined =
        processor_->DecodeIdsAsImmutableProto({ids.begin(), ids.end()});
    return {joined.text(), pieces_of(joined)};
  }

  std::string payload() const override { return payload_; }
  std::string unit() const override { return ""; }

 protected:
  bool has_space_in_front() const override { return true; }

 private:
  std::vector<Piece> pieces_of(
      const sp::ImmutableSentencePieceText& cut) const {
    std::vector<Piece> all;
    for (size_t i = 0; i < cut.pieces_size(); ++i) {
      const auto piece = cut.pieces(static_cast<int>(i));
      all.push_back({static_cast<int>(piece.id()),
                     static_cast<int>(piece.begin()),
                     static_cast<int>(piece.end())});
    }
    // Only the last byte of a character has a range.
    for (size_t i = all.size(); i-- > 1;) {
      Piece& before = all[i - 1];
      if (before.begin == before.end && processor_->IsByte(before.id)) {
        before.end = all[i].end;
      }
    }
    return all;
  }

  std::unique_ptr<sp::SentencePieceProcessor> processor_;
  std::string payload_;
};

// Ours: nothing is normalised, a space is put in front of the text, and what
// SentencePiece cannot write goes beside it. No piece reaches over a space, so
// that words can be cut one by one.
class Own : public Foreign {
 public:
  Own(std::unique_ptr<sp::SentencePieceProcessor> processor,
      std::string_view payload, std::string unit)
      : Foreign(std::move(processor), payload),
        unit_(std::move(unit)),
        bytes_(vocabulary().size() > 256 &&
               vocabulary().entries[Vocabulary::kFirstByte].shown == "<0x00>") {
  }

  std::vector<int> encode(std::string_view text) const override {
    std::vector<int> ids;
    each_word(text, [&](std::string_view word, int) { append(word, ids); });
    return ids;
  }

  std::vector<Piece> pieces(std::string_view text) const override {
    std::vector<Piece> all;
    std::vector<int> ids;
    each_word(text, [&](std::string_view word, int begin) {
      ids.clear();
      append(word, ids);
      for (const Piece& piece : place(word, ids)) {
        all.push_back(
            {piece.id, std::max(0, begin + piece.begin), begin + piece.end});
      }
    });
    return all;
  }

  std::string decode(std::span<const int> ids) const override {
    return TextModel::decode(ids);
  }
  JoinedText decode_pieces(std::span<const int> ids) const override {
    return TextModel::decode_pieces(ids);
  }

  std::string unit() const override { return unit_; }

 private:
  // Calls word(part, begin) for each space with what follows it, and for each
  // reserved character.
  static void each_word(std::string_view text, const auto& word) {
    if (text.empty()) return;
    std::string spaced(1, ' ');
    spaced += text;
    std::string_view rest = spaced;
    int begin = -1;
    const auto take = [&](size_t size) {
      word(rest.substr(0, size), begin);
      rest.remove_prefix(size);
      begin += static_cast<int>(size);
    };
    while (!rest.empty()) {
      const NextReserved next = next_reserved(rest);
      const size_t left = rest.size() - next.begin;
      while (rest.size() > left) {
        take(std::min(rest.find(' ', 1), rest.size() - left));
      }
      if (next.size > 0) take(next.size);
    }
  }

  void append(std::string_view word, std::vector<int>& ids) const {
    const auto cut = [this](std::string_view text) -> std::vector<int> {
      if (next_reserved(text).begin > 0) return Foreign::encode(text);
      if (!bytes_) return {vocabulary().unknown};
      std::vector<int> all;
      for (const char c : text) {
        all.push_back(Vocabulary::kFirstByte + static_cast<unsigned char>(c));
      }
      return all;
    };
    cache_.append(word, cut, ids);
  }

  // Where the tokens of a word stand: all but the unknown know their length.
  std::vector<Piece> place(std::string_view word,
                           std::span<const int> ids) const {
    const auto size = static_cast<int>(word.size());
    if (std::find(ids.begin(), ids.end(), vocabulary().unknown) != ids.end()) {
      return ids.size() == 1 ? std::vector<Piece>{{ids[0], 0, size}}
                             : Foreign::pieces(word);
    }
    std::vector<Piece> all;
    int at = 0;
    for (const int id : ids) {
      const bool byte = bytes_ && id >= Vocabulary::kFirstByte &&
                        id < Vocabulary::kFirstByte + 256;
      const std::string_view rest = word.substr(at);
      const size_t own = vocabulary().entries[id].bytes.size();
      if (byte && (static_cast<unsigned char>(rest.front()) & 0xc0) == 0x80) {
        all.push_back({id, all.back().begin, all.back().end});
      } else {
        const size_t length = byte ? code_point_bytes(rest) : own;
        all.push_back({id, at, at + static_cast<int>(length)});
      }
      at += static_cast<int>(own);
    }
    return all;
  }

  std::string unit_;
  bool bytes_;
  mutable WordCache cache_;  // what it holds changes no result
};

}  // namespace

TextModelPtr read_sentencepiece(const std::string& unit,
                                std::string_view payload,
                                const std::string& source) {
  auto processor = std::make_unique<sp::SentencePieceProcessor>();
  const auto status = processor->LoadFromSerializedProto(payload);
  check_data(status.ok() && processor->GetPieceSize() > 0, source,
             ": no tokenizer and no model of SentencePiece");
  check_data(processor->eos_id() >= 0, source,
             ": the SentencePiece model has no end mark </s>");
  if (unit.empty()) {
    return std::make_unique<Foreign>(std::move(processor), payload);
  }
  return std::make_unique<Own>(std::move(processor), payload, unit);
}

}  // namespace fovea
