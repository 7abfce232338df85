#pragma once

#include <string>
#include <vector>

#include "fovea/base/fields.h"
#include "fovea/explain/faithfulness.h"
#include "fovea/explain/render_svg.h"
#include "fovea/explain/retraining.h"

namespace fovea::cli {

struct FaithfulnessFlags {
  std::string data, evidence, layer, json;
  bool save = false;
  int texts = 0;
  FaithfulnessConfig tests;
  RetrainingConfig retraining;

  void fields(auto&& field) {
    field("faithfulness", data,
          "test whether attention explains outputs, on these texts:\n"
          "labelled lines, or source, tab, target for a sequence model");
    field("texts", texts,
          "of them to take, evenly spread; 0: 500 of a classifier, 20 of a\n"
          "sequence model");
    field("evidence", evidence,
          "file that tells for each line which word decides, as 3-0 (the\n"
          "fourth)");
    field("layer", layer,
          "to show or to test, such as decoder.layer.2.cross; none: the one\n"
          "that alignments are taken from");
    field("json", json, "file for all numbers");
    field("save", save,
          "save the result beside the model, for the captions of its maps");
    tests.fields(field);
    retraining.fields(field);
  }
};

// Files for pictures of what was found, or nothing.
struct FaithfulnessFiles {
  std::string svg, png, html;
  SvgTheme theme = SvgTheme::kAuto;
};

// Tests the model of a folder and prints what may be said of it.
void test_faithfulness(const std::string& folder,
                       const FaithfulnessFlags& flags,
                       const FaithfulnessFiles& files);

}  // namespace fovea::cli
