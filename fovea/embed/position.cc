#include "fovea/embed/position.h"

#include <vector>

#include "fovea/autograd/elementwise.h"
#include "fovea/base/check.h"

namespace fovea {

PositionEmbedding::PositionEmbedding(const PositionConfig& config, int width,
                                     RandomKey key)
    : config_(config) {
  if (config.kind == PositionKind::kLearned) {
    learned_ = LearnedCodes(config.learned, width, key);
  }
}

Var PositionEmbedding::operator()(const Var& x, const Segments& of,
                                  std::span<const int> first) const {
  if (config_.kind == PositionKind::kNone) return x;
  check(x.dim(0) == of.total(), "positions: ", x.dim(0),
        " rows in sequences of ", of.total());
  check(first.empty() || std::ssize(first) == of.count(),
        "positions: ", first.size(), " beginnings of ", of.count(),
        " sequences");
  std::vector<int> positions;
  for (int b = 0; b < of.count(); ++b) {
    const int begin = first.empty() ? 0 : first[b];
    for (int i = 0; i < of.length(b); ++i) positions.push_back(begin + i);
  }
  if (config_.kind == PositionKind::kLearned) return x + learned_(positions);
  return x + sinusoidal_codes(positions, static_cast<int>(x.dim(1)),
                              config_.layout);
}

void PositionEmbedding::params(Params& p) {
  if (config_.kind == PositionKind::kLearned) p("learned", learned_);
}

}  // namespace fovea
