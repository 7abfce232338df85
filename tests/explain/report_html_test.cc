#include "fovea/explain/report_html.h"

#include <gtest/gtest.h>

#include "support/well_formed.h"

namespace fovea {
namespace {

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

Report report_with(const std::string& text) {
  Heatmap map = heatmap_of_weights(Tensor::of({1, 2}, {0.25f, 0.75f}), {text},
                                   {text, "b"});
  map.title = text;
  ReportSection section{.title = text, .note = text};
  section.tables.push_back({text, {}, {{text, "1"}}});
  section.tables.push_back({"", {"system", text}, {{"ours", text}}});
  section.charts.push_back(
      {.title = text, .note = text, .series = {{text, {1, 2}, {3, 4}}}});
  section.maps.push_back(map);
  return {.title = text, .note = text, .sections = {section}};
}

// The page behind its first line is also XML.
std::string body_of(const std::string& html) {
  return html.substr(html.find("<html>"));
}

TEST(ReportHtml, ShowsAllItIsGiven) {
  const std::string html = report_html(report_with("Text"));
  EXPECT_TRUE(html.starts_with("<!DOCTYPE html>"));
  for (const char* part :
       {"<title>Text</title>", "<h1>Text</h1>", "<h2>Text</h2>",
        "<th dir=\"auto\">Text</th><td dir=\"auto\">1</td>",
        "<th dir=\"auto\">system</th>", "<td dir=\"auto\">ours</td>",
        "class=\"chart\"", "Text: 4", "fovea-auto", "0.75"}) {
    EXPECT_TRUE(has(html, part)) << part;
  }
  EXPECT_EQ(testing::xml_fault(body_of(html)), "");
}

TEST(ReportHtml, NeedsNothingFromElsewhere) {
  std::string html = report_html(report_with("Text"));
  const std::string name = "http://www.w3.org/2000/svg";  // fetches nothing
  for (size_t at = html.find(name); at != std::string::npos;
       at = html.find(name)) {
    html.erase(at, name.size());
  }
  for (const char* part : {"http:", "https:", "//", "<script", "<link",
                           "@import", "url(", "src="}) {
    EXPECT_FALSE(has(html, part)) << part;
  }
}

TEST(ReportHtml, FollowsTheReadersLightOrDark) {
  EXPECT_TRUE(has(report_html({}), "prefers-color-scheme:dark"));
}

TEST(ReportHtml, MakesAnyTextHarmless) {
  const std::string html = report_html(
      report_with("</td></style><script>alert(1)</script>\"'&\xff\x1b\n"));
  EXPECT_EQ(testing::xml_fault(body_of(html)), "");
  EXPECT_FALSE(has(html, "<script"));
}

TEST(ReportHtml, IsTheSameForTheSameReport) {
  EXPECT_EQ(report_html(report_with("a")), report_html(report_with("a")));
  EXPECT_EQ(testing::xml_fault(body_of(report_html({}))), "");
}

}  // namespace
}  // namespace fovea
