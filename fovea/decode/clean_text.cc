#include "fovea/decode/clean_text.h"

#include "fovea/base/unicode.h"
#include "fovea/base/words.h"

namespace fovea {
namespace {

constexpr std::string_view kByteOrderMark = "\ufeff";

// White space that a text begins with, byte order marks within it included.
struct SpaceRun {
  size_t bytes = 0;
  int characters = 0;  // of white space
};

SpaceRun space_run(std::string_view text) {
  SpaceRun run;
  for (;;) {
    const std::string_view rest = text.substr(run.bytes);
    const size_t space = white_space_at(rest);
    if (space == 0 && !rest.starts_with(kByteOrderMark)) return run;
    run.bytes += space > 0 ? space : kByteOrderMark.size();
    run.characters += space > 0;
  }
}

bool has_token_for(std::string_view character, const Tokenizer& tokenizer) {
  for (const int id : tokenizer.encode(character)) {
    if (tokenizer.decode({&id, 1}).find(character) != std::string::npos) {
      return true;
    }
  }
  return false;
}

// What stands for a run within a text.
std::string_view stand_in(std::string_view run, int characters,
                          const Tokenizer& tokenizer) {
  if (characters == 0) return "";
  const bool wide = static_cast<unsigned char>(run.front()) >= 0x80;
  const bool single = white_space_at(run) == run.size();
  return wide && single && has_token_for(run, tokenizer) ? run : " ";
}

}  // namespace

CleanText clean_text(std::string_view text, const Tokenizer& tokenizer) {
  CleanText clean;
  size_t at = space_run(text).bytes;
  while (at < text.size()) {
    // Nearly all bytes: none of what is sought begins with one of these.
    const auto byte = static_cast<unsigned char>(text[at]);
    const bool plain = byte > ' ' && byte < 0xc2;
    const SpaceRun run = plain ? SpaceRun() : space_run(text.substr(at));
    if (run.bytes == 0) {
      clean.text += text[at];
      clean.from.push_back(static_cast<int>(at++));
      continue;
    }
    if (at + run.bytes == text.size()) break;
    const std::string_view put =
        stand_in(text.substr(at, run.bytes), run.characters, tokenizer);
    clean.text += put;
    clean.from.insert(clean.from.end(), put.size(), static_cast<int>(at));
    at += run.bytes;
  }
  clean.from.push_back(static_cast<int>(at));
  return clean;
}

std::vector<Piece> CleanText::pieces(const TextRange& part,
                                     const Tokenizer& tokenizer) const {
  std::vector<Piece> all = tokenizer.pieces(part.of(text));
  const int begin = from[part.begin];
  for (Piece& piece : all) {
    piece.begin = from[part.begin + piece.begin] - begin;
    piece.end = from[part.begin + piece.end] - begin;
  }
  return all;
}

std::vector<Piece> clean_pieces(std::string_view text,
                                const Tokenizer& tokenizer) {
  const CleanText clean = clean_text(mend_utf8(text), tokenizer);
  std::vector<Piece> all =
      clean.pieces({0, static_cast<int>(clean.text.size())}, tokenizer);
  for (Piece& piece : all) {
    piece.begin += clean.from.front();
    piece.end += clean.from.front();
  }
  return all;
}

}  // namespace fovea
