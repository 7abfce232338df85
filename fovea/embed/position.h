#pragma once

#include "fovea/autograd/var.h"
#include "fovea/layers/position_codes.h"
#include "fovea/tensor/segments.h"

namespace fovea {

// What is added to the embedding of a token for its place in the sequence.
enum class PositionKind { kNone, kLearned, kSinusoidal };
constexpr EnumName<PositionKind> kPositionKinds[] = {
    {PositionKind::kNone, "none"},
    {PositionKind::kLearned, "learned"},
    {PositionKind::kSinusoidal, "sinusoidal"}};
constexpr auto& enum_names(PositionKind) { return kPositionKinds; }

struct PositionConfig {
  PositionKind kind = PositionKind::kSinusoidal;
  SineLayout layout = SineLayout::kInterleaved;
  LearnedCodeConfig learned;

  void fields(auto&& field) {
    field("kind", kind, "what is added to embeddings");
    field("layout", layout, "of sinusoidal codes");
    field("learned", learned, "");
  }
};

// Adds positions to embeddings (SPEC C2, C3).
class PositionEmbedding {
 public:
  PositionEmbedding() { config_.kind = PositionKind::kNone; }
  PositionEmbedding(const PositionConfig& config, int width, RandomKey key);

  // x [N,D]; `first` is the position of each sequence's first row, or empty: 0.
  Var operator()(const Var& x, const Segments& of,
                 std::span<const int> first = {}) const;
  void params(Params& p);

 private:
  PositionConfig config_;
  LearnedCodes learned_;
};

}  // namespace fovea
