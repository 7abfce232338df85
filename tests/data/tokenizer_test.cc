#include "fovea/data/tokenizer.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>

#include "fovea/base/check.h"
#include "fovea/base/log.h"
#include "fovea/base/parallel.h"
#include "support/any_text.h"
#include "support/text_folder.h"

namespace fovea {
namespace {

using Lines = std::vector<std::string>;

// Made-up sentences, enough for some subwords.
Lines sample_text() {
  Lines lines;
  for (const char* who : {"the cat", "a small dog", "my dog", "der Löwe"}) {
    for (const char* does : {"watches", "is watching", "sieht", "sees not"}) {
      for (const char* what : {"the green tree .", "two birds !", "eine Straße",
                               "12 houses , 日本"}) {
        lines.push_back(join(who, " ", does, " ", what));
      }
    }
  }
  return lines;
}

EachLine each(Lines lines) {
  return [lines = std::move(lines)](const auto& line) {
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

Lines shown(const Tokenizer& tokenizer, std::string_view text) {
  Lines all;
  for (const int id : tokenizer.encode(text)) {
    all.push_back(tokenizer.piece(id));
  }
  return all;
}

template <class Fn>
std::string error_of(ErrorKind kind, Fn fn) {
  try {
    fn();
  } catch (const Error& e) {
    EXPECT_EQ(e.kind(), kind);
    return e.what();
  }
  return "no error";
}

constexpr TextUnit kUnits[] = {TextUnit::kUnigram, TextUnit::kBpe,
                               TextUnit::kCharacters, TextUnit::kWords};
constexpr TextUnit kLossless[] = {TextUnit::kUnigram, TextUnit::kBpe,
                                  TextUnit::kCharacters};

class TokenizerTest : public ::testing::Test {
 protected:
  TokenizerTest() { set_log_level(LogLevel::kError); }
  ~TokenizerTest() override { set_log_level(LogLevel::kInfo); }
};

TEST_F(TokenizerTest, GivesBackAwkwardText) {
  const Lines texts = {"",
                       " ",
                       "  two  spaces  ",
                       "\ttab\t",
                       "▁",
                       "a▁ ▁b",
                       std::string("a\0b", 3),
                       std::string(3, '\0'),
                       "é\u0301e\u0301",
                       "👩‍👩‍👧 🇩🇪",
                       "line\r",
                       "no\u00a0break",
                       "<unk> </s> <0x41>",
                       "ﬁ ① Ａ",
                       "\ufeffbom\u2028"};
  for (const TextUnit unit : kLossless) {
    const Tokenizer tokenizer = trained(unit);
    for (const std::string& text : texts) {
      EXPECT_EQ(round_trip(tokenizer, text), text);
    }
  }
}

TEST_F(TokenizerTest, GivesBackAnyTextAndKnowsWhereEachPieceStands) {
  for (const TextUnit unit : kLossless) {
    const Tokenizer tokenizer = trained(unit);
    rc::detail::checkGTest([&] {
      const std::string text = *testing::any_text();
      RC_ASSERT(round_trip(tokenizer, text) == text);
      std::vector<int> ids;
      int end = 0;
      for (const Piece& piece : tokenizer.pieces(text)) {
        ids.push_back(piece.id);
        RC_ASSERT(piece.id != tokenizer.unknown());
        // In order and without a gap.
        RC_ASSERT(piece.begin <= end && piece.end >= end);
        end = piece.end;
      }
      RC_ASSERT(end == static_cast<int>(text.size()));
      RC_ASSERT(ids == tokenizer.encode(text));
    });
  }
}

TEST_F(TokenizerTest, TakesBytesThatAreNoUtf8ForReplacementCharacters) {
  for (const TextUnit unit : kLossless) {
    EXPECT_EQ(round_trip(trained(unit), "a\xff\xe2\x82z"),
              "a\ufffd\ufffd\ufffdz");
  }
}

TEST_F(TokenizerTest, GivesBackKnownWordsBetweenSingleSpaces) {
  const Tokenizer words = trained(TextUnit::kWords);
  EXPECT_EQ(round_trip(words, "der Löwe sieht two birds !"),
            "der Löwe sieht two birds !");
  EXPECT_EQ(round_trip(words, "  the\tcat "), "the cat");
  EXPECT_EQ(round_trip(words, "the zebra"), "the <unk>");
  EXPECT_EQ(words.encode("zebra"), std::vector<int>{words.unknown()});
  EXPECT_EQ(words.pieces(" the zebra")[1], (Piece{words.unknown(), 5, 10}));
}

TEST_F(TokenizerTest, WritesUnknownCharactersAsUnknownWithoutFallback) {
  for (const TextUnit unit : kLossless) {
    const Tokenizer tokenizer = trained(unit, 100, false);
    EXPECT_EQ(round_trip(tokenizer, "the cat"), "the cat");
    const std::vector<int> ids = tokenizer.encode("the Ω");
    EXPECT_EQ(ids.back(), tokenizer.unknown());
    EXPECT_EQ(round_trip(tokenizer, "the Ω"), "the <unk>");
    EXPECT_EQ(round_trip(tokenizer, "a▁b").find("▁"), std::string::npos);
  }
}

TEST_F(TokenizerTest, GivesNothingForBeginAndEnd) {
  for (const TextUnit unit : kUnits) {
    const Tokenizer tokenizer = trained(unit);
    std::vector<int> ids = {tokenizer.begin()};
    for (const int id : tokenizer.encode("the cat")) ids.push_back(id);
    ids.push_back(tokenizer.end());
    EXPECT_EQ(tokenizer.decode(ids), "the cat");
    EXPECT_EQ(tokenizer.piece(tokenizer.end()), "</s>");
  }
}

TEST_F(TokenizerTest, MendsBytesThatAModelPutsTogetherWrongly) {
  const Tokenizer tokenizer = trained(TextUnit::kBpe);
  std::vector<int> ids = tokenizer.encode("a▁");
  ids.pop_back();
  EXPECT_EQ(tokenizer.decode(ids), "a\ufffd\ufffd");
}

// What each token stands for in the text that they make.
Lines placed(const JoinedText& joined) {
  Lines all;
  for (const Piece& piece : joined.pieces) {
    all.push_back(joined.text.substr(piece.begin, piece.end - piece.begin));
  }
  return all;
}

TEST_F(TokenizerTest, KnowsWhereTokensStandInTheTextTheyMake) {
  const Tokenizer bpe = trained(TextUnit::kBpe);
  EXPECT_EQ(placed(bpe.decode_pieces(bpe.encode("the dog"))),
            (Lines{"the", " dog"}));
  const Tokenizer words = trained(TextUnit::kWords);
  EXPECT_EQ(placed(words.decode_pieces(words.encode("the zebra sees"))),
            (Lines{"the", " <unk>", " sees"}));
  std::vector<int> marked = {words.begin()};
  for (const int id : words.encode("my dog")) marked.push_back(id);
  marked.push_back(words.end());
  EXPECT_EQ(placed(words.decode_pieces(marked)), (Lines{"", "my", " dog", ""}));
}

TEST_F(TokenizerTest, BytesOfACharacterShareItsRangeInTheTextTheyMake) {
  for (const TextUnit unit : kLossless) {
    const Tokenizer tokenizer = trained(unit);
    const JoinedText joined = tokenizer.decode_pieces(tokenizer.encode("aЖЖ"));
    const std::string ghe = "Ж";
    ASSERT_GE(joined.pieces.size(), 5u);
    const Lines all = placed(joined);
    EXPECT_EQ(Lines(all.end() - 4, all.end()), (Lines{ghe, ghe, ghe, ghe}));
    EXPECT_EQ(joined.pieces.back().end, 5);
    EXPECT_EQ(joined.pieces[joined.pieces.size() - 3].end, 3);
    // Without its last byte the second one is no character.
    std::vector<int> broken = tokenizer.encode("aЖЖ");
    broken.pop_back();
    const JoinedText mended = tokenizer.decode_pieces(broken);
    EXPECT_EQ(mended.text, "aЖ�");
    EXPECT_EQ(placed(mended).back(), "�");
  }
}

TEST_F(TokenizerTest, AnyTokensMakeTheSameTextWithAndWithoutPlaces) {
  for (const TextUnit unit : kUnits) {
    const Tokenizer tokenizer = trained(unit);
    rc::detail::checkGTest([&] {
      const auto ids = *rc::gen::container<std::vector<int>>(
          rc::gen::inRange(0, tokenizer.size()));
      const JoinedText joined = tokenizer.decode_pieces(ids);
      RC_ASSERT(joined.text == tokenizer.decode(ids));
      RC_ASSERT(joined.pieces.size() == ids.size());
      int begin = 0, end = 0;
      for (size_t i = 0; i < ids.size(); ++i) {
        const Piece& piece = joined.pieces[i];
        RC_ASSERT(piece.id == ids[i]);
        RC_ASSERT(piece.begin >= begin && piece.begin <= piece.end);
        RC_ASSERT(piece.begin <= end && piece.end >= end);
        begin = piece.begin;
        end = piece.end;
      }
      RC_ASSERT(end == static_cast<int>(joined.text.size()));
    });
  }
}

TEST_F(TokenizerTest, KnowsWhereWordsStart) {
  const auto starts = [](const Tokenizer& tokenizer, std::string_view text) {
    int count = 0;
    for (const int id : tokenizer.encode(text)) {
      count += tokenizer.starts_word(id);
    }
    return count;
  };
  EXPECT_EQ(starts(trained(TextUnit::kBpe), "the xyz cat"), 3);
  EXPECT_EQ(starts(trained(TextUnit::kUnigram), "the xyz cat"), 3);
  EXPECT_EQ(starts(trained(TextUnit::kWords), "the xyz cat"), 3);
  // A character has no space in front of the first word.
  EXPECT_EQ(starts(trained(TextUnit::kCharacters), "the xyz cat"), 2);
}

TEST_F(TokenizerTest, LearnsFrequentPieces) {
  EXPECT_EQ(shown(trained(TextUnit::kBpe), "the dog"), (Lines{"▁the", "▁dog"}));
  EXPECT_EQ(shown(trained(TextUnit::kWords), "the dog"), (Lines{"the", "dog"}));
  EXPECT_EQ(shown(trained(TextUnit::kCharacters), "a b\x01"),
            (Lines{"a", "▁", "b", "<0x01>"}));
}

TEST_F(TokenizerTest, IsTheSameForAnyNumberOfThreads) {
  for (const TextUnit unit : kUnits) {
    std::vector<std::string> files;
    for (const int threads : {1, 2, 4}) {
      const ThreadLimit limit(threads);
      files.push_back(trained(unit, 300).write());
    }
    EXPECT_EQ(files[0], files[1]);
    EXPECT_EQ(files[0], files[2]);
  }
}

TEST_F(TokenizerTest, LearnsFromASampleOfManyLines) {
  int calls = 0;
  const EachLine many = [&](const auto& line) {
    ++calls;
    for (int i = 0; i < 2000; ++i) line(join("w", i % 50, " x"));
  };
  const auto learn = [&](int64_t seed) {
    return Tokenizer::train({.unit = TextUnit::kWords,
                             .vocab_size = 1000,
                             .sample_lines = 20,
                             .seed = seed},
                            many);
  };
  const Tokenizer one = learn(1), same = learn(1), other = learn(2);
  EXPECT_LE(one.size(), 3 + 21);
  EXPECT_GE(one.size(), 3 + 8);
  EXPECT_EQ(one.write(), same.write());
  EXPECT_NE(one.write(), other.write());
}

TEST_F(TokenizerTest, SurvivesTextThatHasLittleToLearn) {
  for (const TextUnit unit : kLossless) {
    for (const std::string& text :
         {std::string("a"), std::string(" "), std::string("\t"),
          std::string("▁"), std::string(1, '\0'), std::string(5000, 'x'),
          std::string("\xff")}) {
      const Tokenizer tokenizer =
          Tokenizer::train({.unit = unit}, each({text, text}));
      EXPECT_LT(tokenizer.size(), 300);
      EXPECT_EQ(round_trip(tokenizer, "any text"), "any text");
    }
  }
  EXPECT_EQ(error_of(ErrorKind::kData, [] { Tokenizer::train({}, each({})); }),
            "there is no text to learn a vocabulary from");
  EXPECT_EQ(
      error_of(
          ErrorKind::kData,
          [] { Tokenizer::train({.unit = TextUnit::kWords}, each({" "})); }),
      "there is no word to learn a vocabulary from");
}

TEST_F(TokenizerTest, KeepsToTheSizeAsked) {
  for (const TextUnit unit : kLossless) {
    // More characters than there is room for: the others become bytes.
    const Tokenizer tokenizer = trained(unit, 275);
    EXPECT_LE(tokenizer.size(), 275);
    EXPECT_EQ(round_trip(tokenizer, "der Löwe 日本 12"), "der Löwe 日本 12");
  }
  EXPECT_EQ(
      error_of(ErrorKind::kUsage, [] { trained(TextUnit::kUnigram, 100); }),
      "vocab_size 100: give at least 267, of which 256 are bytes");
  EXPECT_EQ(trained(TextUnit::kWords, 10).size(), 10);
}

TEST_F(TokenizerTest, IsTheSameAfterSavingAndLoading) {
  const testing::TextFolder folder;
  for (const TextUnit unit : kUnits) {
    for (const bool bytes : {true, false}) {
      const Tokenizer before = trained(unit, 300, bytes);
      before.save(folder.path("t"));
      const Tokenizer after = Tokenizer::load(folder.path("t"));
      EXPECT_EQ(after.write(), before.write());
      EXPECT_EQ(after.size(), before.size());
      for (const char* text : {"the cat ▁ sees\t日本", "Ω", ""}) {
        EXPECT_EQ(after.encode(text), before.encode(text));
        EXPECT_EQ(round_trip(after, text), round_trip(before, text));
      }
    }
  }
}

TEST_F(TokenizerTest, ReadsAModelOfSentencePiece) {
  // Our file is such a model behind one line.
  const Tokenizer ours = trained(TextUnit::kBpe);
  const std::string file = ours.write();
  const std::string model = file.substr(file.find('\n') + 1);
  const Tokenizer theirs = Tokenizer::read(model, "x.spm");
  EXPECT_EQ(theirs.write(), model);
  EXPECT_EQ(theirs.size(), ours.size());
  EXPECT_EQ(theirs.end(), ours.end());
  EXPECT_EQ(theirs.encode(" the cat"), ours.encode("the cat"));
  const std::vector<Piece> pieces = theirs.pieces(" the \u0416");
  ASSERT_EQ(pieces.size(), 4u);
  EXPECT_EQ(pieces[0].begin, 0);
  EXPECT_EQ(pieces[0].end, 4);
  EXPECT_EQ(pieces[2].begin, 5);  // the bytes of one character share its range
  EXPECT_EQ(pieces[2].end, 7);
  EXPECT_EQ(pieces[3].end, 7);
  EXPECT_EQ(round_trip(theirs, "the \u0416"), "the \u0416");
  EXPECT_EQ(placed(theirs.decode_pieces(theirs.encode("the \u0416"))),
            (Lines{"t", "he", " ", "\u0416", "\u0416"}));
}

TEST_F(TokenizerTest, NamesAFileThatIsNoTokenizer) {
  const std::string good = trained(TextUnit::kWords).write();
  const auto error = [](const std::string& bytes) {
    return error_of(ErrorKind::kData, [&] { Tokenizer::read(bytes, "f"); });
  };
  EXPECT_EQ(error(""), "f: no tokenizer and no model of SentencePiece");
  EXPECT_EQ(error("hello"), "f: no tokenizer and no model of SentencePiece");
  EXPECT_EQ(error(good.substr(0, good.size() - 1)),
            "f: the tokenizer is damaged; its checksum is wrong");
  EXPECT_EQ(error("fovea-tokenizer 1 syllables 0\n"),
            "f: no tokenizer that this version can read");
  EXPECT_EQ(error("fovea-tokenizer 1 "),
            "f: no tokenizer that this version can read");
  EXPECT_NE(error_of(ErrorKind::kData, [] { Tokenizer::load("no/such"); })
                .find("no/such"),
            std::string::npos);
}

TEST_F(TokenizerTest, RefusesIdsBeyondTheVocabulary) {
  const Tokenizer words = trained(TextUnit::kWords, 10);
  EXPECT_EQ(
      error_of(ErrorKind::kRun, [&] { words.decode(std::vector<int>{10}); }),
      "token 10 of a vocabulary of 10");
  EXPECT_EQ(error_of(ErrorKind::kRun, [&] { words.piece(-1); }),
            "token -1 of a vocabulary of 10");
}

}  // namespace
}  // namespace fovea
