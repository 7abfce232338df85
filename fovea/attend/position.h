#pragma once

#include <optional>
#include <span>
#include <vector>

#include "fovea/autograd/pairs.h"
#include "fovea/layers/params.h"

namespace fovea {

// How positions enter (SPEC C). One part of an attention. Each function below
// changes nothing unless a position overrides it.
class Position {
 public:
  virtual ~Position() = default;
  virtual void params(Params&) {}

  // Rows of queries or keys before any projection.
  virtual Var add_to(const Var& rows, std::span<const int> positions) const;
  // Prepared queries or keys, of `heads` heads.
  virtual Var turn(const Var& rows, std::span<const int> positions,
                   int heads) const;
  // What the next two may look at.
  struct Pairing {
    const Var& q;  // prepared queries
    const Pairs& pairs;
    float scale;                    // of a dot product
    std::span<const int> relation;  // Queries::relation
  };
  virtual Var bias(const Var& scores, const Pairing& pairing) const;
  // The context [M, heads * dv] before the output's projection.
  virtual Var add_values(const Var& context, const Var& weights,
                         const Pairing& pairing) const;

  virtual bool turns() const { return false; }   // `turn` does something
  virtual bool biases() const { return false; }  // the two after it do
  virtual bool needs_dot() const { return turns(); }
  // If the fused kernel can do what `bias` does, the slopes of ALiBi by head.
  virtual std::optional<std::vector<float>> slopes() const;
};

}  // namespace fovea
