#include "fovea/attend/normaliser_softmax.h"

#include <algorithm>
#include <cmath>

#include "fovea/autograd/softmax.h"

namespace fovea {
namespace {

// The similarities themselves; one of 0 stays hidden, and an exact hit is as
// large as a float may well be.
Var similarities(const Var& logs) {
  constexpr float kLargest = 1e30f;
  const float limit = std::log(kLargest);
  const Tensor x = logs.value();
  const Tensor y(x.shape());
  for (int64_t i = 0; i < x.size(); ++i) {
    y[i] =
        std::isinf(x[i]) && x[i] < 0 ? x[i] : std::exp(std::min(x[i], limit));
  }
  return record(y, {logs}, [x, y, limit](const Tensor& dy, Grads dx) {
    const Tensor sum = dx[0].sum();
    for (int64_t i = 0; i < x.size(); ++i) {
      if (y[i] >= 0 && x[i] < limit) sum[i] += dy[i] * y[i];
    }
  });
}

class Softmax : public Normaliser {
 public:
  explicit Softmax(ScoreKind kind) : kind_(kind) {}
  Var weights(const Var& scores, const Pairs& pairs) const override {
    const bool logs = kind_ == ScoreKind::kLogSimilarity;
    return softmax(logs ? similarities(scores) : scores, pairs.segments());
  }
  bool takes(ScoreKind kind) const override {
    return kind != ScoreKind::kWeight;
  }
  bool is_softmax() const override { return kind_ == ScoreKind::kScore; }

 private:
  ScoreKind kind_;
};

}  // namespace

std::unique_ptr<Normaliser> make_softmax(const PartContext& context) {
  return std::make_unique<Softmax>(context.kind);
}

}  // namespace fovea
