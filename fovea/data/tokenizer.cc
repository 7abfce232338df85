#include "fovea/data/tokenizer.h"

#include <algorithm>
#include <optional>

#include "fovea/base/check.h"
#include "fovea/base/log.h"
#include "fovea/base/unicode.h"
#include "fovea/data/hash.h"
#include "fovea/data/line_sample.h"
#include "fovea/data/sentencepiece.h"
#include "fovea/data/text_model.h"
#include "fovea/io/text_file.h"

namespace fovea {
namespace {

// "fovea-tokenizer 1 unigram 0123456789abcdef\n", then the payload. The number
// is a hash of the payload: SentencePiece does not survive every broken file.
constexpr std::string_view kMagic = "fovea-tokenizer 1 ";

std::string checksum(std::string_view payload) {
  constexpr char kDigits[] = "0123456789abcdef";
  const uint64_t hash = text_hash(payload);
  std::string digits;
  for (int shift = 60; shift >= 0; shift -= 4) {
    digits += kDigits[(hash >> shift) & 15];
  }
  return digits;
}

void check_config(const TokenizerConfig& config) {
  check_usage(config.vocab_size >= 4, "vocab_size ", config.vocab_size,
              ": give at least 4");
  check_usage(config.coverage > 0 && config.coverage <= 1,
              "character_coverage ", config.coverage,
              ": give a number above 0, up to 1");
  check_usage(config.sample_lines >= 1, "vocab_lines ", config.sample_lines,
              ": give at least 1");
}

TextModelPtr train_model(const TokenizerConfig& config,
                         const std::vector<std::string>& lines) {
  switch (config.unit) {
    case TextUnit::kWords:
      return train_words(config, lines);
    case TextUnit::kCharacters:
      return train_characters(config, lines);
    case TextUnit::kUnigram:
    case TextUnit::kBpe:
      break;
  }
  return train_sentencepiece(config, lines);
}

TextModelPtr read_own(TextUnit unit, std::string_view payload,
                      const std::string& source) {
  switch (unit) {
    case TextUnit::kWords:
      return read_words(payload, source);
    case TextUnit::kCharacters:
      return read_characters(payload, source);
    case TextUnit::kUnigram:
    case TextUnit::kBpe:
      break;
  }
  return read_sentencepiece(FieldText<TextUnit>::print(unit), payload, source);
}

}  // namespace

std::vector<int> ids_of(std::span<const Piece> pieces) {
  std::vector<int> ids;
  for (const Piece& piece : pieces) ids.push_back(piece.id);
  return ids;
}

Tokenizer::Tokenizer(std::shared_ptr<const TextModel> model)
    : model_(std::move(model)) {}

Tokenizer Tokenizer::train(const TokenizerConfig& config,
                           const EachLine& lines) {
  check_config(config);
  const std::vector<std::string> sample =
      sample_lines(lines, config.sample_lines, config.seed);
  check_data(!sample.empty(), "there is no text to learn a vocabulary from");
  Tokenizer result(train_model(config, sample));
  if (result.size() < config.vocab_size) {
    log_info("the text gives ", result.size(), " tokens, not ",
             config.vocab_size);
  }
  return result;
}

Tokenizer Tokenizer::read(const std::string& bytes, const std::string& source) {
  if (!bytes.starts_with(kMagic)) {
    return Tokenizer(read_sentencepiece("", bytes, source));
  }
  const std::string_view all(bytes);
  const size_t line_end = std::min(all.find('\n'), all.size());
  const std::string_view head =
      all.substr(kMagic.size(), line_end - kMagic.size());
  const std::string_view payload =
      all.substr(std::min(line_end + 1, all.size()));
  const size_t space = std::min(head.find(' '), head.size());
  TextUnit unit = {};
  check_data(
      FieldText<TextUnit>::parse(std::string(head.substr(0, space)), unit),
      source, ": no tokenizer that this version can read");
  check_data(head.substr(std::min(space + 1, head.size())) == checksum(payload),
             source, ": the tokenizer is damaged; its checksum is wrong");
  return Tokenizer(read_own(unit, payload, source));
}

Tokenizer Tokenizer::load(const std::string& path) {
  return read(read_text(path), path);
}

std::string Tokenizer::write() const {
  const std::string payload = model_->payload();
  if (model_->unit().empty()) return payload;
  return join(kMagic, model_->unit(), " ", checksum(payload), "\n", payload);
}

void Tokenizer::save(const std::string& path) const {
  replace_file(path, write());
}

std::vector<int> Tokenizer::encode(std::string_view text) const {
  return is_utf8(text) ? model_->encode(text) : model_->encode(mend_utf8(text));
}

std::vector<Piece> Tokenizer::pieces(std::string_view text) const {
  return is_utf8(text) ? model_->pieces(text) : model_->pieces(mend_utf8(text));
}

void Tokenizer::check_known(std::span<const int> ids) const {
  for (const int id : ids) {
    check(id >= 0 && id < size(), "token ", id, " of a vocabulary of ", size());
  }
}

std::string Tokenizer::decode(std::span<const int> ids) const {
  check_known(ids);
  return model_->decode(ids);
}

JoinedText Tokenizer::decode_pieces(std::span<const int> ids) const {
  check_known(ids);
  return model_->decode_pieces(ids);
}

std::string Tokenizer::piece(int id) const {
  check_known({&id, 1});
  return model_->vocabulary().entries[id].shown;
}

bool Tokenizer::starts_word(int id) const {
  check_known({&id, 1});
  return model_->vocabulary().entries[id].bytes.starts_with(' ');
}

int Tokenizer::size() const { return model_->vocabulary().size(); }
int Tokenizer::unknown() const { return model_->vocabulary().unknown; }
int Tokenizer::begin() const { return model_->vocabulary().begin; }
int Tokenizer::end() const { return model_->vocabulary().end; }

}  // namespace fovea
