// Markup stays, and goes where its words went.
#include "fovea/serve/html_text.h"

#include <gtest/gtest.h>

#include "fovea/decode/word_alignment.h"
#include "fovea/serve/html_entity.h"
#include "fovea/serve/html_tag.h"

namespace fovea {
namespace {

using Texts = std::vector<std::string>;

// A token for each word and each sign. Row t looks at source token links[t].
std::vector<Piece> pieces_of(const std::string& text) {
  std::vector<Piece> pieces;
  int at = 0;
  while (at < static_cast<int>(text.size())) {
    if (text[at] == ' ') {
      ++at;
      continue;
    }
    const std::string signs = ".,!?()";
    int end = at + 1;
    if (signs.find(text[at]) == std::string::npos) {
      while (end < static_cast<int>(text.size()) &&
             (signs + " ").find(text[end]) == std::string::npos) {
        ++end;
      }
    }
    pieces.push_back({1, at, end});
    at = end;
  }
  return pieces;
}

Translation translated(const std::string& source, const std::string& target,
                       const std::vector<int>& links) {
  TranslatedPart part{.source = pieces_of(source), .target = pieces_of(target)};
  for (size_t t = 0; t < part.target.size(); ++t) {
    std::vector<float> row(part.keys(), 0.02f);
    row[t < links.size() ? links[t] : t] = 0.7f;
    part.weights.insert(part.weights.end(), row.begin(), row.end());
    part.log_probabilities.push_back(-1);
  }
  return {.text = target, .parts = {part}};
}

// The one block of this HTML as that translation.
std::string turned(const std::string& html, const std::string& target,
                   const std::vector<int>& links) {
  const HtmlText text(html);
  EXPECT_EQ(text.texts().size(), 1u) << html;
  const Translation t = translated(text.texts().at(0), target, links);
  return text.with({&t});
}

// Each block translated by itself.
std::string same(const std::string& html) {
  const HtmlText text(html);
  std::vector<Translation> all;
  for (const std::string& one : text.texts()) {
    std::vector<int> links(pieces_of(one).size());
    for (size_t i = 0; i < links.size(); ++i) links[i] = static_cast<int>(i);
    all.push_back(translated(one, one, links));
  }
  std::vector<const Translation*> pointers;
  for (const Translation& t : all) pointers.push_back(&t);
  return text.with(pointers);
}

TEST(HtmlEntity, KnowsNamesAndNumbers) {
  EXPECT_EQ(entity_at("&eacute;x").text, "é");
  EXPECT_EQ(entity_at("&eacute;x").bytes, 8u);
  EXPECT_EQ(entity_at("&#233;").text, "é");
  EXPECT_EQ(entity_at("&#xE9;").text, "é");
  EXPECT_EQ(entity_at("&yuml;").text, "ÿ");
  EXPECT_EQ(entity_at("&mdash;").text, "—");
  for (const char* none : {"", "&", "&;", "& b;", "&nothing;", "&#;", "&#x;",
                           "&#0;", "&#xd800;", "&#1114112;", "&eacute"}) {
    EXPECT_EQ(entity_at(none).bytes, 0u) << none;
  }
  EXPECT_EQ(html_escaped("a < b & \"c\""), "a &lt; b &amp; \"c\"");
}

TEST(HtmlTag, IsReadWithItsAttributes) {
  const HtmlTag link = tag_at("<A href='x>y' b=c>rest");
  EXPECT_EQ(link.kind, HtmlTag::Kind::kOpen);
  EXPECT_EQ(link.name, "a");
  EXPECT_EQ(link.bytes, 18u);
  EXPECT_TRUE(tag_at("<br/>").is_single);
  EXPECT_TRUE(tag_at("<br />").is_single);
  EXPECT_FALSE(tag_at("<a b=c/d>").is_single);
  EXPECT_EQ(tag_at("</p >").kind, HtmlTag::Kind::kClose);
  EXPECT_EQ(tag_at("<!-- <b> -->x").bytes, 12u);
  EXPECT_FALSE(tag_at("<span translate=\"no\">").translates);
  for (const char* none : {"<", "<3", "< b>", "<a", "<a b=\"c>", "<!-- a", "</",
                           "<a <b>", "text"}) {
    EXPECT_EQ(tag_at(none).kind, HtmlTag::Kind::kNone) << none;
  }
}

TEST(HtmlText, HasTheTextOfEachBlock) {
  EXPECT_EQ(
      HtmlText("<h1>One</h1>\n<p>Two &amp;\n  three.<br>Four</p> ").texts(),
      (Texts{"One", "Two & three.", "Four"}));
  EXPECT_EQ(HtmlText("plain").texts(), Texts{"plain"});
  EXPECT_EQ(HtmlText("a <b>b</b> c").texts(), Texts{"a b c"});
  EXPECT_TRUE(HtmlText("<p> &nbsp; <img src=x></p>").texts().empty());
  EXPECT_TRUE(HtmlText("").texts().empty());
}

TEST(HtmlText, KeepsWhatIsNoTextToTranslate) {
  for (const char* html :
       {"<script>if (a < b) \"<p>\";</script>", "<style>p > a {}</style>",
        "<pre>x\n  y</pre>", "<p translate=no>Anna</p>", "<!doctype html>",
        "<ul>\n <li></li>\n</ul>"}) {
    EXPECT_TRUE(HtmlText(html).texts().empty()) << html;
    EXPECT_EQ(HtmlText(html).with({}), html);
  }
  EXPECT_EQ(HtmlText("call <code>f(x)</code> now").texts(), Texts{"call now"});
  EXPECT_EQ(
      HtmlText("<p>see <a href=u><i>https://</i>a.b</a> <a>#x</a></p>").texts(),
      Texts{"see"});
}

TEST(HtmlText, CutsWhereMarkupBeginsASentence) {
  EXPECT_EQ(
      HtmlText("A cat. <code>x</code> is <a>#y</a>! <a>@bob</a> is z").texts(),
      (Texts{"A cat.", "is !", "is z"}));
  EXPECT_EQ(HtmlText("Mr. <i translate=no>Bo</i> is").texts(), Texts{"Mr. is"});
  EXPECT_EQ(same("<p>A cat. <a>@bob</a> is.\n <img> Two.</p>"),
            "<p>A cat. <a>@bob</a> is.\n <img> Two.</p>");
}

TEST(HtmlText, TakesABrokenTagForText) {
  EXPECT_EQ(HtmlText("1 < 2 and <b").texts(), Texts{"1 < 2 and <b"});
  EXPECT_EQ(same("1 < 2 and <b"), "1 &lt; 2 and &lt;b");
  EXPECT_EQ(same("AT&T &foo;"), "AT&amp;T &amp;foo;");
}

TEST(HtmlText, IsTheSameIfTheTextIs) {
  for (const char* html :
       {"<p class=\"a\">One <b>two</b>, <i>three "
        "<b>four</b></i>.</p>\n<p>Six</p>",
        "<div> a <img src=x> b<br>\n <a href=y>c</a> </div>",
        "(<em>a</em>) x<!-- c --> y", "a <code>b c</code>, d",
        "<p>see <a href=u>@<i>bob</i></a>, <a>#x</a> z</p>",
        "<b>one<br>two</b>", "one <b>two<br>three</b> four", "one</i> two",
        "<b>one <i>two</b> three</i>", "<b></b>x",
        "<a href=x><div>text</div></a>"}) {
    EXPECT_EQ(same(html), html);
  }
  EXPECT_EQ(same("a<wbr>b c"), "ab<wbr> c");  // none stays within a word
}

TEST(HtmlText, PutsTagsAroundTheWordsThatLookAtTheirs) {
  EXPECT_EQ(turned("a <b>black</b> cat.", "un chat noir.", {0, 2, 1, 3}),
            "un chat <b>noir</b>.");
  EXPECT_EQ(turned("I <b>do not</b> know.", "Je ne sais pas.", {0, 1, 3, 2, 4}),
            "Je <b>ne</b> sais <b>pas</b>.");
  EXPECT_EQ(turned("<i>the <b>red</b> car</i> is", "la voiture rouge est",
                   {0, 2, 1, 3}),
            "<i>la voiture <b>rouge</b></i> est");
}

TEST(HtmlText, PutsMarksBeforeTheWordThatLooksAtTheNext) {
  EXPECT_EQ(turned("the <img src=x> red car", "la voiture rouge", {0, 2, 1}),
            "la voiture <img src=x> rouge");
  EXPECT_EQ(turned("hello <span translate=no>Bo</span>!", "salut!", {0, 1}),
            "salut <span translate=no>Bo</span>!");
  EXPECT_EQ(turned("<img> a b <img>", "y x", {1, 0}), "<img> y x <img>");
}

TEST(HtmlText, LosesNoElementThatNoWordLooksAt) {
  EXPECT_EQ(turned("go <a href=x>on</a>", "weiter", {0}),
            "<a href=x>weiter</a>");
  EXPECT_EQ(turned("<b>a</b> b", "", {}), "");
}

TEST(HtmlText, GoesBySharesOfTheTextWithoutAttention) {
  const HtmlText text("one <b>two</b> three four");
  const Translation t{.text = "un deux trois quatre", .parts = {{}}};
  EXPECT_EQ(text.with({&t}), "un <b>deux</b> trois quatre");
}

TEST(HtmlText, BearsDeepAndEndlessMarkup) {
  std::string deep, endless;
  for (int i = 0; i < 2000; ++i) {
    deep += "<b>a ";
    endless += "<code><pre>x<!--";
  }
  EXPECT_TRUE(same(deep) == deep);
  HtmlText(endless).texts();
}

}  // namespace
}  // namespace fovea
