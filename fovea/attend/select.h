#pragma once

#include "fovea/attend/attention.h"
#include "fovea/autograd/pairs.h"
#include "fovea/layers/params.h"
#include "fovea/layers/pass.h"

namespace fovea {

// How weights choose values: by a mean over all, by a draw, through gates (SPEC
// B4, B5, B10). One part of an attention.
class Select {
 public:
  virtual ~Select() = default;
  virtual void params(Params&) {}

  // Changes what is remembered of the source.
  virtual void remember(Memory&, const Source&, const Pass&) const {}
  // Changes the scores before the normaliser.
  virtual Var adjust_scores(const Var& scores, const Pairs& pairs,
                            const Memory& memory, const Pass& pass) const;
  // Chooses after it; `of` are the rows of each query sequence.
  virtual Var choose(const Var& weights, const Pairs& pairs, const Segments& of,
                     const Pass& pass) const;
  // False if nothing remains to be done after remember() in this pass, so that
  // a fused kernel may run.
  virtual bool acts(const Pass&) const { return false; }
  // True if remember() may leave out keys.
  virtual bool drops_keys() const { return false; }
};

}  // namespace fovea
