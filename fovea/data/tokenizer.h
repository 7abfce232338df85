#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "fovea/base/fields.h"

namespace fovea {

// What a token is: a subword of SentencePiece (Kudo 2018, or byte pairs), a
// word between blanks, or a character.
enum class TextUnit { kUnigram, kBpe, kWords, kCharacters };
constexpr EnumName<TextUnit> kTextUnits[] = {
    {TextUnit::kUnigram, "unigram"},
    {TextUnit::kBpe, "bpe"},
    {TextUnit::kWords, "words"},
    {TextUnit::kCharacters, "characters"},
};
constexpr auto& enum_names(TextUnit) { return kTextUnits; }

struct TokenizerConfig {
  TextUnit unit = TextUnit::kUnigram;
  int vocab_size = 8000;
  bool byte_fallback = true;
  float coverage = 0.9995f;
  int64_t sample_lines = 1000000;
  int64_t seed = 1;  // set by the owner of the run; no field of its own

  void fields(auto&& field) {
    field("text-unit", unit, "what a token is");
    field("vocab-size", vocab_size, "tokens of a vocabulary, at most");
    field("byte-fallback", byte_fallback,
          "write unknown characters as bytes, so that nothing is unknown\n"
          "(words have none)");
    field("character-coverage", coverage,
          "part of the text whose characters are tokens of their own");
    field("vocab-lines", sample_lines,
          "lines to learn a vocabulary from, at most");
  }
};

// One token of a text and the bytes [begin, end) it stands for, perhaps with
// the space in front. Bytes of one character share its range.
struct Piece {
  int id;
  int begin, end;
  friend bool operator==(const Piece&, const Piece&) = default;
};
std::vector<int> ids_of(std::span<const Piece> pieces);

// A text put together from tokens, and where each of them stands in it.
struct JoinedText {
  std::string text;
  std::vector<Piece> pieces;  // one for each token; of a mark, empty
};

// Calls back once for each line of a text.
using EachLine =
    std::function<void(const std::function<void(std::string_view)>&)>;

class TextModel;

// Cuts text into tokens and joins them again. Immutable; copies share; threads
// may share one.
//
// decode(encode(x)) == x for any UTF-8, be it spaces, NUL or U+2581, if the
// unit is unigram, bpe or characters and there is byte fallback. Without
// fallback it holds for text of known characters, and for words if all are
// known and one space stands between two. What is unknown comes back as
// "<unk>". Bytes that are no UTF-8 count as U+FFFD. A model that SentencePiece
// made elsewhere does what SentencePiece does.
class Tokenizer {
 public:
  // Learns from the lines, or from a random sample if there are more than
  // `sample_lines`. The result depends on the config and the lines alone. It
  // has fewer tokens than asked for if the text has no more; the log says so.
  // A text without any character is a data error.
  static Tokenizer train(const TokenizerConfig& config, const EachLine& lines);

  // A file of save(), or a model of SentencePiece. A data error names the file
  // if it is neither.
  static Tokenizer load(const std::string& path);
  static Tokenizer read(const std::string& bytes, const std::string& source);
  void save(const std::string& path) const;  // all or nothing
  std::string write() const;

  std::vector<int> encode(std::string_view text) const;
  std::vector<Piece> pieces(std::string_view text) const;
  // Begin and end marks give nothing. Bytes that make no UTF-8 give U+FFFD.
  std::string decode(std::span<const int> ids) const;
  JoinedText decode_pieces(std::span<const int> ids) const;

  std::string piece(int id) const;  // for people: "▁cat", "<0x0a>", "</s>"
  // A new word begins with this token; the others continue one.
  bool starts_word(int id) const;

  int size() const;
  int unknown() const;
  int begin() const;  // end() in a model that has none
  int end() const;

 private:
  explicit Tokenizer(std::shared_ptr<const TextModel> model);
  void check_known(std::span<const int> ids) const;
  std::shared_ptr<const TextModel> model_;
};

}  // namespace fovea
