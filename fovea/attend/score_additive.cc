#include "fovea/attend/score_additive.h"

#include "fovea/layers/linear.h"

namespace fovea {
namespace {

class AdditiveScore : public TanhScore {
 public:
  explicit AdditiveScore(const PartContext& context)
      : TanhScore(context, hidden_size(context)) {
    const RandomKey key = context.key.with("score");
    query_.weight =
        new_weight(queries(), context.sizes.query, key.with("query"));
    query_.bias = new_bias();
    key_.weight = new_weight(keys(), context.sizes.key, key.with("key"));
  }
  void params(Params& p) override {
    p("query", query_);
    p("key", key_);
    TanhScore::params(p);
  }
  Var prepare_queries(const Var& rows) const override { return query_(rows); }
  Var prepare_keys(const Var& rows) const override { return key_(rows); }

 private:
  Linear query_, key_;
};

}  // namespace

std::unique_ptr<Score> make_additive_score(const PartContext& context) {
  return std::make_unique<AdditiveScore>(context);
}

}  // namespace fovea
