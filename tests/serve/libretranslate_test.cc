// What stock clients of LibreTranslate and OpenNMT send and expect.
#include <gtest/gtest.h>

#include "fovea/decode/translator.h"
#include "fovea/serve/html_entity.h"
#include "support/served.h"

namespace fovea {
namespace {

using namespace fovea::testing;
using testing::Json;

class LibreTranslate : public ::testing::Test {
 protected:
  HttpAnswer post(const std::string& path, const std::string& body,
                  const std::string& type = "application/json") {
    return HttpClient(served_.port())
        .post(path, body, "Content-Type: " + type + "\r\n");
  }

  std::string expected(const std::string& text) const {
    const Translator translator = Translator::load({served_.model()});
    const TranslateRequest request{text};
    return translator.translate({&request, 1})[0][0].text;
  }

  const Served served_;
};

TEST_F(LibreTranslate, TranslatesJson) {
  const HttpAnswer answer =
      post("/translate", R"({"q": "my dog", "source": "en", "target": "fr"})");
  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(json_of(answer), (Json{{"translatedText", expected("my dog")}}));
}

TEST_F(LibreTranslate, TranslatesForms) {
  const Json right = {{"translatedText", expected("my dog & 12")}};
  EXPECT_EQ(json_of(post("/translate",
                         "q=my+dog+%26%2012&source=en&target=fr&format=text",
                         "application/x-www-form-urlencoded")),
            right);
  const std::string part = "--x\r\nContent-Disposition: form-data; name=";
  EXPECT_EQ(json_of(post("/translate",
                         part + "\"q\"\r\n\r\nmy dog & 12\r\n" + part +
                             "\"source\"\r\n\r\nen\r\n" + part +
                             "\"target\"\r\n\r\nfr\r\n--x--\r\n",
                         "multipart/form-data; boundary=x")),
            right);
}

TEST_F(LibreTranslate, AnswersListsWithListsAndLinesWithLines) {
  const Json answer = json_of(post(
      "/translate",
      R"({"q": ["my dog\n\nthe cat", "a"], "source": "en", "target": "fr"})"));
  EXPECT_EQ(answer["translatedText"],
            Json::array({expected("my dog") + "\n\n" + expected("the cat"),
                         expected("a")}));
}

TEST_F(LibreTranslate, TranslatesParagraphsSentenceBySentence) {
  const Json answer = json_of(post(
      "/translate",
      Json{{"q",
            "The cat sees. My dog watches! A tree?\r\nTwo birds. 12 houses."},
           {"source", "en"},
           {"target", "fr"}}
          .dump()));
  EXPECT_EQ(answer["translatedText"],
            expected("The cat sees.") + " " + expected("My dog watches!") +
                " " + expected("A tree?") + "\n" + expected("Two birds.") +
                " " + expected("12 houses."));
}

TEST_F(LibreTranslate, KeepsTheMarkupOfHtml) {
  const auto html = [&](const Json& q) {
    return json_of(post(
        "/translate",
        Json{{"q", q}, {"source", "en"}, {"target", "fr"}, {"format", "html"}}
            .dump()))["translatedText"];
  };
  EXPECT_EQ(html("<p class=\"a\">my dog</p>\n<hr><!-- x -->"),
            "<p class=\"a\">" + html_escaped(expected("my dog")) +
                "</p>\n<hr><!-- x -->");
  EXPECT_EQ(html({"<br>", "my dog"}),
            Json::array({"<br>", html_escaped(expected("my dog"))}));
  const std::string marked = html("the cat <b>sees</b> two <i>birds</i>");
  for (const char* tag : {"<b>", "</b>", "<i>", "</i>"}) {
    EXPECT_NE(marked.find(tag), std::string::npos) << marked;
  }
  std::string plain;
  for (size_t at = 0; at < marked.size(); ++at) {
    if (marked[at] == '<')
      at = marked.find('>', at);
    else
      plain += marked[at];
  }
  EXPECT_EQ(plain, html_escaped(expected("the cat sees two birds")));
}

TEST_F(LibreTranslate, TakesNoFormatForText) {
  for (const Json& format : {Json(nullptr), Json(""), Json("text")}) {
    const Json answer =
        json_of(post("/translate", Json{{"q", "<b> my dog"},
                                        {"source", "en"},
                                        {"target", "fr"},
                                        {"alternatives", nullptr},
                                        {"format", format}}
                                       .dump()));
    EXPECT_EQ(answer, (Json{{"translatedText", expected("<b> my dog")}}));
  }
}

TEST_F(LibreTranslate, ReadsFieldsOfTheAddress) {
  const Json right = {{"translatedText", expected("my dog & 12")}};
  const std::string fields = "?q=my+dog+%26%2012&source=en&target=fr";
  EXPECT_EQ(json_of(post("/translate" + fields, "", "")), right);
  EXPECT_EQ(json_of(post("/translate?source=xx&target=fr",
                         R"({"q": "my dog & 12", "source": "en"})")),
            right);
  EXPECT_EQ(json_of(post("/detect?q=il+est+dans+la+rue", ""))[0]["language"],
            "fr");
}

TEST_F(LibreTranslate, LeavesATextThatIsInTheLanguageAskedFor) {
  const auto ask = [&](const char* q, const char* source, const char* target) {
    return json_of(post("/translate", Json{{"q", q},
                                           {"source", source},
                                           {"target", target},
                                           {"alternatives", 1}}
                                          .dump()));
  };
  EXPECT_EQ(ask("My dog.\n", "en", "en")["translatedText"], "My dog.\n");
  const Json french = ask("il est dans la rue", "auto", "fr");
  EXPECT_EQ(french["translatedText"], "il est dans la rue");
  EXPECT_EQ(french["detectedLanguage"]["language"], "fr");
  EXPECT_EQ(french["alternatives"], Json::array());
  EXPECT_NE(ask("my dog", "en", "fr")["translatedText"], "my dog");
  EXPECT_EQ(post("/translate", R"({"q": "a", "source": "xx", "target": "xx"})")
                .status,
            400);
}

TEST_F(LibreTranslate, GivesAlternatives) {
  const Json answer = json_of(post(
      "/translate",
      R"({"q": "my dog", "source": "en", "target": "fr", "alternatives": 2})"));
  EXPECT_EQ(answer["alternatives"].size(), 2u);
}

TEST_F(LibreTranslate, DetectsTheLanguage) {
  const Json answer =
      json_of(post("/translate",
                   R"({"q": "this is the house of my dog", "source": "auto",
          "target": "fr"})"));
  EXPECT_EQ(answer["detectedLanguage"]["language"], "en");
  const Json french =
      json_of(post("/detect", R"({"q": "il est dans la rue"})"));
  EXPECT_EQ(french[0]["language"], "fr");
  EXPECT_GT(french[0]["confidence"].get<double>(), 90);
  EXPECT_EQ(json_of(post("/detect", "q=12",
                         "application/x-www-form-urlencoded"))[0]["confidence"],
            0);
}

TEST_F(LibreTranslate, ListsLanguages) {
  const Json list = json_of(HttpClient(served_.port()).get("/languages"));
  EXPECT_EQ(list[0],
            (Json{{"code", "en"}, {"name", "English"}, {"targets", {"fr"}}}));
  EXPECT_EQ(list[1]["code"], "fr");
  const Json settings =
      json_of(HttpClient(served_.port()).get("/frontend/settings"));
  EXPECT_EQ(settings["charLimit"], 20000);
}

TEST_F(LibreTranslate, SaysWhatIsWrongAsTheOriginalDoes) {
  for (const char* body :
       {R"({"source": "en", "target": "fr"})",
        R"({"q": 5, "source": "en", "target": "fr"})",
        R"({"q": "a", "target": "fr"})", R"({"q": "a", "source": "en"})",
        R"({"q": "a", "source": "xx", "target": "fr"})",
        R"({"q": "a", "source": "en", "target": "fr", "format": "pdf"})",
        R"({"q": "a", "source": "en", "target": "fr", "alternatives": 99})",
        R"({"q": "a", "source": "en", "target": "fr", "alternatives": "2a"})",
        R"({"q": [], "source": "en", "target": "fr"})", "nonsense"}) {
    const HttpAnswer answer = post("/translate", body);
    EXPECT_EQ(answer.status, 400) << body;
    EXPECT_TRUE(json_of(answer)["error"].is_string()) << answer.body;
  }
}

TEST_F(LibreTranslate, AnOpenNmtClientGetsAllSentences) {
  const Json answer = json_of(post(
      "/translator/translate", R"([{"src": "The cat. My dog!\nTwo birds."}])"));
  EXPECT_EQ(answer[0][0]["tgt"], expected("The cat.") + " " +
                                     expected("My dog!") + "\n" +
                                     expected("Two birds."));
}

TEST_F(LibreTranslate, AnOpenNmtClientIsServed) {
  const Json answer =
      json_of(post("/translator/translate",
                   R"([{"src": "my dog", "id": 100}, {"src": "the cat"}])"));
  ASSERT_EQ(answer.size(), 1u);
  ASSERT_EQ(answer[0].size(), 2u);
  EXPECT_EQ(answer[0][0]["src"], "my dog");
  EXPECT_EQ(answer[0][0]["tgt"], expected("my dog"));
  EXPECT_EQ(answer[0][1]["tgt"], expected("the cat"));
  EXPECT_LT(answer[0][0]["pred_score"].get<double>(), 0);
  const Json models =
      json_of(HttpClient(served_.port()).get("/translator/models"));
  EXPECT_EQ(models[0]["model_id"], 100);
  for (const char* body : {"{}", "[]", "[5]", R"([{"src": 5}])"}) {
    const HttpAnswer wrong = post("/translator/translate", body);
    EXPECT_EQ(wrong.status, 400) << body;
    EXPECT_EQ(json_of(wrong)["status"], "error");
  }
  EXPECT_EQ(
      post("/translator/translate", R"([{"src": "a", "id": 101}])").status,
      404);
}

}  // namespace
}  // namespace fovea
