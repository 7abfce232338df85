#include "fovea/attend/registry.h"

#include "fovea/attend/extent_global.h"
#include "fovea/attend/extent_last.h"
#include "fovea/attend/extent_local_m.h"
#include "fovea/attend/extent_local_p.h"
#include "fovea/attend/normaliser_entmax15.h"
#include "fovea/attend/normaliser_sigmoid.h"
#include "fovea/attend/normaliser_softmax.h"
#include "fovea/attend/normaliser_sparsemax.h"
#include "fovea/attend/normaliser_sum.h"
#include "fovea/attend/normaliser_topk.h"
#include "fovea/attend/position_absolute.h"
#include "fovea/attend/position_alibi.h"
#include "fovea/attend/position_relative.h"
#include "fovea/attend/position_rotary.h"
#include "fovea/attend/score_additive.h"
#include "fovea/attend/score_concat.h"
#include "fovea/attend/score_cosine.h"
#include "fovea/attend/score_dot.h"
#include "fovea/attend/score_exact.h"
#include "fovea/attend/score_general.h"
#include "fovea/attend/score_kernel.h"
#include "fovea/attend/score_location.h"
#include "fovea/attend/score_uniform.h"
#include "fovea/attend/select_gated.h"
#include "fovea/attend/select_hard_gumbel.h"
#include "fovea/attend/select_hard_reinforce.h"
#include "fovea/base/check.h"
#include "fovea/base/nearest.h"

namespace fovea {
namespace {

// Keeps the weights as they are; needs no class of its own.
std::unique_ptr<Select> make_soft(const PartContext&) {
  return std::make_unique<Select>();
}

std::unique_ptr<Position> make_no_position(const PartContext&) {
  return std::make_unique<Position>();
}

constexpr PartEntry<Score> kScores[] = {
    {"dot", "q.k", make_dot_score},
    {"scaled_dot", "q.k / sqrt(d)", make_scaled_dot_score},
    {"general", "q^T W k", make_general_score},
    {"additive", "v^T tanh(W1 k + W2 q)", make_additive_score},
    {"concat", "v^T tanh(W [q; k])", make_concat_score},
    {"concat_identity_source", "v^T tanh(W q + k)",
     make_concat_identity_source_score},
    {"cosine", "beta q.k / (|q| |k|)", make_cosine_score},
    {"location", "W q, one number for each place", make_location_score},
    {"location_tutorial", "W q + b, one number for each place",
     make_location_tutorial_score},
    {"inverse_distance", "|q - k|^-p", make_inverse_distance_score},
    {"gaussian", "exp(-|q - k|^2 / (2 w^2))", make_gaussian_score},
    {"epanechnikov", "1 - |q - k|^2 / w^2, or 0 beyond w",
     make_epanechnikov_score},
    {"boxcar", "1 up to |q - k| = w, 0 beyond", make_boxcar_score},
    {"exact", "the value of the key that equals the query", make_exact_score},
    {"uniform", "0: the mean of the values", make_uniform_score},
};

constexpr PartEntry<Extent> kExtents[] = {
    {"global", "every key", make_global_extent},
    {"local_m", "keys around the query's position", make_local_m_extent},
    {"local_p", "a Gaussian around a position that the query predicts",
     make_local_p_extent},
    {"last", "the last key", make_last_extent},
};

constexpr PartEntry<Normaliser> kNormalisers[] = {
    {"softmax", "exp(e) / sum of exp(e)", make_softmax},
    {"sigmoid", "1 / (1 + exp(-e)): each key for itself", make_sigmoid},
    {"sum", "similarity / sum of similarities", make_sum},
    {"sparsemax", "max(0, e - t), Martins and Astudillo 2016", make_sparsemax},
    {"entmax15", "max(0, e/2 - t)^2, Peters et al. 2019", make_entmax15},
    {"topk", "softmax over the k largest scores", make_topk},
};

constexpr PartEntry<Select> kSelects[] = {
    {"soft", "the mean of the values by their weights", make_soft},
    {"hard_reinforce", "one value, drawn; learns by REINFORCE, Xu et al. 2015",
     make_hard_reinforce},
    {"hard_gumbel", "one value, drawn; straight-through gradient",
     make_hard_gumbel},
    {"gated", "only keys behind open gates, GA-Net", make_gated},
};

constexpr PartEntry<Position> kPositions[] = {
    {"none", "the order of the keys does not matter", make_no_position},
    {"learned", "a learned code is added to queries and keys",
     make_learned_position},
    {"sinusoidal", "sines and cosines are added to queries and keys",
     make_sinusoidal_position},
    {"alibi", "-slope |i - j| is added to scores", make_alibi_position},
    {"relative", "a learned vector of j - i is added to keys and values",
     make_relative_position},
    {"rope", "queries and keys are turned by angles of their positions",
     make_rotary_position},
};

template <class Part>
std::unique_ptr<Part> make(std::span<const PartEntry<Part>> registry,
                           const char* kind, const std::string& name,
                           const PartContext& context) {
  std::vector<std::string> names;
  for (const auto& entry : registry) {
    if (name == entry.name) return entry.make(context);
    names.push_back(entry.name);
  }
  std::string list;
  for (const std::string& one : names) list += " " + one;
  fail(ErrorKind::kUsage, "no ", kind, " is named '", name, "'",
       did_you_mean(name, names), "; there are:", list);
}

}  // namespace

std::span<const PartEntry<Score>> score_registry() { return kScores; }
std::span<const PartEntry<Extent>> extent_registry() { return kExtents; }
std::span<const PartEntry<Normaliser>> normaliser_registry() {
  return kNormalisers;
}
std::span<const PartEntry<Select>> select_registry() { return kSelects; }
std::span<const PartEntry<Position>> position_registry() { return kPositions; }

std::unique_ptr<Score> make_score(const PartContext& context) {
  return make(score_registry(), "score", context.config.score, context);
}

std::unique_ptr<Extent> make_extent(const PartContext& context) {
  return make(extent_registry(), "extent", context.config.extent, context);
}

std::unique_ptr<Normaliser> make_normaliser(const PartContext& context,
                                            const Score& score) {
  std::string name = context.config.normaliser;
  if (name == "auto") {
    name = score.kind() == ScoreKind::kLogSimilarity ? "sum" : "softmax";
  }
  PartContext with_kind = context;
  with_kind.kind = score.kind();
  return make(normaliser_registry(), "normaliser", name, with_kind);
}

std::unique_ptr<Select> make_select(const PartContext& context) {
  return make(select_registry(), "select", context.config.select, context);
}

std::unique_ptr<Position> make_position(const PartContext& context) {
  return make(position_registry(), "position", context.config.position,
              context);
}

}  // namespace fovea
