#pragma once

#include <optional>
#include <span>
#include <vector>

#include "fovea/autograd/attention.h"
#include "fovea/autograd/pairs.h"
#include "fovea/layers/params.h"

namespace fovea {

// Which keys a query looks at, as far as causality leaves them (SPEC B1-B3).
// One part of an attention.
class Extent {
 public:
  virtual ~Extent() = default;
  virtual void params(Params&) {}

  // Narrows each row's keys. `rows` holds for each query row its whole memory
  // sequence; `queries` are the rows before any projection. Returns what
  // `adjust` needs, or nothing.
  virtual Var narrow(const Var& queries,
                     std::vector<Pairs::Row>& rows) const = 0;
  // Changes the weights after the normaliser.
  virtual Var adjust(const Var& weights, const Pairs& pairs,
                     const Var& narrowed) const;
  // For the fused kernel: changes the spans and returns how far left and right
  // of its position a query sees. Nothing: there is no fused kernel for it.
  struct Window {
    int left = -1, right = -1;  // -1: no limit
  };
  virtual std::optional<Window> fused(std::vector<AttentionSpan>&) const {
    return {};
  }
};

// Half of the widest window: sums with positions stay ints.
constexpr int kWidestWindow = 1 << 30;
void check_window(int window);  // an option

// Leaves of a row that holds its whole sequence the keys at most `window` away
// from the one with index `centre`, which may lie outside.
void narrow_row(Pairs::Row& row, int centre, int window);

}  // namespace fovea
