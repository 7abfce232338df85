// What may be asked of a view.
#include "fovea/base/check.h"
#include "fovea/explain/view_parts.h"

namespace fovea {
namespace {

// Which options a view has a use for.
struct Uses {
  View view;
  bool layer = true, token = true;  // a head goes with a layer
  bool sentences = false, marks = false, order = false, dimensions = false;
};
constexpr Uses kUses[] = {
    {.view = View::kAlignment, .marks = true, .order = true},
    {.view = View::kHeads, .sentences = true},
    {.view = View::kModel, .layer = false, .token = false},
    {.view = View::kNeuron, .dimensions = true},
    {.view = View::kRollout, .layer = false},
    {.view = View::kGates, .layer = false, .token = false},
    {.view = View::kFovea, .marks = true},
    {.view = View::kComposition, .dimensions = true},
    {.view = View::kSteps, .marks = true},
    {.view = View::kStatistics, .layer = false, .token = false},
};

const Uses& uses_of(View view) {
  for (const Uses& uses : kUses) {
    if (uses.view == view) return uses;
  }
  fail(ErrorKind::kRun, "no such view");
}

void check_numbers(const ViewOptions& o) {
  const auto at_least = [](int value, int least, const char* name) {
    check_usage(value >= least, name, " ", value, ": give at least ", least);
  };
  at_least(o.head, -1, "--head");
  at_least(o.token, -1, "--token");
  at_least(o.from_sentence, -1, "--from-sentence");
  at_least(o.to_sentence, -1, "--to-sentence");
  at_least(o.dimensions, 1, "--dimensions");
}

}  // namespace

void check_view_options(View view, const ViewOptions& o) {
  check_numbers(o);
  const Uses& uses = uses_of(view);
  const auto needs = [&](bool used, bool given, const char* name) {
    check_usage(used || !given, name, " is not for the ",
                FieldText<View>::print(view), " view");
  };
  needs(uses.layer, !o.layer.empty(), "--layer");
  needs(uses.layer, o.head >= 0, "--head");
  needs(uses.token, o.token >= 0, "--token");
  needs(uses.sentences, o.from_sentence >= 0, "--from-sentence");
  needs(uses.sentences, o.to_sentence >= 0, "--to-sentence");
  needs(uses.marks, o.marks != Marks::kShow, "--marks");
  needs(uses.order, o.order != Order::kText, "--order");
  needs(uses.dimensions, o.dimensions != ViewOptions().dimensions,
        "--dimensions");
}

void check_token(int token, size_t count) {
  check_usage(token < static_cast<int>(count), "token ", token, ": there are ",
              count, ", the first being 0");
}

Heatmap only_row(Heatmap map, int row) {
  if (row < 0) return map;
  check_token(row, map.rows.size());
  const auto columns = std::ssize(map.columns);
  const auto cut = [&](auto& cells) {
    if (cells.empty()) return;
    cells.erase(cells.begin() + (row + 1) * columns, cells.end());
    cells.erase(cells.begin(), cells.begin() + row * columns);
  };
  cut(map.values);
  cut(map.shown);
  map.rows = {map.rows[row]};
  if (!map.marked.empty()) map.marked = {map.marked[row]};
  return map;
}

}  // namespace fovea
