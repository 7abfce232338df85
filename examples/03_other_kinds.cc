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

// A column for each key; the tape of an LSTMN begins with an empty slot.
Heatmap map_of(const Record& record, std::vector<std::string> keys) {
  std::vector<std::string> queries(record.queries(0), record.about().name);
  if (record.queries(0) > 1) queries.assign(keys.begin() + 1, keys.end());
  return heatmap_of_weights(record.mean_weights(0), queries, std::move(keys),
                            record.valid(0));
}

int main(int argc, char** argv) {
  const std::vector<std::string> words = {"the",     "early", "bird",
                                          "catches", "the",   "worm"};
  const Segments one = Segments::from_lengths(std::vector<int>{6});
  std::vector<std::string> tape = words, pixels;
  tape.insert(tape.begin(), "(empty)");
  for (int i = 0; i < 64; ++i) pixels.push_back(std::to_string(i));

  Trace trace;
  Pass pass;
  pass.trace = &trace;
  const Var x(random_rows({6, 16}, 1));
  Pooling({}, 16, RandomKey(2))(x, one, pass.in("pooling"));
  Lstmn({.width = 16}, 16, RandomKey(3))(x, one, pass.in("lstmn"));
  MaskGate({}, {4, 4}, RandomKey(4))(random_rows({1, 8, 8, 4}, 5),
                                     random_rows({1, 4, 4, 4}, 6),
                                     pass.in("attention_gate"));
  for (const Record& record : trace.records()) {
    const bool image = record.about().kind == "mask";
    Heatmap map = map_of(record, image                 ? pixels
                                 : record.keys(0) == 7 ? tape
                                                       : words);
    map.title = record.about().name;
    if (argc < 2) {
      std::puts(render_terminal(map).c_str());
    } else {
      std::ofstream(std::string(argv[1]) + "/" + map.title + ".svg")
          << render_svg(map);
    }
  }
}
