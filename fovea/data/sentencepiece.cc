#include "fovea/data/sentencepiece.h"

#include <sentencepiece_processor.h>
#include <sentencepiece_trainer.h>

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "fovea/base/check.h"
#include "fovea/base/log.h"
#include "fovea/base/unicode.h"
#include "fovea/data/line_sample.h"

namespace fovea {
namespace {

namespace sp = sentencepiece;

// SentencePiece writes a space as this character and so loses a real one; and
// its tries end at NUL. Our own models write both as bytes.
constexpr std::string_view kSpaceMark = "\xe2\x96\x81";  // ▁
constexpr std::string_view kNul("\0", 1);
// The trainer keeps these for itself.
constexpr std::string_view kReserved[] = {kSpaceMark, kNul, "\t", "\n",
                                          "\xe2\x96\x85"};

// Unlike the number of our threads it decides the result: never change it.
constexpr const char* kTrainerThreads = "4";

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
  std::string piece = processor.IdToPiece(id);
  if (processor.IsControl(id)) return "";
  if (processor.IsByte(id)) {
    const std::string digits = piece.substr(3, 2);  // <0x0A>
    return std::string(1, static_cast<char>(std::stoi(digits, nullptr, 16)));
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
    std::vector<Piece> all;
    const auto cut = processor_->EncodeAsImmutableProto(text);
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

  std::string decode(std::span<const int> ids) const override {
    return processor_->DecodeIds({ids.begin(), ids.end()});
  }

  std::string payload() const override { return payload_; }
  std::string unit() const override { return ""; }

 protected:
  bool has_space_in_front() const override { return true; }

 private:
  std::unique_ptr<sp::SentencePieceProcessor> processor_;
  std::string payload_;
};

// Ours: nothing is normalised, a space is put in front of the text, and what
// SentencePiece cannot write goes beside it.
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
    cut(
        text,
        [&](std::string_view part, int) {
          const std::vector<int> more = Foreign::encode(part);
          ids.insert(ids.end(), more.begin(), more.end());
        },
        [&](const Piece& piece) { ids.push_back(piece.id); });
    return ids;
  }

  std::vector<Piece> pieces(std::string_view text) const override {
    std::vector<Piece> all;
    cut(
        text,
        [&](std::string_view part, int begin) {
          for (const Piece& piece : Foreign::pieces(part)) {
            all.push_back({piece.id, std::max(0, begin + piece.begin),
                           begin + piece.end});
          }
        },
        [&](const Piece& piece) { all.push_back(piece); });
    return all;
  }

  std::string decode(std::span<const int> ids) const override {
    return TextModel::decode(ids);
  }

  std::string unit() const override { return unit_; }

 private:
  // Calls plain(part, begin) for what SentencePiece can cut and single(piece)
  // for the rest, in order.
  void cut(std::string_view text, const auto& plain, const auto& single) const {
    if (text.empty()) return;
    std::string spaced(1, ' ');
    spaced += text;
    std::string_view rest = spaced;
    int begin = -1;
    while (!rest.empty()) {
      const NextReserved next = next_reserved(rest);
      if (next.begin > 0) plain(rest.substr(0, next.begin), begin);
      begin += static_cast<int>(next.begin);
      const int end = begin + static_cast<int>(next.size);
      for (size_t i = 0; i < next.size && (bytes_ || i == 0); ++i) {
        const auto byte = static_cast<unsigned char>(rest[next.begin + i]);
        single(
            Piece{bytes_ ? Vocabulary::kFirstByte + byte : vocabulary().unknown,
                  begin, end});
      }
      rest.remove_prefix(next.begin + next.size);
      begin = end;
    }
  }

  std::string unit_;
  bool bytes_;
};

class Lines : public sp::SentenceIterator {
 public:
  explicit Lines(std::vector<std::string> lines) : lines_(std::move(lines)) {}
  bool done() const override { return next_ == lines_.size(); }
  void Next() override { ++next_; }
  const std::string& value() const override { return lines_[next_]; }
  sp::util::Status status() const override { return {}; }

 private:
  std::vector<std::string> lines_;
  size_t next_ = 0;
};

// The characters that become tokens: enough to cover the text, but no more than
// three quarters of the vocabulary.
std::unordered_set<std::string> alphabet_of(
    const TokenizerConfig& config, const std::vector<std::string>& lines) {
  const int first = Vocabulary::kFirstByte + (config.byte_fallback ? 256 : 0);
  check_usage(config.vocab_size >= first + 8, "vocab_size ", config.vocab_size,
              ": give at least ", first + 8,
              config.byte_fallback ? ", of which 256 are bytes" : "");
  const std::vector<CharacterCount> counts = count_characters(lines);
  const size_t wanted = covering(counts, config.coverage);
  const size_t room = (config.vocab_size - first) / 4 * 3;
  if (wanted > room) {
    log_warning("a vocabulary of ", config.vocab_size, " has room for ", room,
                " of ", wanted, " characters; the others are ",
                config.byte_fallback ? "written as bytes" : "unknown");
  }
  std::unordered_set<std::string> alphabet;
  for (size_t i = 0; i < std::min(wanted, room); ++i) {
    alphabet.insert(counts[i].character);
  }
  alphabet.insert(" ");
  for (const std::string_view reserved : kReserved) {
    alphabet.erase(std::string(reserved));
  }
  return alphabet;
}

// The lines as SentencePiece will see them: a space in front, cut where a
// character is no token.
std::vector<std::string> training_parts(
    const std::vector<std::string>& lines,
    const std::unordered_set<std::string>& alphabet) {
  std::vector<std::string> parts;
  for (const std::string& line : lines) {
    std::string part = " ";
    for (std::string_view rest = line; !rest.empty();) {
      const std::string character(rest.substr(0, code_point_bytes(rest)));
      rest.remove_prefix(character.size());
      if (alphabet.contains(character)) {
        part += character;
      } else if (!part.empty()) {
        parts.push_back(std::move(part));
        part.clear();
      }
    }
    if (!part.empty()) parts.push_back(std::move(part));
  }
  return parts;
}

}  // namespace

TextModelPtr train_sentencepiece(const TokenizerConfig& config,
                                 const std::vector<std::string>& lines) {
  const std::string unit = FieldText<TextUnit>::print(config.unit);
  Lines parts(training_parts(lines, alphabet_of(config, lines)));
  std::string model;
  const auto status = sp::SentencePieceTrainer::Train(
      std::unordered_map<std::string, std::string>{
          {"minloglevel", "3"},
          {"model_type", unit},
          {"vocab_size", std::to_string(config.vocab_size)},
          {"byte_fallback", config.byte_fallback ? "true" : "false"},
          {"character_coverage", "1.0"},
          {"normalization_rule_name", "identity"},
          {"remove_extra_whitespaces", "false"},
          {"add_dummy_prefix", "false"},
          {"hard_vocab_limit", "false"},
          {"num_threads", kTrainerThreads},
      },
      &parts, &model);
  check_data(status.ok(),
             "no vocabulary can be learnt from this text: ", status.message());
  return read_sentencepiece(unit, model, "tokenizer");
}

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
