// What the parts of an attention do unless they say otherwise.
#include <algorithm>

#include "fovea/attend/extent.h"
#include "fovea/attend/position.h"
#include "fovea/attend/score.h"
#include "fovea/attend/select.h"
#include "fovea/attend/settings.h"
#include "fovea/base/check.h"

namespace fovea {

Var Score::score(const Var& q, const Var& k, const Pairs& pairs,
                 const Var&) const {
  check(dot_scale().has_value(), "attend: a score without a formula");
  return pair_dot(q, k, pairs, *dot_scale());
}

void check_window(int window) {
  check_option(window >= 0, "window", window, "give 0 or more");
  check_option(window <= kWidestWindow, "window", window, "give 2^30 or less");
}

void narrow_row(Pairs::Row& row, int centre, int window) {
  const int begin = std::clamp(centre - window, 0, row.keys);
  const int end = std::clamp(centre + window + 1, begin, row.keys);
  row.first += begin;
  row.key += begin;
  row.keys = end - begin;
}

Var Extent::adjust(const Var& weights, const Pairs&, const Var&) const {
  return weights;
}

Var Select::adjust_scores(const Var& scores, const Pairs&, const Memory&,
                          const Pass&) const {
  return scores;
}

Var Select::choose(const Var& weights, const Pairs&, const Segments&,
                   const Pass&) const {
  return weights;
}

Var Position::add_to(const Var& rows, std::span<const int>) const {
  return rows;
}

Var Position::turn(const Var& rows, std::span<const int>, int) const {
  return rows;
}

Var Position::bias(const Var& scores, const Pairing&) const { return scores; }

Var Position::add_values(const Var& context, const Var&, const Pairing&) const {
  return context;
}

std::optional<std::vector<float>> Position::slopes() const {
  if (biases()) return {};
  return std::vector<float>{};
}

}  // namespace fovea
