#pragma once

#include "fovea/base/fields.h"
#include "fovea/data/pharaoh.h"

namespace fovea {

// How links found in both directions become one set (Och & Ney 2003; Koehn et
// al. 2005). The first two take those of one direction only.
enum class Symmetry {
  kForward,
  kBackward,
  kIntersection,
  kUnion,
  kGrowDiag,
  kGrowDiagFinal,
  kGrowDiagFinalAnd,
};
constexpr EnumName<Symmetry> kSymmetries[] = {
    {Symmetry::kForward, "forward"},
    {Symmetry::kBackward, "backward"},
    {Symmetry::kIntersection, "intersection"},
    {Symmetry::kUnion, "union"},
    {Symmetry::kGrowDiag, "grow-diag"},
    {Symmetry::kGrowDiagFinal, "grow-diag-final"},
    {Symmetry::kGrowDiagFinalAnd, "grow-diag-final-and"},
};
constexpr auto& enum_names(Symmetry) { return kSymmetries; }

// Both sets have the source word first, whichever direction found them, in any
// order. The result is sorted.
WordLinks symmetrise(const WordLinks& forward, const WordLinks& backward,
                     Symmetry how);

// The same links with source and target exchanged.
WordLinks swapped(const WordLinks& links);

}  // namespace fovea
