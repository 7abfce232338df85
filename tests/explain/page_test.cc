#include "fovea/explain/page.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace fovea {
namespace {

class Page : public ::testing::Test {
 protected:
  void SetUp() override {
    if (page_files().empty()) GTEST_SKIP() << "built without the page";
  }
};

TEST_F(Page, HasTheFilesOfTheServer) {
  for (const char* name : {"index.html", "app.js", "app.css", "explain.html"}) {
    EXPECT_TRUE(
        std::ranges::any_of(page_files(),
                            [&](const EmbeddedFile& f) {
                              return f.name == name && !f.bytes.empty();
                            }))
        << name;
  }
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
