#include "fovea/attend/score_concat.h"

#include "fovea/autograd/gather.h"
#include "fovea/autograd/linear.h"
#include "fovea/base/check.h"
#include "fovea/layers/linear.h"

namespace fovea {
namespace {

class ConcatScore : public TanhScore {
 public:
  explicit ConcatScore(const PartContext& context)
      : TanhScore(context, hidden_size(context)),
        query_width_(context.sizes.query) {
    check_usage(keys() == queries(),
                "score concat and kv-heads do not go together: its one matrix "
                "has as many heads for keys as for queries");
    weight_ = new_weight(queries(), query_width_ + context.sizes.key,
                         context.key.with("score"));
    bias_ = new_bias();
  }
  void params(Params& p) override {
    p("weight", weight_);
    p("bias", bias_);
    TanhScore::params(p);
    const auto pack = [this](Precision precision) {
      const NoGrad no_grad;
      packed_query_ = PackedWeight(query_half().value(), precision);
      packed_key_ = PackedWeight(key_half().value(), precision);
    };
    p.packing({pack, [this] { packed_query_ = packed_key_ = PackedWeight(); }});
  }
  Var prepare_queries(const Var& rows) const override {
    if (packed_query_ && !recording({rows, weight_})) {
      return packed_query_(rows, bias_, Activation::kNone);
    }
    return linear(rows, query_half(), bias_);
  }
  Var prepare_keys(const Var& rows) const override {
    if (packed_key_ && !recording({rows, weight_})) {
      return packed_key_(rows, {}, Activation::kNone);
    }
    return linear(rows, key_half());
  }

 private:
  Var query_half() const { return slice_columns(weight_, 0, query_width_); }
  Var key_half() const {
    return slice_columns(weight_, query_width_, weight_.dim(1));
  }

  int query_width_;
  Var weight_, bias_;  // [heads * hidden, query + key width]
  PackedWeight packed_query_, packed_key_;
};

int key_head_size(const PartContext& context) {
  const int width = context.sizes.key, heads = context.score.key_heads;
  check_usage(width % heads == 0, "kv-heads ", heads, " and key width ", width,
              " do not go together: score concat_identity_source cuts a key "
              "into heads");
  return width / heads;
}

class ConcatIdentitySourceScore : public TanhScore {
 public:
  explicit ConcatIdentitySourceScore(const PartContext& context)
      : TanhScore(context, key_head_size(context)) {
    query_.weight = new_weight(queries(), context.sizes.query,
                               context.key.with("score").with("query"));
    query_.bias = new_bias();
  }
  void params(Params& p) override {
    p("query", query_);
    TanhScore::params(p);
  }
  Var prepare_queries(const Var& rows) const override { return query_(rows); }

 private:
  Linear query_;
};

}  // namespace

std::unique_ptr<Score> make_concat_score(const PartContext& context) {
  return std::make_unique<ConcatScore>(context);
}

std::unique_ptr<Score> make_concat_identity_source_score(
    const PartContext& context) {
  return std::make_unique<ConcatIdentitySourceScore>(context);
}

}  // namespace fovea
