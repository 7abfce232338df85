#include "fovea/decode/translator.h"

#include <gtest/gtest.h>

#include <numeric>

#include "fovea/base/check.h"
#include "fovea/base/unicode.h"
#include "fovea/decode/word_alignment.h"
#include "fovea/io/text_file.h"
#include "support/compare.h"
#include "support/temp_folder.h"
#include "support/translator_folder.h"

namespace fovea {
namespace {

using namespace fovea::testing;
using Texts = std::vector<std::string>;

class TranslatorTest : public ::testing::Test {
 protected:
  Translator load(const ModelFolderConfig& config = {}) const {
    const std::string path = write_model_folder(folder_.file("m"), config);
    return Translator::load({path});
  }

  static std::vector<TranslateRequest> requests(const Texts& texts) {
    std::vector<TranslateRequest> all;
    for (const std::string& text : texts) {
      all.push_back({.text = text, .number = all.size()});
    }
    return all;
  }

  static TranslateOptions options(int n_best = 1) {
    TranslateOptions o;
    o.all.search = {.beam_size = 3, .n_best = n_best, .max_length = 12};
    return o;
  }

  const TempFolder folder_;
};

// Words of the vocabulary, and of none.
const Texts kTexts = {
    "the cat sees two birds !",  "",       " \t\u00a0", "der Löwe",
    "zebra \u0416\U0001f600 !?", "my dog", "\xff bad"};

TEST_F(TranslatorTest, TranslatesEachTextAndNothingForBlankOnes) {
  const Translator t = load();
  const auto found = t.translate(requests(kTexts), options());
  ASSERT_EQ(found.size(), kTexts.size());
  for (size_t i = 0; i < found.size(); ++i) {
    ASSERT_EQ(found[i].size(), 1u);
    const Translation& best = found[i].front();
    const bool blank = i == 1 || i == 2;
    EXPECT_EQ(best.parts.size(), blank ? 0u : 1u);
    EXPECT_EQ(best.text.empty(), blank);
    EXPECT_TRUE(is_utf8(best.text));
    EXPECT_EQ(best.text.find('\n'), std::string::npos);
  }
}

TEST_F(TranslatorTest, GivesTheNBestWithScoresOfTheirTokens) {
  const Translator t = load();
  for (const auto& best : t.translate(requests(kTexts), options(3))) {
    float last = 0;
    for (const Translation& one : best) {
      double sum = 0;
      for (const TranslatedPart& part : one.parts) {
        EXPECT_EQ(part.log_probabilities.size(),
                  part.target.size() + (one.cut_off ? 0 : 1));
        for (float p : part.log_probabilities) sum += p;
      }
      EXPECT_NEAR(one.log_probability, sum, 1e-4);
      EXPECT_LE(one.score, last);
      last = one.score;
    }
  }
}

TEST_F(TranslatorTest, AsksForAttentionWithoutChangingTheText) {
  const Translator t = load();
  const auto plain = t.translate(requests(kTexts), options());
  TranslateOptions with = options();
  with.all.search.want_weights = true;
  const auto found = t.translate(requests(kTexts), with);
  for (size_t i = 0; i < found.size(); ++i) {
    const Translation& best = found[i].front();
    EXPECT_EQ(best.text, plain[i].front().text);
    for (const TranslatedPart& part : best.parts) {
      EXPECT_EQ(part.weights.size(),
                part.log_probabilities.size() * part.keys());
      for (size_t r = 0; r < part.log_probabilities.size(); ++r) {
        const auto row = part.weights.begin() + r * part.keys();
        EXPECT_NEAR(std::accumulate(row, row + part.keys(), 0.0), 1, 1e-5);
      }
      EXPECT_EQ(part.source.back().end, std::ssize(mend_utf8(kTexts[i])));
      EXPECT_EQ(part.target.back().end, std::ssize(best.text));
    }
  }
}

// Contract 4, with words, where a text has one way to be cut only.
TEST_F(TranslatorTest, AlignmentAndScoresAreThoseOfForcedDecoding) {
  const Texts texts = {"the cat sees two birds !", "my dog", "der Löwe ."};
  TranslateOptions with = options();
  with.all.search.want_weights = true;
  for (const char* kind : {"transformer", "rnnsearch", "convolution"}) {
    int compared = 0;
    for (uint64_t seed = 5; seed < 15; ++seed) {
      const Translator t =
          load({.unit = TextUnit::kWords, .kind = kind, .seed = seed});
      const auto found = t.translate(requests(texts), with);
      for (size_t i = 0; i < texts.size(); ++i) {
        const Translation& best = found[i].front();
        if (best.cut_off) continue;
        const ScoreRequest pair{texts[i], best.text};
        const Translation forced = t.score({&pair, 1}, with.all).front();
        EXPECT_EQ(forced.text, best.text);
        EXPECT_NEAR(forced.log_probability, best.log_probability, 1e-4);
        EXPECT_NEAR(forced.score, best.score, 1e-4);
        const auto &a = forced.parts[0].weights, &b = best.parts[0].weights;
        ASSERT_EQ(a.size(), b.size());
        for (size_t w = 0; w < a.size(); ++w) EXPECT_NEAR(a[w], b[w], 1e-5);
        ++compared;
      }
    }
    EXPECT_GT(compared, 0) << kind;
  }
}

TEST_F(TranslatorTest, LongTextIsTranslatedInPartsAsTheyWouldBeAlone) {
  const Translator t = load();
  const Texts parts = {"The cat sees.", "My dog!", "Der Löwe sieht,",
                       "two birds ."};
  const std::string text =
      parts[0] + "  " + parts[1] + "\u3000" + parts[2] + " " + parts[3];
  TranslateOptions o = options();
  o.all.search.want_weights = true;
  o.max_input = 0;
  for (const std::string& part : parts) {
    o.max_input = std::max<int>(o.max_input, t.source().encode(part).size());
  }
  const auto alone = t.translate(requests(parts), o);
  const Translation whole = t.translate(requests({text}), o).front().front();
  ASSERT_EQ(whole.parts.size(), 4u);
  const auto& a = alone;
  EXPECT_EQ(whole.text, a[0][0].text + "  " + a[1][0].text + "\u3000" +
                            a[2][0].text + " " + a[3][0].text);
  float score = 0;
  for (const auto& one : alone) score += one[0].score;
  EXPECT_NEAR(whole.score, score, 1e-4);
  // Offsets are those of the whole texts.
  for (size_t p = 0; p < 4; ++p) {
    const TranslatedPart& part = whole.parts[p];
    EXPECT_EQ(text.substr(part.source.front().begin,
                          part.source.back().end - part.source.front().begin),
              parts[p]);
    EXPECT_EQ(
        whole.text.substr(part.target.front().begin,
                          part.target.back().end - part.target.front().begin),
        a[p][0].text);
  }
}

TEST_F(TranslatorTest, TheNBestOfALongTextHaveTheLargestSums) {
  const Translator t = load();
  const Texts parts = {"The cat sees.", "My dog!"};
  TranslateOptions o = options(3);
  o.all.search.beam_size = 8;  // some hypotheses are the same text
  o.max_input = 10;
  const auto alone = t.translate(requests(parts), o);
  std::vector<float> sums;
  for (const Translation& a : alone[0]) {
    for (const Translation& b : alone[1]) sums.push_back(a.score + b.score);
  }
  std::sort(sums.rbegin(), sums.rend());
  const auto whole =
      t.translate(requests({parts[0] + " " + parts[1]}), o).front();
  ASSERT_EQ(whole.size(), 3u);
  for (size_t i = 0; i < 3; ++i) {
    ASSERT_EQ(whole[i].parts.size(), 2u);
    EXPECT_NEAR(whole[i].score, sums[i], 1e-4);
  }
}

TEST_F(TranslatorTest, ScriptsWithoutSpacesGetThemWhereTheTranslationHas) {
  const Translator t = load();
  TranslateOptions o = options();
  o.max_input = 15;
  const auto found = t.translate(requests({"日本語。日本。"}), o).front();
  ASSERT_EQ(found.front().parts.size(), 2u);
  const int begin = found.front().parts[1].target.front().begin;
  EXPECT_EQ(found.front().text[begin - 1], ' ');
}

TEST_F(TranslatorTest, BeginsAsThePrefixSays) {
  const Translator t = load();
  std::vector<TranslateRequest> some = requests({"the cat", "the cat", ""});
  some[0].prefix = "a small dog ";
  some[2].prefix = "nothing";
  const auto found = t.translate(some, options());
  EXPECT_TRUE(found[0][0].text.starts_with("a small dog"));
  EXPECT_FALSE(found[1][0].text.starts_with("a small dog"));
  EXPECT_EQ(found[2][0].text, "");
}

TEST_F(TranslatorTest, UnknownWordsComeOnlyToBeReplaced) {
  const Translator t = load({.unit = TextUnit::kWords, .seed = 9});
  Texts texts;
  for (const char* a : {"the", "zebra", "two", "a", "green", "!"}) {
    for (const char* b : {"Xerxes", "dog", "yak", "tree"}) {
      texts.push_back(join(a, " ", b, " sees"));
    }
  }
  bool replaced = false;
  TranslateOptions o = options(5);
  o.all.search.sample = true;
  const auto plain = t.translate(requests(texts), o);
  const Dictionary dictionary = {
      {"sees", "SEHEN"}, {"the", "DER"}, {"tree", "BAUM"}, {"dog", "HUND"}};
  o.unknown_words = &dictionary;
  const auto found = t.translate(requests(texts), o);
  for (size_t i = 0; i < texts.size(); ++i) {
    for (size_t j = 0; j < 5; ++j) {
      EXPECT_EQ(plain[i][j].text.find("<unk>"), std::string::npos);
      const std::string& text = found[i][j].text;
      EXPECT_EQ(text.find("<unk>"), std::string::npos);
      for (const char* word :
           {"zebra", "Xerxes", "yak", "SEHEN", "HUND", "BAUM", "DER"}) {
        replaced = replaced || text.find(word) != std::string::npos;
      }
    }
  }
  EXPECT_TRUE(replaced);
}

TEST_F(TranslatorTest, AnEnsembleOfOneModelTwiceIsThatModel) {
  const std::string path = write_model_folder(folder_.file("m"));
  const Translator one = Translator::load({path});
  const Translator two = Translator::load({path, path});
  const auto a = one.translate(requests(kTexts), options());
  const auto b = two.translate(requests(kTexts), options());
  for (size_t i = 0; i < a.size(); ++i) {
    EXPECT_EQ(a[i][0].text, b[i][0].text);
    EXPECT_NEAR(a[i][0].score, b[i][0].score, 1e-4);
  }
}

std::string complaint(ErrorKind kind, const std::function<void()>& call) {
  try {
    call();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), kind) << error.what();
    return error.what();
  }
  return "nothing";
}

