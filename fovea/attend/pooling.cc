#include "fovea/attend/pooling.h"

#include <algorithm>
#include <cmath>

#include "fovea/attend/impose.h"
#include "fovea/attend/pair_record.h"
#include "fovea/attend/registry.h"
#include "fovea/autograd/elementwise.h"
#include "fovea/autograd/gather.h"
#include "fovea/base/check.h"

namespace fovea {
namespace {

std::unique_ptr<Normaliser> normaliser_of(const PoolingConfig& config,
                                          int width, RandomKey key) {
  ComposedConfig parts;
  parts.normaliser = config.normaliser;
  const AttentionSizes sizes{width, width, width, width, width};
  Settings settings(config.options);
  auto made = make_normaliser({.config = parts,
                               .sizes = sizes,
                               .score = {.query = width, .key = width},
                               .value_size = width,
                               .settings = settings,
                               .key = key},
                              Score());
  settings.check_all_read();
  check_usage(made->takes(ScoreKind::kScore), "pooling and normaliser ",
              config.normaliser,
              " do not go together: its scores may be negative");
  return made;
}

// One query for each sequence, which meets all of its rows.
Pairs pooling_pairs(const Segments& of) {
  std::vector<Pairs::Row> rows;
  for (int b = 0; b < of.count(); ++b) {
    rows.push_back({.key = of.begin(b), .keys = of.length(b)});
  }
  return {std::move(rows), 1, 1};
}

void trace(const Weights& weights, const Segments& of, PoolingScore score,
           const Pass& pass) {
  std::vector<int> heads = traced_heads(pass, 1);
  if (heads.empty()) return;
  const std::vector<int> ones(of.count(), 1);
  RecordPlaces places{Segments::from_lengths(ones), {}};
  for (int b = 0; b < of.count(); ++b) places.keys.push_back(of.length(b));
  pass.trace->add(pair_record({.name = pass.name(),
                               .kind = "pooling",
                               .score = FieldText<PoolingScore>::print(score)},
                              std::move(heads), weights, places));
}

}  // namespace

Pooling::Pooling(const PoolingConfig& config, int width, RandomKey key)
    : score_(config.score),
      normaliser_(normaliser_of(config, width, key.with("normaliser"))) {
  check_usage(config.hidden >= 0, "hidden is ", config.hidden,
              ": give 0 or more");
  int judged = width;
  if (score_ == PoolingScore::kAdditive) {
    judged = config.hidden ? config.hidden : std::max(1, width / 2);
    hidden_ = Linear(width, judged, true, key.with("hidden"));
  }
  query_ = Linear(judged, 1, false, key.with("query"));
}

Var Pooling::scores(const Var& rows) const {
  if (hidden_) return query_(hidden_(rows, Activation::kTanh));
  return scale(query_(rows), 1 / std::sqrt(static_cast<float>(rows.dim(1))));
}

Pooled Pooling::operator()(const Var& rows, const Segments& of,
                           const Pass& pass) const {
  check(rows.dim(0) == of.total(), "pooling: ", rows.dim(0),
        " rows in sequences of ", of.total());
  Weights weights{{}, pooling_pairs(of)};
  weights.values =
      normaliser_->weights(reshape(scores(rows), {rows.dim(0)}), weights.pairs);
  weights.values = impose_weights(weights.values, weights.pairs, pass);
  trace(weights, of, score_, pass);
  const Var pooled = pair_sum(weights.values, rows, weights.pairs);
  return {impose_head_mask(pooled, 1, pass), weights};
}

void Pooling::params(Params& p) {
  if (hidden_) p("hidden", hidden_);
  p("query", query_);
}

}  // namespace fovea
