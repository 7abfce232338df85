// Copies words that the vocabulary does not have, by the weights of an
// attention; and masks an image. Draws both into the folder given, or in the
// terminal.
#include <cstdio>
#include <fstream>
#include <string>
#include <vector>

#include "fovea/attend/mask_residual.h"
#include "fovea/attend/pointer.h"
#include "fovea/attend/trace.h"
#include "fovea/explain/render_svg.h"
#include "fovea/explain/render_terminal.h"

using namespace fovea;

void draw(Heatmap map, const std::string& title, const char* folder) {
  map.title = title;
  if (folder) {
    std::ofstream(std::string(folder) + "/" + title + ".svg")
        << render_svg(map);
  } else {
    std::puts(render_terminal(map, {.numbers = true}).c_str());
  }
}

int main(int argc, char** argv) {
  const char* folder = argc > 1 ? argv[1] : nullptr;

  // See et al. 2017: "cat dog" as source; "dog" is not in the vocabulary.
  const Var p_vocab(Tensor::of({1, 3}, {0.5f, 0.3f, 0.2f}));
  const Var gate(Tensor::of({1, 1}, {0.8f}));
  const Weights weights{Var(Tensor::of({2}, {0.75f, 0.25f})),
                        Pairs({{.key = 0, .keys = 2}}, 1, 1)};
  const std::vector<int> source = {1, 3};  // cat, and a new word
  const Var p = copy_mixture(p_vocab, gate, weights, {source, 4});
  draw(heatmap_of_weights(p.value(), {"next word"},
                          {"the", "cat", "unknown", "dog"}),
       "pointer", folder);

  // Wang et al. 2017: (1 + mask) * trunk on an image of 8 x 8.
  Tensor trunk({1, 8, 8, 1}), branch({1, 8, 8, 1});
  fill_normal(RandomKey(1), 0, 1, trunk.span());
  fill_normal(RandomKey(2), 0, 2, branch.span());
  Trace trace;
  Pass pass;
  pass.trace = &trace;
  residual_attention(trunk, branch, {}, pass.in("residual_attention"));
  std::vector<std::string> pixels;
  for (int i = 0; i < 8; ++i) pixels.push_back(std::to_string(i));
  const Tensor mask = trace.records().front().mean_weights(0);
  draw(heatmap_of_weights(mask.reshaped({8, 8}), pixels, pixels),
       "residual_attention", folder);
}
