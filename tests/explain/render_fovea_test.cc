#include <gtest/gtest.h>

#include <cstdlib>
#include <regex>

#include "fovea/base/check.h"
#include "fovea/explain/render_pictures.h"
#include "fovea/explain/render_png.h"
#include "support/well_formed.h"

namespace fovea {
namespace {

using namespace fovea::testing;

// One attention over words of a source, which each row sees otherwise.
Explanation seen(const std::vector<std::string>& words, int rows) {
  Explanation e;
  e.task = "translate";
  for (size_t i = 0; i < words.size(); ++i) {
    e.source.text += (i == 0 ? "" : " ") + words[i];
    e.source.tokens.push_back("▁" + words[i]);
    e.source.words.push_back(static_cast<int>(i));
  }
  for (int i = 0; i < rows; ++i) {
    e.target.text += join(i == 0 ? "" : " ", "t", i);
    e.target.tokens.push_back(join("▁t", i));
    e.target.words.push_back(i);
  }
  e.source.sentences.assign(words.size(), 0);
  e.target.sentences.assign(static_cast<size_t>(rows), 0);
  ExplainedLayer cross{"decoder.layer.0.cross", "cross", "dot"};
  cross.queries = Tokens::kTarget;
  std::vector<float> weights(words.size() * static_cast<size_t>(rows));
  for (size_t i = 0; i < weights.size(); ++i) {
    weights[i] = static_cast<float>(i * 7 % 10) / 10.0f;
  }
  cross.weights = {Tensor::from({rows, std::ssize(words)}, weights)};
  cross.visible.assign(weights.size(), true);
  e.alignment_layer = cross.name;
  e.layers = {cross};
  return e;
}

std::vector<std::string> many(int count) {
  std::vector<std::string> words;
  for (int i = 0; i < count; ++i) words.push_back(join("word", i));
  return words;
}

size_t occurrences(const std::string& text, const std::string& of) {
  size_t count = 0;
  for (size_t at = 0; (at = text.find(of, at)) != text.npos; ++at) ++count;
  return count;
}

// Where a word stands.
struct Place {
  double x = -1, y = -1;
};
Place place_of(const std::string& svg, const std::string& word) {
  const std::regex wanted(
      join("<text x=\"([-0-9.]+)\" y=\"([-0-9.]+)\"[^>]*>", word, "</text>"));
  std::smatch found;
  if (!std::regex_search(svg, found, wanted)) return {};
  return {std::stod(found[1]), std::stod(found[2])};
}

double width_of(const std::string& svg) {
  return std::strtod(svg.c_str() + svg.find("width=\"") + 7, nullptr);
}

std::string drawn(const Explanation& e) {
  const std::string svg = render_fovea_svg(e, {}, SvgTheme::kLight);
  EXPECT_EQ(xml_fault(svg), "");
  return svg;
}

TEST(FoveaPicture, BreaksLinesBeforeTheyAreTooLong) {
  const std::string svg = drawn(seen(many(60), 1));
  EXPECT_LT(width_of(svg), 1000);
  EXPECT_EQ(place_of(svg, "word0").x, 0);
  EXPECT_GT(place_of(svg, "word59").y, place_of(svg, "word0").y);
  EXPECT_EQ(occurrences(svg, "<title>"), 60u);
}

// A renderer takes as long to blur a word, or to make a group faint, as if it
// were the whole picture.
TEST(FoveaPicture, BlursAllWordsOfALevelAtOnce) {
  const std::string svg = drawn(seen(many(60), 3));
  EXPECT_EQ(occurrences(svg, " filter=\""), 3u);
  EXPECT_EQ(occurrences(svg, "<g opacity"), 0u);
}

TEST(FoveaPicture, OfManyWordsIsFaintWithoutBlurs) {
  const std::string svg = drawn(seen(many(60), 60));
  EXPECT_EQ(occurrences(svg, "<filter"), 0u);
  EXPECT_EQ(occurrences(svg, " filter=\""), 0u);
  EXPECT_EQ(occurrences(svg, "<title>"), 3600u);
  EXPECT_NE(svg.find("fill-opacity=\"0.25\""), std::string::npos);
  EXPECT_NE(svg.find("fill-opacity=\"1\""), std::string::npos);
}

TEST(FoveaPicture, OfAVeryLongTextHasTheLargestWeightsOfEachRow) {
  const std::string svg = drawn(seen(many(200), 200));
  EXPECT_EQ(occurrences(svg, "<title>"), 4000u);
  EXPECT_EQ(occurrences(svg, "<title>0.9<"), 4000u);
  EXPECT_NE(svg.find(">…</text>"), std::string::npos);
  EXPECT_NE(svg.find("of each row the 20 words with the largest weights"),
            std::string::npos);
}

TEST(FoveaPicture, GoesFromRightToLeftWhereTheSentenceDoes) {
  const std::string svg = drawn(seen({"אני", "רואה", "big", "cat", "חתול"}, 1));
  const auto x = [&](const char* word) { return place_of(svg, word).x; };
  EXPECT_GT(x("אני"), x("רואה"));
  EXPECT_GT(x("רואה"), x("cat"));
  EXPECT_GT(x("cat"), x("big"));  // whose right ends these are
  EXPECT_GT(x("big"), x("חתול"));
  EXPECT_NE(svg.find("text-anchor=\"end\">אני"), std::string::npos);
}

TEST(FoveaPicture, OfAHugeTextHasNoMorePixelsThanNeeded) {
  const std::string png = render_png(drawn(seen(many(60), 60)));
  const auto number = [&](size_t at) {  // big-endian, of the PNG's header
    double value = 0;
    for (size_t i = at; i < at + 4; ++i) {
      value = 256 * value + static_cast<unsigned char>(png[i]);
    }
    return value;
  };
  EXPECT_GT(number(20), 5000);
  EXPECT_LT(number(16) * number(20), 12.1e6);
}

}  // namespace
}  // namespace fovea
