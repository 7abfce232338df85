#pragma once

#include "fovea/attend/registry.h"
#include "fovea/layers/init.h"

namespace fovea {

// What additive scores are asked for.
struct TanhConfig {
  RecurrentInit init = RecurrentInit::kXavier;
  bool bias = false;
  bool normalise = false;
  void fields(auto&& field) {
    field("init", init,
          "xavier, bahdanau: matrices of N(0, 0.001^2) and v = 0, or luong: "
          "uniform in +-0.1");
    field("tanh-bias", bias, "a bias inside the tanh");
    field("normalise", normalise, "g v/|v| in place of v, and a bias");
  }
};

// The part that additive scores share (SPEC A5): <v, tanh(q + k)> of prepared
// rows, for each head with a v of its own. With coverage there is a term more
// inside the tanh (B16). The score that derives from it prepares the rows, and
// has a bias in the queries if there is to be one.
class TanhScore : public Score {
 public:
  // Reads TanhConfig; `size` is the width of a head inside the tanh.
  TanhScore(const PartContext& context, int size);
  void params(Params& p) override;
  bool projects() const override { return true; }
  bool uses_coverage() const override { return true; }
  Var score(const Var& q, const Var& k, const Pairs& pairs,
            const Var& coverage) const override;

 protected:
  // A new weight [out, in], as the option init wants it.
  Var new_weight(int out, int in, RandomKey key) const;
  Var new_bias() const;  // [queries()], or empty
  // The width of prepared rows.
  int queries() const { return heads_ * size_; }
  int keys() const { return key_heads_ * size_; }

 private:
  Var new_vector(RandomKey key) const;  // [queries()]
  float unit_bound() const;             // of a v of length 1 at most

  TanhConfig config_;
  int heads_, key_heads_, size_;
  Var v_, gain_, coverage_;
};

// The width of a head inside the tanh: the option `hidden`, or else that of the
// queries divided by the heads.
int hidden_size(const PartContext& context);

}  // namespace fovea
