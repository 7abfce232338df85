#pragma once

#include "fovea/explain/view.h"

// What the files of views share.
namespace fovea {

// Weights of a layer with the labels of its tokens.
Heatmap layer_map(const Explanation& e, const ExplainedLayer& layer, int head);
// The layer that is asked for, without weights from or to other sentences than
// those asked for.
ExplainedLayer chosen_sentences(const Explanation& e,
                                const ViewOptions& options);
// "head 0", "head 1" ...
std::vector<std::string> numbered(std::string_view word, int64_t count);

MapGroups neuron_view(const Explanation& e, const ViewOptions& options);
MapGroups composition_view(const Explanation& e, const ViewOptions& options);

}  // namespace fovea
