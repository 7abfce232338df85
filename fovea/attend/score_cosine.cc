#include "fovea/attend/score_cosine.h"

#include <cmath>

#include "fovea/attend/score_dot.h"
#include "fovea/autograd/elementwise.h"
#include "fovea/autograd/gather.h"
#include "fovea/autograd/weight_norm.h"
#include "fovea/base/check.h"
#include "fovea/layers/linear.h"

namespace fovea {
namespace {

constexpr float kShortest = 1e-8f;

struct CosineConfig {
  float beta = 1.0f;
  bool learn_beta = false;
  void fields(auto&& field) {
    field("beta", beta, "sharpening; 0: every key is alike");
    field("learn-beta", learn_beta, "beta follows from the query");
  }
};

// The rows with each head stretched to its length in `lengths` [rows, heads].
Var with_lengths(const Var& rows, const Var& lengths) {
  const int64_t heads = lengths.dim(1), count = lengths.dim(0) * heads;
  const Var split = reshape(rows, {count, rows.dim(1) / heads});
  return reshape(weight_norm(split, reshape(lengths, {count}), kShortest),
                 rows.shape());
}

class CosineScore : public Score {
 public:
  CosineScore(float beta, Linear learned, const ScoreSizes& sizes)
      : beta_(beta), learned_(std::move(learned)), sizes_(sizes) {}
  void params(Params& p) override {
    if (learned_) p("beta", learned_);
  }

  Var prepare_queries(const Var& rows) const override {
    if (learned_) return with_lengths(rows, softplus(learned_(rows)));
    return with_lengths(rows, Tensor::full({rows.dim(0), sizes_.heads}, beta_));
  }
  Var prepare_keys(const Var& rows) const override {
    return with_lengths(rows,
                        Tensor::full({rows.dim(0), sizes_.key_heads}, 1.0f));
  }
  std::optional<float> dot_scale() const override { return 1.0f; }

 private:
  float beta_;
  Linear learned_;
  ScoreSizes sizes_;
};

}  // namespace

std::unique_ptr<Score> make_cosine_score(const PartContext& context) {
  CosineConfig config;
  context.settings.read(config);
  check_option(std::isfinite(config.beta) && config.beta >= 0, "beta",
               config.beta, "give 0 or more");
  check_usage(!config.learn_beta || config.beta == 1, "beta ", config.beta,
              " and learn-beta do not go together: one of them says beta");
  shared_head_size(context);
  const ScoreSizes& s = context.score;
  Linear learned;
  if (config.learn_beta) {
    learned = Linear(s.query, s.heads, true, context.key.with("beta"));
  }
  return std::make_unique<CosineScore>(config.beta, std::move(learned), s);
}

}  // namespace fovea
