#include "fovea/attend/score_dot.h"

#include <cmath>

#include "fovea/base/check.h"

namespace fovea {
namespace {

class DotScore : public Score {
 public:
  explicit DotScore(float factor) : factor_(factor) {}
  std::optional<float> dot_scale() const override { return factor_; }

 private:
  float factor_;
};

}  // namespace

int shared_head_size(const PartContext& context) {
  const ScoreSizes& s = context.score;
  check_usage(s.query % s.heads == 0 && s.key % s.key_heads == 0, "heads ",
              s.heads, " and a width of ", s.query,
              " do not go together: the heads must divide it");
  check_usage(s.query / s.heads == s.key / s.key_heads, "score ",
              context.config.score, " and a query width of ", s.query,
              " with a key width of ", s.key,
              " do not go together: heads of queries and keys must have one "
              "size; use project, or score general");
  return s.query / s.heads;
}

std::unique_ptr<Score> make_dot_score(const PartContext& context) {
  shared_head_size(context);
  return std::make_unique<DotScore>(1.0f);
}

std::unique_ptr<Score> make_scaled_dot_score(const PartContext& context) {
  const auto size = static_cast<float>(shared_head_size(context));
  const float given = context.config.scale;
  return std::make_unique<DotScore>(given != 0 ? given : 1 / std::sqrt(size));
}

}  // namespace fovea
