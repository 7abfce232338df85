#pragma once

#include <string>
#include <vector>

#include "fovea/base/fields.h"
#include "fovea/explain/explanation.h"
#include "fovea/explain/heatmap.h"

// The views of an explanation (SPEC E).
namespace fovea {

enum class View {
  kAlignment,    // words of the translation over words of the sentence (E1)
  kHeads,        // one layer, its heads (E4)
  kModel,        // all layers and heads, small (E5)
  kNeuron,       // vectors of one query and of all keys (E6)
  kRollout,      // through all layers of self-attention, with the flow (E7)
  kGates,        // gates of keys (E11)
  kFovea,        // text, sharp where the model looks (E15)
  kComposition,  // queries, keys, values, scores, weights, result (E16)
  kSteps,        // the decoder step by step (E17)
  kStatistics,   // what each head is like (F15)
};
constexpr EnumName<View> kViews[] = {
    {View::kAlignment, "alignment"}, {View::kHeads, "heads"},
    {View::kModel, "model"},         {View::kNeuron, "neuron"},
    {View::kRollout, "rollout"},     {View::kGates, "gates"},
    {View::kFovea, "fovea"},         {View::kComposition, "composition"},
    {View::kSteps, "steps"},         {View::kStatistics, "statistics"},
};
constexpr auto& enum_names(View) { return kViews; }

// What becomes of end and begin marks.
enum class Marks {
  kShow,
  kHide,         // rows sum to less
  kRenormalise,  // rows sum to 1 again
};
constexpr EnumName<Marks> kMarks[] = {{Marks::kShow, "show"},
                                      {Marks::kHide, "hide"},
                                      {Marks::kRenormalise, "renormalise"}};
constexpr auto& enum_names(Marks) { return kMarks; }

// Columns of the alignment.
enum class Order {
  kText,
  kLooked,  // by the rows that look at them: what is looked at first is first
};
constexpr EnumName<Order> kOrders[] = {{Order::kText, "text"},
                                       {Order::kLooked, "looked"}};
constexpr auto& enum_names(Order) { return kOrders; }

// In alignment, fovea and steps: the mean of all layers like the alignment's.
constexpr const char* kMeanLayer = "mean";

struct ViewOptions {
  std::string layer = {};  // none: the alignment's; for neurons the lowest
                           // that has vectors
  int head = -1;           // all, or their mean
  int token = -1;          // query, or row of a map of words; none: all, in
                           // neuron the first
  int from_sentence = -1;  // in heads: that queries are of; none: all
  int to_sentence = -1;    // in heads: that keys are of; none: all
  bool words = true;       // in alignment, fovea and steps; else tokens
  Marks marks = Marks::kShow;
  Order order = Order::kText;
  int dimensions = 16;  // of vectors shown

  // Layer and head are named where views are one purpose of several.
  void fields(auto&& field) {
    field("token", token,
          "query to show alone, from 0, which in maps of words is a word; -1:\n"
          "all, in the neuron view the first");
    field("from-sentence", from_sentence,
          "heads view: queries of this sentence only, from 0; -1: of all");
    field("to-sentence", to_sentence,
          "heads view: keys of this sentence only, from 0; -1: of all");
    field("words", words, "maps of words; --no-words: of tokens");
    field("marks", marks,
          "end and begin marks: show, hide (rows sum to less), or\n"
          "renormalise");
    field("order", order,
          "alignment view: columns as in the text, or those first that are\n"
          "looked at first");
    field("dimensions", dimensions, "of vectors that are shown; --csv has all");
  }
};

// A classifier's alignment is that of its pool. A usage error says what a model
// does not have, or which layers, heads and tokens there are.
const ExplainedLayer& layer_of(const Explanation& e, const std::string& name);
// The one named, or else the alignment's, or else the top one.
const ExplainedLayer& chosen_layer(const Explanation& e,
                                   const std::string& name);

// An option that the view has no use for, or a number that makes no sense, is a
// usage error.
void check_view_options(View view, const ViewOptions& options);

// The maps of a view. Those of a group have one scale of colours.
using MapGroups = std::vector<std::vector<Heatmap>>;
MapGroups view_maps(const Explanation& e, View view,
                    const ViewOptions& options);

// Attention over the source as alignment, fovea and steps show it, where the
// model has some.
bool has_source_map(const Explanation& e);
Heatmap source_map(const Explanation& e, const ViewOptions& options);

// Two sentences that differ in one word (SPEC E4): the weights that each head
// of a layer gives from that word, or from one that is in both, to all others,
// and their difference. A usage error unless just one word differs.
struct ContrastOptions {
  std::string layer = {};      // none: the top self-attention of the source
  int head = -1;               // all
  std::string from_word = {};  // or its number; none: the one that differs
};
MapGroups contrast_maps(const Explanation& a, const Explanation& b,
                        const ContrastOptions& options = {});
// The place of a word of the source that is named, or whose number is given. A
// usage error if there is none, or several.
int named_word(const Explanation& e, const std::string& word);

// One line for each value that is shown, with all its digits.
std::string maps_csv(const MapGroups& groups);

}  // namespace fovea
