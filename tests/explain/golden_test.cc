// What views look like in a terminal, to the byte. Look at a file with cat; if
// a change is meant, FOVEA_WRITE_GOLDEN=1 writes them anew.
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <sstream>

#include "explain/explained_example.h"
#include "fovea/base/check.h"
#include "fovea/explain/render_view.h"

namespace fovea {
namespace {

using namespace fovea::testing;

Explanation measured_example() {
  Explanation e = example();
  for (ExplainedLayer& layer : e.layers) {
    for (size_t h = 0; h < layer.weights.size(); ++h) {
      layer.statistics[h] = head_statistics(layer.weights[h]);
    }
  }
  return e;
}

class GoldenTerminal : public ::testing::TestWithParam<View> {};

TEST_P(GoldenTerminal, LooksAsItDid) {
  const std::string name = FieldText<View>::print(GetParam());
  for (const auto& [mode, ending] :
       {std::pair{ColorMode::kPlain, ".txt"},
        std::pair{ColorMode::k256, ".256.txt"},
        std::pair{ColorMode::kTruecolor, ".truecolor.txt"}}) {
    const std::string text = render_view_terminal(
        measured_example(), GetParam(), {}, {.color = mode});
    const std::string path = join(FOVEA_GOLDEN_PATH "/explain/", name, ending);
    if (std::getenv("FOVEA_WRITE_GOLDEN")) std::ofstream(path) << text;
    std::ostringstream golden;
    golden << std::ifstream(path).rdbuf();
    EXPECT_EQ(text, golden.str()) << path;
  }
}

INSTANTIATE_TEST_SUITE_P(, GoldenTerminal,
                         ::testing::Values(View::kAlignment, View::kHeads,
                                           View::kModel, View::kFovea,
                                           View::kStatistics),
                         [](const auto& given) {
                           return FieldText<View>::print(given.param);
                         });

}  // namespace
}  // namespace fovea