TEST_F(TranslatorTest, NamesModelsThatCannotVoteTogether) {
  const std::string a = write_model_folder(folder_.file("a"));
  const std::string b =
      write_model_folder(folder_.file("b"), {.unit = TextUnit::kWords});
  const std::string said = complaint(ErrorKind::kData, [&] {
    Translator::load({a, b});
  });
  EXPECT_NE(said.find(b), std::string::npos) << said;
  EXPECT_NE(said.find("vocabulary"), std::string::npos) << said;
}

TEST_F(TranslatorTest, SaysSoIfThereIsNoAttentionToAlignWith) {
  const Translator t = load({.kind = "bottleneck"});
  EXPECT_FALSE(t.has_attention());
  TranslateOptions o = options();
  EXPECT_EQ(t.translate(requests({"the cat"}), o).size(), 1u);
  o.all.search.want_weights = true;
  EXPECT_NE(complaint(ErrorKind::kUsage,
                      [&] { t.translate(requests({"the cat"}), o); })
                .find("no attention"),
            std::string::npos);
}

TEST_F(TranslatorTest, WhatWatchesItCanEndIt) {
  const Translator t = load();
  double last = 0;
  t.translate(requests(kTexts), options(), {.share = [&](double share) {
                EXPECT_GE(share, last);
                last = share;
              }});
  EXPECT_EQ(last, 1);
  EXPECT_THROW(
      t.translate(requests(kTexts), options(),
                  {.share = [](double) { throw std::string("stop"); }}),
      std::string);
}

