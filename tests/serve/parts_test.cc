// The small parts of the server.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "fovea/base/check.h"
#include "fovea/serve/access_log.h"
#include "fovea/serve/detect_language.h"
#include "fovea/serve/form.h"
#include "fovea/serve/host_check.h"
#include "fovea/serve/http_error.h"
#include "fovea/serve/key_ring.h"
#include "fovea/serve/metrics.h"
#include "fovea/serve/models.h"
#include "fovea/serve/split_text.h"
#include "support/temp_folder.h"

namespace fovea {
namespace {

using testing::TempFolder;

TEST(Form, DecodesEscapes) {
  EXPECT_EQ(url_decoded("a+b%20c%C3%a9"), "a b cé");
  EXPECT_EQ(url_decoded("100% %4 %zz %"), "100% %4 %zz %");
}

TEST(Form, ReadsFields) {
  HttpRequest request{
      .headers = {{"content-type", "application/x-www-form-urlencoded"}},
      .body = "q=a&q=b&x=&y&=z&&"};
  const Json form = read_form(request);
  EXPECT_EQ(form["q"], Json::array({"a", "b"}));
  EXPECT_EQ(form["x"], "");
  EXPECT_EQ(form["y"], "");
  EXPECT_EQ(form_field(request, "x"), "");
  request.body = "q=%ff";
  EXPECT_THROW(read_form(request), HttpError);
}

TEST(Form, RefusesManyFields) {
  HttpRequest request{
      .headers = {{"content-type", "application/x-www-form-urlencoded"}}};
  for (int i = 0; i < 2048; ++i) request.body += "q=a&";
  EXPECT_EQ(read_form(request)["q"].size(), 2048u);
  request.body += "r=a";
  EXPECT_THROW(read_form(request), HttpError);
}

TEST(Form, ReadsPartsAndRefusesBrokenOnes) {
  HttpRequest request{
      .headers = {{"content-type", "multipart/form-data; boundary=\"b c\""}},
      .body =
          "--b c\r\nContent-Disposition: form-data; name=\"q\"\r\n\r\n"
          "line\r\nline\r\n--b c--\r\n"};
  EXPECT_EQ(read_form(request)["q"], "line\r\nline");
  // The last has a value that would end before it begins.
  for (const char* body :
       {"", "--b c\r\n", "--b c\r\nname=q\r\n\r\n", "--b c\r\n\r\n--b c--",
        "--b c\r\nX; name=q\r\n\r\n--b c\r\nmore"}) {
    request.body = body;
    try {
      read_form(request);
      ADD_FAILURE() << body;
    } catch (const HttpError& error) {
      EXPECT_EQ(error.status(), 400) << body;
    }
  }
}

TEST(Form, ReadsFieldsOfTheAddressUnlessTheBodyHasThem) {
  HttpRequest request{.query = "q=a&x=1", .body = R"({"q": "b"})"};
  EXPECT_EQ(read_form(request), (Json{{"q", "b"}, {"x", "1"}}));
  request.body = "";
  EXPECT_EQ(read_form(request)["q"], "a");
  EXPECT_EQ(form_field(request, "x"), "1");
  request.body = "nonsense";
  EXPECT_THROW(read_form(request), HttpError);
}

TEST(HostCheck, KnowsTheNamesOfThisMachine) {
  const HostCheck check("127.0.0.2", {"Box.example"});
  for (const char* right :
       {"localhost", "LocalHost:8080", "127.0.0.1:80", "[::1]:8080", "[::1]",
        "127.0.0.2:1", "box.example", "box.example:443", ""}) {
    EXPECT_TRUE(check.allows(right)) << right;
  }
  for (const char* wrong :
       {"evil.example", "evil.example:8080", "localhost.evil.example", "[::2]",
        "127.0.0.1.evil.example", "::1", "[", ":"}) {
    EXPECT_FALSE(check.allows(wrong)) << wrong;
  }
  EXPECT_TRUE(HostCheck("::1", {}).allows("[::1]:5"));
  EXPECT_TRUE(HostCheck().allows("any.example"));
}

TEST(SplitLines, FindsTheSentencesOfEachLine) {
  const std::string text = " One. Two!\r\n\nno end\nThree ";
  std::vector<std::string> all;
  for (const TextRange& range : split_lines(text)) {
    all.emplace_back(range.of(text));
  }
  EXPECT_EQ(all, (std::vector<std::string>{"One.", "Two!", "no end", "Three"}));
  EXPECT_TRUE(split_lines("").empty());
  EXPECT_TRUE(split_lines("\n \n").empty());
}

TEST(KeyRing, KnowsItsKeys) {
  const TempFolder folder;
  const KeyRing ring =
      KeyRing::read(folder.write("keys", "abcdefgh\n# no\n12345678\n"));
  EXPECT_TRUE(ring.contains("abcdefgh"));
  EXPECT_TRUE(ring.contains("12345678"));
  for (const char* wrong :
       {"", "abcdefg", "abcdefghi", "abcdefghabcdefgh", "# no", "abcdefgx"}) {
    EXPECT_FALSE(ring.contains(wrong)) << wrong;
  }
}

TEST(ModelPlace, TakesLanguagesFromNames) {
  EXPECT_EQ(ModelPlace::of("box", "").source, "en");
  EXPECT_EQ(ModelPlace::of("/models/news-de-en/", "").source, "de");
  EXPECT_EQ(ModelPlace::of("/models/news-de-en/", "").name, "news-de-en");
  EXPECT_EQ(ModelPlace::of("runs/big", "").source, "");
  EXPECT_EQ(ModelPlace::of("runs/big", "fr-en").target, "en");
  EXPECT_THROW(ModelPlace::of("runs/big", "french"), Error);
  EXPECT_EQ(ModelPlace::of("runs/big", "en-pt-BR").target, "pt-BR");
  EXPECT_EQ(ModelPlace::of("runs/big", "zh-Hans-en").source, "zh-Hans");
  EXPECT_EQ(ModelPlace::of("runs/big", "zh-Hans-en").target, "en");
  EXPECT_EQ(ModelPlace::of("news-en-pt-BR", "").target, "pt-BR");
}

TEST(ModelStore, RefusesTwoOfOneName) {
  const std::vector<ModelPlace> places = {ModelPlace::of("a/m", ""),
                                          ModelPlace::of("b/m", "")};
  EXPECT_THROW(ModelStore(places, Precision::kFloat32), Error);
}

TEST(DetectLanguage, KnowsSentencesAndSaysWhenItDoesNot) {
  const std::vector<std::string> codes = {"en", "fr", "de", "ru", "xx"};
  const auto best = [&](const char* text) {
    return detect_language(text, codes).front();
  };
  EXPECT_EQ(best("Where is the nearest station?").code, "en");
  EXPECT_EQ(best("Où est la gare la plus proche ?").code, "fr");
  EXPECT_EQ(best("Wo ist der nächste Bahnhof?").code, "de");
  EXPECT_EQ(best("Где находится вокзал?").code, "ru");
  EXPECT_GT(best("Wo ist der nächste Bahnhof?").confidence, 90);
  EXPECT_LT(best("Xylophon").confidence, 50);
  EXPECT_EQ(best("12345").confidence, 0);
  EXPECT_TRUE(detect_language("a", {}).empty());
  EXPECT_EQ(language_name("fr"), "French");
  EXPECT_EQ(language_name("xx"), "xx");
  EXPECT_EQ(language_name("pt-BR"), "Portuguese");
}

TEST(Histogram, CountsWhatIsAtMostSoLarge) {
  Histogram histogram({1, 2});
  for (double value : {0.5, 1.0, 1.5, 9.0}) histogram.add(value);
  EXPECT_EQ(histogram.text("h", ""),
            "h_bucket{le=\"1\"} 2\nh_bucket{le=\"2\"} 3\n"
            "h_bucket{le=\"+Inf\"} 4\nh_sum 12\nh_count 4\n");
  EXPECT_EQ(histogram.text("h", "a=\"b\""),
            "h_bucket{a=\"b\",le=\"1\"} 2\nh_bucket{a=\"b\",le=\"2\"} 3\n"
            "h_bucket{a=\"b\",le=\"+Inf\"} 4\nh_sum{a=\"b\"} 12\n"
            "h_count{a=\"b\"} 4\n");
}

TEST(Histogram, HasAllDigitsOfItsSum) {
  Histogram seconds({1});
  seconds.add(1234567);
  seconds.add(0.25);
  EXPECT_NE(seconds.text("s", "").find("s_sum 1234567.25\n"),
            std::string::npos);
}

TEST(AccessLog, WritesOneLineWhateverThePathIs) {
  const std::string line =
      access_line({.method = "GET", .path = "/\"\n\xff", .address = "::1"});
  EXPECT_EQ(std::count(line.begin(), line.end(), '\n'), 1);
  EXPECT_EQ(Json::parse(line)["client"], "::1");
}

TEST(AccessLog, GoesOnInANewFileIfItsOwnWasMovedAway) {
  const TempFolder folder;
  const std::string path = folder.file("log"), old = folder.file("old");
  AccessLog log(path);
  log.write({.method = "GET", .path = "/1", .address = "::1"});
  std::filesystem::rename(path, old);
  log.write({.method = "GET", .path = "/2", .address = "::1"});
  log.reopen();
  log.write({.method = "GET", .path = "/3", .address = "::1"});
  const std::string before = testing::bytes_of(old);
  EXPECT_EQ(std::count(before.begin(), before.end(), '\n'), 2);
  EXPECT_EQ(Json::parse(testing::bytes_of(path))["path"], "/3");
}

}  // namespace
}  // namespace fovea
