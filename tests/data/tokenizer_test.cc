#include "fovea/data/tokenizer.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <filesystem>
#include <fstream>

#include "fovea/base/check.h"
#include "fovea/base/log.h"
#include "fovea/base/parallel.h"
#include "support/effort.h"

namespace fovea {
namespace {

// Made-up sentences, enough for a few hundred subwords.
std::vector<std::string> sample_text() {
  const std::vector<std::string> subjects = {"the cat", "a small dog",
                                             "my neighbour", "der Löwe"};
  const std::vector<std::string> verbs = {"watches", "is watching", "sieht",
                                          "does not see"};
  const std::vector<std::string> objects = {"the green tree .", "two birds !",
                                            "eine Straße", "12 houses , 日本"};
  std::vector<std::string> lines;
  for (const auto& s : subjects) {
    for (const auto& v : verbs) {
      for (const auto& o : objects) lines.push_back(s + " " + v + " " + o);
    }
  }
  return lines;
}

EachLine each(std::vector<std::string> lines) {
  return [lines = std::move(lines)](
             const std::function<void(std::string_view)>& line) {
    for (const std::string& text : lines) line(text);
  };
}

Tokenizer trained(TextUnit unit, int size = 400, bool bytes = true) {
  return Tokenizer::train(
      {.unit = unit, .vocab_size = size, .byte_fallback = bytes},
      each(sample_text()));
}

std::string round_trip(const Tokenizer& tokenizer, std::string_view text) {
  return tokenizer.decode(tokenizer.encode(text));
}

constexpr TextUnit kLossless[] = {TextUnit::kUnigram, TextUnit::kBpe,
                                  TextUnit::kCharacters};

std::string code_point(uint32_t c) {
  std::string s;
  if (c < 0x80) {
    s += static_cast<char>(c);
  } else if (c < 0x800) {
    s += static_cast<char>(0xc0 | (c >> 6));
    s += static_cast<char>(0x80 | (c & 63));
  } else if (c < 0x10000) {
    s += static_cast<char>(0xe0 | (c >> 12));
    s += static_cast<char>(0x80 | ((c >> 6) & 63));
    s += static_cast<char>(0x80 | (c & 63));
  } else {
    s += static_cast<char>(0xf0 | (c >> 18));
    s += static_cast<char>(0x80 | ((c >> 12) & 63));
    s += static_cast<char>(0x80 | ((c >> 6) & 63));
    s += static_cast<char>(0x80 | (c & 63));
  }
  return s;
}

// Texts of plain words, of the characters that are awkward, and of any.
rc::Gen<std::string> any_text() {
  const auto awkward = rc::gen::element<uint32_t>(
      0, ' ', ' ', '\t', '\r', 0xa0, 0x2581, 0x2585, 0x2028, 0x301, 0x200d,
      0xfeff, 0x1f600, 0x1f1e9, 0x10ffff, 0xe000, 0xfffd, '<', '_', 'a', 'e');
  const auto any = rc::gen::suchThat(
      rc::gen::inRange<uint32_t>(0, 0x110000),
      [](uint32_t c) { return c != '\n' && (c < 0xd800 || c > 0xdfff); });
  return rc::gen::map(
      rc::gen::container<std::vector<uint32_t>>(rc::gen::oneOf(awkward, any)),
      [](const std::vector<uint32_t>& codes) {
        std::string text;
        for (const uint32_t c : codes) text += code_point(c);
        return text;
      });
}

class TokenizerTest : public ::testing::Test {
 protected:
  TokenizerTest() { set_log_level(LogLevel::kError); }
  ~TokenizerTest() override { set_log_level(LogLevel::kInfo); }
};

TEST_F(TokenizerTest, GivesBackAwkwardText) {
  const std::string nul("a\0b", 3);
  for (const TextUnit unit : kLossless) {
    const Tokenizer tokenizer = trained(unit);
    for (const std::string& text :
         {std::string(""), std::string(" "), std::string("  two  spaces  "),
          std::string("\ttab\t"), std::string("▁"), std::string("a▁ ▁b"), nul,
          std::string(3, '\0'), std::string("é\u0301e\u0301"),
          std::string("👩‍👩‍👧 🇩🇪"), std::string("line\r"),
          std::string("no\u00a0break"), std::string("<unk> </s> <0x41>"),
          std::string("ﬁ ① Ａ"), std::string("\ufeffbom\u2028")}) {
      EXPECT_EQ(round_trip(tokenizer, text), text);
    }
  }
}

TEST_F(TokenizerTest, GivesBackAnyText) {
  for (const TextUnit unit : kLossless) {
    const Tokenizer tokenizer = trained(unit);
    rc::detail::checkGTest([&] {
      const std::string text = *any_text();
      RC_ASSERT(round_trip(tokenizer, text) == text);
      std::vector<int> ids;
      for (const Piece& piece : tokenizer.pieces(text)) ids.push_back(piece.id);
      RC_ASSERT(ids == tokenizer.encode(text));
      for (const int id : ids) RC_ASSERT(id != tokenizer.unknown());
    });
  }
}

}  // namespace
}  // namespace fovea
