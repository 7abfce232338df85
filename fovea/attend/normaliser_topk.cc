#include "fovea/attend/normaliser_topk.h"

#include "fovea/attend/settings.h"
#include "fovea/autograd/softmax.h"

namespace fovea {
namespace {

struct TopKConfig {
  int k = 8;
  void fields(auto&& field) { field("k", k, "keys that get a weight"); }
};

class TopK : public Normaliser {
 public:
  explicit TopK(int k) : k_(k) {}
  Var weights(const Var& scores, const Pairs& pairs) const override {
    return topk_softmax(scores, pairs.segments(), k_);
  }
  int top() const override { return k_; }

 private:
  int k_;
};

}  // namespace

std::unique_ptr<Normaliser> make_topk(const PartContext& context) {
  TopKConfig config;
  context.settings.read(config);
  check_option(config.k >= 1, "k", config.k, "give at least 1");
  return std::make_unique<TopK>(config.k);
}

}  // namespace fovea
