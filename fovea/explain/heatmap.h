#pragma once

#include <string>
#include <vector>

#include "fovea/tensor/tensor.h"

namespace fovea {

// What the colours span.
enum class ValueRange {
  kUnit,       // 0..1: weights
  kSymmetric,  // -m..m, m being the largest size shown: scores
  kFromZero,   // from 0 to the largest value shown, which none is below
  kAuto,       // from the smallest to the largest value shown
};

// What stands below a map of weights that nobody has tested; see
// faithfulness_words.h for what stands there after a test.
constexpr const char* kUntestedCaution =
    "A weight is not by itself an explanation; whether these weights explain "
    "the output was not tested.";

// A matrix with names, ready to be drawn. Labels may hold any bytes: whoever
// draws them makes them harmless.
struct Heatmap {
  std::string title = {};
  std::string note = {};     // where it is from: "layer 2, head 3"
  std::string caution = {};  // what it does not prove; drawn below it
  std::string row_name = "query", column_name = "key";
  std::vector<std::string> rows = {}, columns = {};  // labels
  std::vector<float> values = {};                    // [rows, columns]
  std::vector<bool> shown = {};  // [rows, columns], or empty: all are. A hidden
                                 // cell looks unlike zero and may hold anything
  std::vector<int> marked = {};  // a column for each row, -1: none; or empty
  ValueRange range = ValueRange::kAuto;

  bool is_shown(size_t row, size_t column) const {
    return shown.empty() || shown[row * columns.size() + column];
  }
  float at(size_t row, size_t column) const {
    return values[row * columns.size() + column];
  }
  bool is_marked(size_t row, size_t column) const {
    return !marked.empty() && marked[row] == static_cast<int>(column);
  }
};

// Throws unless sizes agree and all values shown are finite and in range.
void check_heatmap(const Heatmap& map);

// The first column with the largest value shown, for each row; -1 if the whole
// row is hidden.
std::vector<int> row_argmax(const Heatmap& map);

bool has_hidden(const Heatmap& map);

// Sum of the values shown.
float row_sum(const Heatmap& map, size_t row);

// Attention weights [rows, columns] with the largest of each row marked. Says
// that nobody has tested whether they explain anything (Jain & Wallace 2019,
// Wiegreffe & Pinter 2019); whoever has tested it replaces `caution`. Weights
// beyond 0..1, which some normalisers give, get a wider range.
Heatmap heatmap_of_weights(const Tensor& weights, std::vector<std::string> rows,
                           std::vector<std::string> columns,
                           std::vector<bool> shown = {});

}  // namespace fovea
