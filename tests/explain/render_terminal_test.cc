#include "fovea/explain/render_terminal.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

#include "fovea/base/check.h"
#include "fovea/base/unicode.h"
#include "fovea/explain/color.h"

namespace fovea {
namespace {

// S1's example of an alignment.
Heatmap pie() {
  Heatmap map = heatmap_of_weights(
      Tensor::of({4, 6}, {1, 0,    0,    0,    0,    0,  //
                          0, 0.9f, 0,    0.1f, 0,    0,  //
                          0, 0.2f, 0.8f, 0,    0,    0,  //
                          0, 0.3f, 0,    0.2f, 0.1f, 0.4f}),
      {"il", "a", "m'", "entarté"}, {"he", "hit", "me", "with", "a", "pie"});
  map.title = "he hit me with a pie";
  map.note = "layer 2, head 3";
  return map;
}

Heatmap bare(std::vector<std::string> rows, std::vector<std::string> columns) {
  Heatmap map{.rows = rows, .columns = columns};
  map.values.assign(rows.size() * columns.size(), 0.5f);
  map.range = ValueRange::kUnit;
  return map;
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

std::string without_escapes(const std::string& text) {
  return std::regex_replace(text, std::regex("\033\\[[0-9;]*m"), "");
}

// The lines of the map itself: from its first row label's line up to the blank
// line before the legend, and the header above.
std::vector<std::string> block_lines(const std::string& text) {
  const auto lines = lines_of(without_escapes(text));
  const auto begin = std::ranges::find(lines, "");
  const auto end = std::find(begin + 1, lines.end(), "");
  return {begin + 1, end};
}

void expect_even_block(const std::string& text, size_t lines) {
  const auto block = block_lines(text);
  EXPECT_EQ(block.size(), lines) << text;
  for (const std::string& line : block) {
    EXPECT_EQ(display_width(line), display_width(block.front())) << text;
  }
}

TEST(RenderTerminal, DrawsShadesWithoutEscapesWhenPlain) {
  EXPECT_EQ(render_terminal(pie()),
            "he hit me with a pie\n"
            "layer 2, head 3\n"
            "Rows: query. Columns: key.\n"
            "\n"
            "          he  hit   me  with  a   pie   \n"
            "     il |@@@@<                         |\n"
            "      a |     @@@@<     ....           |\n"
            "     m' |     :::: %%%%<               |\n"
            "entarté |     ----      :::: .... ====<|\n"
            "\n"
            "0 [ .:-=+*#%@] 1   < largest of its row\n"
            "A weight is not by itself an explanation; whether these weights "
            "explain the\noutput was not tested.\n");
}

TEST(RenderTerminal, PrintsNumbersAndSumsOnDemand) {
  const std::string text =
      render_terminal(pie(), {.numbers = true, .row_sums = true});
  const auto block = block_lines(text);
  EXPECT_EQ(block[0], "          he  hit   me  with  a   pie           sum");
  EXPECT_EQ(block[4], "entarté |   0  .30    0  .20  .10  .40<|          1");
  expect_even_block(text, 5);
}

TEST(RenderTerminal, TellsHiddenCellsFromZero) {
  Heatmap map = bare({"a", "b"}, {"x", "y"});
  map.values = {1, 0, 0.5f, 0.5f};
  map.shown = {true, false, true, true};
  EXPECT_EQ(render_terminal(map),
            "Rows: query. Columns: key.\n"
            "\n"
            "   x y  \n"
            "a |@ / |\n"
            "b |+ + |\n"
            "\n"
            "0 [ .:-=+*#%@] 1   / hidden\n");
}

TEST(RenderTerminal, PrintsSignedValuesAsNumbersWhenPlain) {
  Heatmap map = bare({"a"}, {"x", "y"});
  map.values = {-2, 0.25f};
  map.range = ValueRange::kSymmetric;
  EXPECT_EQ(render_terminal(map),
            "Rows: query. Columns: key.\n"
            "\n"
            "     x     y    \n"
            "a |-2.00   .25 |\n"
            "\n"
            "-2.00 to 2.00\n");
}

TEST(RenderTerminal, ColoursCellsAsTheScaleSays) {
  Heatmap map = bare({"a"}, {"x"});
  map.values = {1};
  const Color c = sequential_color(1);
  const std::string wanted = join("48;2;", int{c.red}, ";", int{c.green}, ";",
                                  int{c.blue}, "m  \033[0m");
  EXPECT_NE(render_terminal(map, {.color = ColorMode::kTruecolor}).find(wanted),
            std::string::npos);
  EXPECT_NE(render_terminal(map, {.color = ColorMode::k256})
                .find(join("\033[48;5;", sequential_256(1), "m  \033[0m")),
            std::string::npos);
}

// All of it, letter by letter: a changed colour or blank must be meant.
TEST(RenderTerminal, DrawsAWholeMapInColours) {
  Heatmap map = heatmap_of_weights(Tensor::of({2, 2}, {1, 0, 0.5f, 0.5f}),
                                   {"il", "a"}, {"he", "hit"});
  map.title = "Where";
  map.caution = "No proof.";
  const auto on = [](float value) {
    return join("\033[48;5;", sequential_256(value), "m");
  };
  const auto marked = [](float value, int letters) {
    return join("\033[38;5;", letters, ";48;5;", sequential_256(value), "m");
  };
  const int on_one =
      text_color_on(color_of_256(sequential_256(1))) == kBlack ? 16 : 231;
  const int on_half =
      text_color_on(color_of_256(sequential_256(0.5f))) == kBlack ? 16 : 231;
  std::string bar;
  for (int i = 0; i < 30; ++i) {
    const std::string next = on(static_cast<float>(i) / 29);
    const size_t last = bar.rfind("\033[48");
    const bool same = last != bar.npos && bar.substr(last, next.size()) == next;
    if (!same) bar += (i > 0 ? "\033[0m" : "") + next;
    bar += " ";
  }
  const std::string wanted = join(
      "\033[1mWhere\033[0m\nRows: query. Columns: key.\n\n",  //
      "   he  hit \n",                                        //
      "il ", marked(1, on_one), "   <\033[0m", on(0), "    \033[0m\n", " a ",
      marked(0.5f, on_half), "   <\033[0m", on(0.5f), "    \033[0m\n", "\n0 ",
      bar, "\033[0m 1   < largest of its row\nNo proof.\n");
  EXPECT_EQ(render_terminal(map, {.color = ColorMode::k256}), wanted);
}

TEST(RenderTerminal, NeverLeavesAColourOnAtTheEndOfALine) {
  for (const ColorMode mode : {ColorMode::k256, ColorMode::kTruecolor}) {
    for (const std::string& line :
         lines_of(render_terminal(pie(), {.color = mode}))) {
      const size_t last = line.rfind("\033[");
      if (last == std::string::npos) continue;
      EXPECT_EQ(line.substr(last, 4), "\033[0m");
    }
  }
}

TEST(RenderTerminal, AlignsWideAndCombiningText) {
  const Heatmap map =
      bare({"注意力", "e\u0301te\u0301", "👩\u200d👧", "plain", ""},
           {"注意", "é", "😀", "a"});
  for (const ColorMode mode : {ColorMode::kPlain, ColorMode::k256}) {
    expect_even_block(render_terminal(map, {.color = mode}), 6);
    // The same with labels that stand upright.
    expect_even_block(render_terminal(map, {.color = mode, .width = 25}), 7);
  }
}

TEST(RenderTerminal, StandsLongLabelsUpright) {
  const Heatmap map = bare({"a"}, {"to", "internationalisation"});
  const auto block = block_lines(render_terminal(map));
  ASSERT_EQ(block.size(), 17u);
  EXPECT_EQ(block[0], "     i  ");
  EXPECT_EQ(block[14], "   t s  ");
  EXPECT_EQ(block[15], "   o …  ");
}

TEST(RenderTerminal, CutsWideMapsInBlocksInsteadOfLines) {
  const Heatmap map =
      bare({"row"}, std::vector<std::string>(100, "column label"));
  for (const int width : {1, 20, 80}) {
    const std::string text = render_terminal(map, {.width = width});
    const size_t cells = std::count(text.begin(), text.end(), '+') - 1;
    EXPECT_EQ(cells, 100u);  // one '+' is in the legend
    if (width == 80) {
      EXPECT_NE(text.find("Columns 1 to 37 of 100:"), std::string::npos);
      EXPECT_NE(text.find("Columns 75 to 100 of 100:"), std::string::npos);
      for (const std::string& line : lines_of(text)) {
        EXPECT_LE(display_width(line), 80);
      }
    }
  }
}

TEST(RenderTerminal, LetsNoTokenSteerTheTerminal) {
  Heatmap map = bare({"\x1b[2J", "\u202e\u009b"}, {"\r\n", "\x07"});
  map.title = "\x1b]0;title\x07";
  map.note = "\x1b[31m";
  map.caution = "a\nb";
  map.row_name = "\x1b";
  const std::string text = render_terminal(map);
  for (const char* bad : {"\x1b", "\r", "\x07", "\u202e", "\u009b"}) {
    EXPECT_EQ(text.find(bad), std::string::npos);
  }
  EXPECT_NE(text.find("\\x1b[2J"), std::string::npos);
}

TEST(RenderTerminal, DrawsEmptyMapsAndSingleCells) {
  const Heatmap none;
  EXPECT_NE(render_terminal(none).find("(an empty map)"), std::string::npos);
  EXPECT_NE(render_terminal(bare({}, {"x"})).find("(an empty map)"),
            std::string::npos);
  EXPECT_NE(render_terminal(bare({"a"}, {"x"})).find("a |+ |"),
            std::string::npos);
}

TEST(RenderTerminal, RefusesWhatCannotBeDrawn) {
  Heatmap map = bare({"a"}, {"x"});
  EXPECT_THROW(render_terminal(map, {.width = 0}), Error);
  map.values.clear();
  EXPECT_THROW(render_terminal(map), Error);
}

TEST(RenderTerminal, StaysSmallWithFortyThousandCells) {
  const std::vector<std::string> words(200, "word");
  const std::string text =
      render_terminal(bare(words, words), {.color = ColorMode::kTruecolor});
  EXPECT_GT(text.size(), 80000u);
  EXPECT_LT(text.size(), 400000u);
}

}  // namespace
}  // namespace fovea
