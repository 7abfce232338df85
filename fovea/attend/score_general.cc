#include "fovea/attend/score_general.h"

#include "fovea/base/check.h"
#include "fovea/layers/init.h"
#include "fovea/layers/linear.h"

namespace fovea {
namespace {

struct GeneralConfig {
  RecurrentInit init = RecurrentInit::kXavier;
  void fields(auto&& field) {
    field("init", init,
          "xavier, bahdanau: N(0, 0.01^2), or luong: uniform in +-0.1");
  }
};

class GeneralScore : public Score {
 public:
  explicit GeneralScore(Linear weight) : weight_(std::move(weight)) {}
  void params(Params& p) override { weight_.params(p); }
  bool projects() const override { return true; }
  Var prepare_keys(const Var& rows) const override { return weight_(rows); }
  std::optional<float> dot_scale() const override { return 1.0f; }

 private:
  Linear weight_;
};

}  // namespace

std::unique_ptr<Score> make_general_score(const PartContext& context) {
  GeneralConfig config;
  context.settings.read(config);
  const int query = context.sizes.query, key = context.sizes.key;
  const int heads = context.score.heads;
  check_usage(query % heads == 0, "heads ", heads, " and query width ", query,
              " do not go together: score general cuts a query into heads");
  const int out = query / heads * context.score.key_heads;
  Linear weight;
  weight.weight = Var::parameter(
      input_init(config.init, 1, out, key, context.key.with("score")));
  return std::make_unique<GeneralScore>(std::move(weight));
}

}  // namespace fovea
