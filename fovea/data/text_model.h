#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "fovea/data/tokenizer.h"

namespace fovea {

// A space as people see it in a token.
constexpr std::string_view kSpaceMark = "\xe2\x96\x81";  // ▁

// The tokens of a model, by id.
struct Vocabulary {
  struct Entry {
    std::string shown;  // for people
    std::string bytes;  // of the text; a mark has none
  };
  std::vector<Entry> entries;
  int unknown = 0, begin = 1, end = 2;

  int size() const { return static_cast<int>(entries.size()); }
  // Marks first, then the 256 bytes if they are wanted: what our own models
  // begin with. Byte b has the id kFirstByte + b.
  static Vocabulary with_marks(bool bytes);
  static constexpr int kFirstByte = 3;
};

// What stands behind a Tokenizer: one way to cut text. Immutable.
class TextModel {
 public:
  explicit TextModel(Vocabulary vocabulary)
      : vocabulary_(std::move(vocabulary)) {}
  virtual ~TextModel() = default;

  // The text is UTF-8.
  virtual std::vector<Piece> pieces(std::string_view text) const = 0;
  virtual std::vector<int> encode(std::string_view text) const;
  // The ids are of the vocabulary. The bytes of all tokens; our models of
  // subwords and words put a space in front of a text, which goes again.
  virtual std::string decode(std::span<const int> ids) const;
  // The same text.
  virtual JoinedText decode_pieces(std::span<const int> ids) const;
  // What its reader needs beside the unit.
  virtual std::string payload() const = 0;
  // "unigram", or "" for a model from elsewhere, whose payload is its file.
  virtual std::string unit() const = 0;

  const Vocabulary& vocabulary() const { return vocabulary_; }

 protected:
  virtual bool has_space_in_front() const = 0;

 private:
  Vocabulary vocabulary_;
};

using TextModelPtr = std::unique_ptr<const TextModel>;

// Words and characters; `lines` is a sample.
TextModelPtr train_words(const TokenizerConfig& config,
                         const std::vector<std::string>& lines);
TextModelPtr train_characters(const TokenizerConfig& config,
                              const std::vector<std::string>& lines);
TextModelPtr read_words(std::string_view payload, const std::string& source);
TextModelPtr read_characters(std::string_view payload,
                             const std::string& source);

}  // namespace fovea
