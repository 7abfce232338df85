#pragma once

#include <string>

#include "cli/faithfulness.h"
#include "fovea/explain/render_svg.h"
#include "fovea/explain/view.h"

namespace fovea::cli {

struct ExplainFlags {
  View view = View::kAlignment;
  ViewOptions options;
  int beam_size = 4;
  std::string beside, contrast, from_word;
  std::string svg, png, csv, html;
  SvgTheme theme = SvgTheme::kAuto;
  bool numbers = false, row_sums = false;
  FaithfulnessFlags test;  // whose layer, head and json serve views, too

  void fields(auto&& field) {
    field("view", view,
          "what to show: alignment, heads, model, neuron, rollout, gates,\n"
          "fovea, composition, steps or statistics");
    options.fields(field);
    field("beam-size", beam_size, "of the translation that is explained");
    field("contrast", contrast,
          "a sentence that differs in one word: how each head's weights from\n"
          "that word differ");
    field("from-word", from_word,
          "with --contrast: weights from this word, which both have, instead;\n"
          "or its number, from 0");
    field("beside", beside, "second model, shown beside the first in --html");
    field("svg", svg, "file for the view as a picture");
    field("png", png, "the same as PNG (needs librsvg)");
    field("csv", csv, "file for the numbers of the view");
    field("html", html, "file for a page with all views");
    field("theme", theme,
          "of SVG and PNG: auto (as the reader's system), "
          "light, dark");
    field("numbers", numbers, "print values in the cells of maps");
    field("row-sums", row_sums, "print the sums of rows of maps");
    test.fields(field);
  }
};

// Explains the sentences or pairs of standard input.
void show_views(const std::string& folder, const ExplainFlags& flags);

}  // namespace fovea::cli
