// Attention that is no composition of parts: pooling, LSTMN, and a mask on an
// image. Draws their weights into the folder given, or in the terminal.
#include <cstdio>
#include <fstream>
#include <string>
#include <vector>

#include "fovea/attend/lstmn.h"
#include "fovea/attend/mask_gate.h"
#include "fovea/attend/pooling.h"
#include "fovea/attend/trace.h"
#include "fovea/explain/render_svg.h"
#include "fovea/explain/render_terminal.h"

using namespace fovea;

Tensor random_rows(const Shape& shape, int seed) {
  Tensor rows(shape);
  fill_normal(RandomKey(seed), 0, 1, rows.span());
  return rows;
}

void draw(const Record& record, std::vector<std::string> queries,
          std::vector<std::string> keys, const char* folder) {
  Heatmap map = heatmap_of_weights(record.mean_weights(0), std::move(queries),
                                   std::move(keys), record.valid(0));
  map.title = record.about().name;
  if (folder) {
    const std::string path = std::string(folder) + "/" + map.title + ".svg";
    std::ofstream(path) << render_svg(map);
  } else {
    std::puts(render_terminal(map).c_str());
  }
}

int main(int argc, char** argv) {
  const std::vector<std::string> words = {"the",     "early", "bird",
                                          "catches", "the",   "worm"};
  const Segments one = Segments::from_lengths(std::vector<int>{6});
  // The tape of an LSTMN begins with an empty slot.
  const std::vector<std::string> tape = {"(empty)", "the",     "early",
                                         "bird",    "catches", "the"};
  std::vector<std::string> pixels;
  for (int i = 0; i < 8; ++i) pixels.push_back(std::to_string(i));

  Trace trace;
  Pass pass;
  pass.trace = &trace;
  const Var x(random_rows({6, 16}, 1));
  Pooling({}, 16, RandomKey(2))(x, one, pass.in("pooling"));
  Lstmn({.width = 16}, 16, RandomKey(3))(x, one, pass.in("lstmn"));
  MaskGate({}, {4, 4}, RandomKey(4))(random_rows({1, 8, 8, 4}, 5),
                                     random_rows({1, 4, 4, 4}, 6),
                                     pass.in("attention_gate"));
  const char* folder = argc > 1 ? argv[1] : nullptr;
  draw(*trace.of("pooling").front(), {"sentence"}, words, folder);
  draw(*trace.of("lstmn").front(), words, tape, folder);
  draw(*trace.of("attention_gate").front(), pixels, pixels, folder);
}