TEST_F(TranslatorTest, TellsOfEachTextAsSoonAsItIsTranslated) {
  const Translator t = load();
  Texts texts;
  for (int i = 0; i < 300; ++i) {
    texts.push_back(i % 11 == 3 ? "" : kTexts[i % kTexts.size()]);
  }
  TranslateOptions o = options();
  o.all.batch_size = 5;
  with_threads({1, 3}, [&](int threads) {
    std::vector<std::string> told(texts.size(), "none");
    size_t furthest = 0;
    const auto all = t.translate(
        requests(texts), o,
        {.text = [&](size_t i, const std::vector<Translation>& best) {
          EXPECT_EQ(told[i], "none");
          told[i] = best.front().text;
          if (!told[i].empty()) {
            // Nearly in order, unless a thread of several has to wait.
            if (threads == 1) {
              EXPECT_GT(i + 200, furthest);
            }
            furthest = std::max(furthest, i);
          }
        }});
    for (size_t i = 0; i < texts.size(); ++i) {
      EXPECT_EQ(told[i], all[i].front().text);
    }
  });
}

TEST_F(TranslatorTest, WhiteSpaceAroundAndWithinATextChangesNothing) {
  const Translator t = load();
  TranslateOptions o = options();
  o.all.search.want_weights = true;
  const std::string plain = "the cat sees two";
  const Translation right = t.translate(requests({plain}), o)[0][0];
  for (const std::string& text :
       {plain + "\r", "\t " + plain, "\ufeff" + plain + " \n",
        std::string("the  cat\t\rsees two")}) {
    const Translation found = t.translate(requests({text}), o)[0][0];
    EXPECT_EQ(found.text, right.text) << text;
    EXPECT_EQ(found.score, right.score);
    EXPECT_EQ(found.parts[0].weights, right.parts[0].weights);
    // Words keep their places.
    const WordAlignment words = align_words(text, found);
    ASSERT_EQ(words.source.size(), 4u);
    EXPECT_EQ(dense_weights(words), dense_weights(align_words(plain, right)));
    const std::vector<Piece>& tokens = found.parts[0].source;
    EXPECT_EQ(tokens.front().begin, static_cast<int>(text.find("the")));
    EXPECT_EQ(tokens.back().end, static_cast<int>(text.find("two")) + 3);
    const ScoreRequest pair{text, " " + right.text + "\r"};
    const ScoreRequest bare{plain, right.text};
    EXPECT_EQ(t.score({&pair, 1})[0].score, t.score({&bare, 1})[0].score);
  }
}

