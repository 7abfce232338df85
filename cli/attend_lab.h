#pragma once

#include <optional>
#include <string>
#include <vector>

#include "fovea/attend/composed.h"
#include "fovea/tensor/tensor.h"

// A small laboratory: one sequence of queries over one of keys and values.
namespace fovea::cli {

// Rows with names.
struct NamedRows {
  std::vector<std::string> names;
  Tensor rows;  // [names, width]
};

struct Lab {
  std::string title;
  NamedRows queries, keys, values;
  bool self = false;  // all three are the same rows
  ComposedConfig config;
  int64_t seed = 1;               // of projections and draws
  std::optional<int> only_query;  // show this one alone
};

// What a run of it gives. Rows of queries.
struct LabResult {
  std::vector<Tensor> scores, weights;  // [queries, keys], by head; maybe no
                                        // scores
  std::vector<bool> shown;              // [queries * keys]
  Tensor output;                        // [queries, width]
};

AttentionSizes sizes_of(const Lab& lab);
LabResult run_lab(const Lab& lab);

// How results are shown.
struct LabView {
  bool numbers = true;
  bool steps = false;
  std::string svg;  // a file to write, or none
  bool json = false;
};
// Scores, weights as heat maps and the output, on standard output.
void show_lab(const Lab& lab, const LabView& view);

// The six steps of self-attention for one query and head (SPEC A11).
void show_steps(const Lab& lab, int query, int head);

// "12.34", as short as four digits allow.
std::string short_number(double value);

}  // namespace fovea::cli
