#pragma once

#include "fovea/explain/view.h"

// What the files of views share.
namespace fovea {

// Which of the shown items each token belongs to, -1: to none.
struct Items {
  std::vector<std::string> labels;
  std::vector<int> of;
};
// Words as they stand in the text, marks as tokens of their own.
Items words_in(const ExplainedText& text);

// Weights of a layer with the labels of its tokens.
Heatmap layer_map(const Explanation& e, const ExplainedLayer& layer, int head);
// What stands below a map of them.
std::string layer_caution(const Explanation& e, const ExplainedLayer& layer,
                          int head);
// The same for maps of one head or with -1 of all: of several heads none is
// their mean, which may have been tested.
std::string heads_caution(const Explanation& e, const ExplainedLayer& layer,
                          int head);
// The same for maps of all heads of all layers.
std::string model_caution(const Explanation& e);
// The layer that is asked for, without weights from or to other sentences than
// those asked for.
ExplainedLayer chosen_sentences(const Explanation& e,
                                const ViewOptions& options);
// "head 0", "head 1" ...
std::vector<std::string> numbered(std::string_view word, int64_t count);
// That row of a map alone; -1: all. A usage error if there is no such.
Heatmap only_row(Heatmap map, int row);
// Throws unless there is such a query, or it is -1: all.
void check_token(int token, size_t count);

// Numbers of either sign.
Heatmap signed_map(const Tensor& values, std::vector<std::string> rows,
                   std::vector<std::string> columns);
// The first dimensions of some vectors.
Heatmap vector_map(const Tensor& vectors, std::vector<std::string> rows,
                   int dimensions);
// The layer asked for, or else the lowest that has vectors.
const ExplainedLayer& layer_with_vectors(const Explanation& e,
                                         const ViewOptions& options);
// <a_i, b_j> * scale
Tensor scores_of(const Tensor& a, const Tensor& b, float scale);

MapGroups neuron_view(const Explanation& e, const ViewOptions& options);
MapGroups composition_view(const Explanation& e, const ViewOptions& options);
MapGroups statistics_view(const Explanation& e);
// Those of the statistics view that tables cannot tell: how far the heads of a
// layer are apart, and what each token gets.
MapGroups head_maps(const Explanation& e);

}  // namespace fovea