// A model that has learnt from short sentences loses some of many.
TEST_F(TranslatorTest, ATextLongerThanWhatWasLearntIsTranslatedBySentences) {
  std::string text;
  for (const char* who : {"The cat", "My dog"}) {
    for (const char* does :
         {"sees.", "watches.", "is not.", "watches!", "is"}) {
      text += join(text.empty() ? "" : " ", who, " ", does,
                   std::string(does) == "is" ? " two birds." : "");
    }
  }
  const std::string path = write_model_folder(folder_.file("m"));
  const auto parts = [&](const std::string& line, int max_input = 0) {
    TranslateOptions o = options();
    o.max_input = max_input;
    const Translator t = Translator::load({path});
    return t.translate(requests({line}), o)[0][0].parts.size();
  };
  const int whole =
      static_cast<int>(Translator::load({path}).source().encode(text).size());
  EXPECT_EQ(parts(text), 1u) << "the model does not say what it learnt";
  const std::string file = config_file(path);
  const std::string config = read_text(file), key = "source-length: ";
  const auto learnt = [&](int tokens) {
    std::string changed = config;
    changed.replace(changed.find(key + "0"), key.size() + 1, join(key, tokens));
    replace_file(file, changed);
  };
  learnt(whole);
  EXPECT_EQ(parts(text), 1u);
  learnt(whole - 1);
  EXPECT_EQ(parts(text), 10u);
  EXPECT_EQ(parts(text, 256), 1u);
  learnt(8);
  EXPECT_GT(parts("my dog sees the tree"), 1u) << "a sentence is cut, too";
  EXPECT_EQ(parts(text, whole), 1u);
  EXPECT_EQ(Translator::load({path}).max_input({}), 8);
  learnt(4000);
  EXPECT_EQ(Translator::load({path}).max_input({}), 256);
}

TEST_F(TranslatorTest, UnknownWordsOfAPrefixStayAsTheyWereGiven) {
  const Translator t = load({.unit = TextUnit::kWords, .seed = 9});
  std::vector<TranslateRequest> some = requests({"the cat sees zebra"});
  some[0].prefix = "Ünter the\tXyz ";
  TranslateOptions o = options();
  EXPECT_TRUE(t.translate(some, o)[0][0].text.starts_with("Ünter the Xyz"));
  const Dictionary none;
  o.unknown_words = &none;
  EXPECT_TRUE(t.translate(some, o)[0][0].text.starts_with("Ünter the Xyz"));
}

// Contract 2: sampling, too, and long texts.
TEST_F(TranslatorTest, TextsGetTheSameInAnyBatchOnAnyThreads) {
  const std::string path = write_model_folder(folder_.file("m"));
  Texts texts = kTexts;
  texts.push_back("The cat sees. My dog! Der Löwe sieht two birds. Yes.");
  for (const Precision precision : {Precision::kFloat32, Precision::kInt8}) {
    const Translator t = Translator::load({path}, precision);
    for (const bool sample : {false, true}) {
      TranslateOptions o = options(2);
      o.all.search.sample = sample;
      o.max_input = 20;
      o.all.batch_size = 1;
      const auto alone = t.translate(requests(texts), o);
      with_threads({1, 2, 4}, [&](int) {
        for (int size : {2, 64}) {
          o.all.batch_size = size;
          const auto together = t.translate(requests(texts), o);
          for (size_t i = 0; i < texts.size(); ++i) {
            ASSERT_EQ(together[i].size(), alone[i].size());
            for (size_t j = 0; j < alone[i].size(); ++j) {
              EXPECT_EQ(together[i][j].text, alone[i][j].text);
              EXPECT_EQ(together[i][j].score, alone[i][j].score);
            }
          }
        }
      });
    }
  }
}

}  // namespace
}  // namespace fovea
