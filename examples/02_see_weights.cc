// Asks a multi-head attention for the weights of two of its heads and draws
// them.
#include <cstdio>
#include <string>
#include <vector>

#include "fovea/attend/registry.h"
#include "fovea/attend/trace.h"
#include "fovea/explain/render_terminal.h"

using namespace fovea;

int main() {
  const std::vector<std::string> words = {"the",     "early", "bird",
                                          "catches", "the",   "worm"};
  const auto n = static_cast<int>(words.size());
  const Segments one = Segments::from_lengths(std::vector<int>{n});

  ComposedConfig config;
  config.heads = 4;
  config.causal = true;
  config.position = "alibi";
  const auto attention = make_attention(config, {.query = 32}, RandomKey(1));

  Tensor embedding({n, 32});  // random: nothing was trained here
  fill_normal(RandomKey(2), 0, 1, embedding.span());

  Trace trace({{.layer = "decoder.self", .heads = {0, 3}}});
  Pass pass;
  pass.trace = &trace;
  const Pass decoder = pass.in("decoder");
  attention->self(embedding, one, decoder.in("self"));

  for (const Record& record : trace.records()) {
    for (const int head : record.heads()) {
      Heatmap map = heatmap_of_weights(record.weights(0, head), words, words,
                                       record.valid(0));
      map.title = record.about().name + ", head " + std::to_string(head);
      std::puts(
          render_terminal(map, TerminalOptions::standard_output()).c_str());
    }
  }
}
