#include "fovea/explain/page.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

namespace fovea {
namespace {

class Page : public ::testing::Test {
 protected:
  void SetUp() override {
    if (page_files().empty()) GTEST_SKIP() << "built without the page";
  }
};

TEST_F(Page, HasItsFourFilesAndNothingElse) {
  std::vector<std::string_view> names;
  for (const EmbeddedFile& file : page_files()) {
    names.push_back(file.name);
    EXPECT_FALSE(file.bytes.empty()) << file.name;
  }
  const std::vector<std::string_view> expected = {"app.css", "app.js",
                                                  "explain.html", "index.html"};
  EXPECT_EQ(names, expected);
}

TEST_F(Page, HoldsTheDocumentOnce) {
  const std::string page = explain_page(R"({"format":1,"mark":"here"})");
  const std::string document = R"(id="document">{"format":1,"mark":"here"}<)";
  EXPECT_NE(page.find(document), std::string::npos);
  EXPECT_EQ(page.find("@FOVEA_DOCUMENT@"), std::string::npos);
}

TEST_F(Page, LetsNoTokenEndItsScript) {
  const std::string page =
      explain_page(R"({"tokens":["</script><script>alert(1)</script>"]})");
  EXPECT_EQ(page.find("alert(1)</"), std::string::npos);
  EXPECT_NE(page.find(R"(\u003c/script>\u003cscript>alert(1)\u003c/)"),
            std::string::npos);
}

TEST_F(Page, NamesNoAddressToLoadFrom) {
  const std::string page = explain_page("{}");
  EXPECT_EQ(page.find("src=\"http"), std::string::npos);
  EXPECT_EQ(page.find("https://"), std::string::npos);
  EXPECT_EQ(page.find("@import"), std::string::npos);
  EXPECT_EQ(page.find("url(http"), std::string::npos);
}

}  // namespace
}  // namespace fovea
