#include "fovea/attend/composed.h"

#include <cmath>
#include <limits>
#include <numeric>

#include "fovea/attend/registry.h"
#include "fovea/attend/settings.h"
#include "fovea/base/check.h"

namespace fovea {
namespace {

template <class... Parts>
void check_pair(bool legal, const std::string& a, const std::string& b,
                const Parts&... why) {
  check_usage(legal, a, " and ", b, " do not go together: ", why...);
}

void check_numbers(const ComposedConfig& c) {
  check_option(c.heads >= 1, "heads", c.heads, "give at least 1");
  check_option(c.kv_heads >= 0, "kv-heads", c.kv_heads, "give 0 or more");
  check_pair(c.kv_heads == 0 || c.heads % c.kv_heads == 0,
             join("heads ", c.heads), join("kv-heads ", c.kv_heads),
             "the first must be a multiple of the second");
  check_option(c.head_size >= 0, "head-size", c.head_size, "give 0 or more");
  check_pair(c.head_size == 0 || c.project, "head-size", "project false",
             "without a projection the rows' width says it");
  check_option(c.value_size >= 0, "value-size", c.value_size, "give 0 or more");
  check_pair(c.value_size == 0 || c.value_proj, "value-size",
             "value-proj false",
             "without a projection the rows' width says it");
  check_option(std::isfinite(c.scale) && c.scale >= 0, "scale", c.scale,
               "give 0 or more");
  // The largest score of a kernel divided by it is still a float.
  check_option(c.temperature >= 1e-15f && c.temperature <= 1e15f, "temperature",
               c.temperature, "give more than 1e-15 and less than 1e15");
  check_option(c.dropout >= 0 && c.dropout < 1, "dropout", c.dropout,
               "give 0 or more and less than 1");
}

AttentionSizes filled_in(AttentionSizes s) {
  if (s.key == 0) s.key = s.query;
  if (s.value == 0) s.value = s.key;
  if (s.extra == 0) s.extra = s.key;
  if (s.out == 0) s.out = s.query;
  check(s.query > 0 && s.key > 0 && s.value > 0 && s.out > 0,
        "attend: the width of a row is 0");
  return s;
}

// All heads together.
void check_width(int heads, int size) {
  check_pair(int64_t{heads} * size <= std::numeric_limits<int>::max(),
             join("heads ", heads), join("a head of ", size),
             "their columns are too many");
}

ScoreSizes score_sizes(const ComposedConfig& c, const AttentionSizes& s) {
  ScoreSizes sizes;
  sizes.heads = c.heads;
  sizes.key_heads = c.kv_heads ? c.kv_heads : c.heads;
  if (c.project) {
    check_pair(c.head_size > 0 || s.query % c.heads == 0,
               join("heads ", c.heads), join("query width ", s.query),
               "give head-size, or a width that the heads divide");
    const int size = c.head_size ? c.head_size : s.query / c.heads;
    check_width(sizes.heads, size);
    sizes.query = sizes.heads * size;
    sizes.key = sizes.key_heads * size;
  } else {
    sizes.query = s.query;
    sizes.key = s.key;
  }
  return sizes;
}

// Projected values have the size of a head; others are split as they come.
int value_width(const ComposedConfig& c, const AttentionSizes& s,
                const ScoreSizes& score) {
  const int head = c.head_size ? c.head_size : std::max(1, s.query / c.heads);
  const int size = c.value_size ? c.value_size : head;
  check_width(c.heads, size);
  const int width = c.value_proj ? score.key_heads * size : s.value;
  check_pair(width % score.key_heads == 0, join("kv-heads ", score.key_heads),
             join("value width ", width), "the heads must divide the values");
  return width;
}

}  // namespace

Composed::Composed(const ComposedConfig& config, const AttentionSizes& given,
                   RandomKey key)
    : config_(config) {
  check_numbers(config_);
  const AttentionSizes sizes = filled_in(given);
  score_sizes_ = score_sizes(config_, sizes);
  value_width_ = value_width(config_, sizes, score_sizes_);
  Settings settings(config_.options);
  const PartContext context{.config = config_,
                            .sizes = sizes,
                            .score = score_sizes_,
                            .value_size = value_width_ / score_sizes_.key_heads,
                            .settings = settings,
                            .key = key.with("parts")};
  parts_.score = make_score(context);
  parts_.extent = make_extent(context);
  parts_.normaliser = make_normaliser(context, *parts_.score);
  parts_.select = make_select(context);
  parts_.position = make_position(context);
  settings.check_all_read();
  check_together();
  if (config_.project && !parts_.score->projects()) {
    query_ = Linear(sizes.query, score_sizes_.query, config_.bias,
                    key.with("query"));
    key_ = Linear(sizes.key, score_sizes_.key, config_.bias, key.with("key"));
  }
  if (config_.value_proj) {
    value_ = Linear(sizes.value, value_width_, config_.bias, key.with("value"));
  }
  out_width_ = value_width_ / score_sizes_.key_heads * score_sizes_.heads;
  if (config_.out_proj) {
    out_ = Linear(out_width_, sizes.out, config_.bias, key.with("out"));
    out_width_ = sizes.out;
  }
}

void Composed::check_together() const {
  const ComposedConfig& c = config_;
  const Parts& p = parts_;
  check_pair(p.score->kind() == ScoreKind::kWeight ||
                 p.normaliser->takes(p.score->kind()),
             "score " + c.score, "normaliser " + c.normaliser,
             p.score->kind() == ScoreKind::kLogSimilarity
                 ? "similarities want sum or softmax"
                 : "sum divides similarities, which are never negative");
  const bool is_dot = p.score->dot_scale().has_value();
  check_pair(is_dot || !p.position->needs_dot(), "position " + c.position,
             "score " + c.score, "it changes vectors that are multiplied");
  check_pair(c.head_size == 0 || !p.score->projects(),
             join("head-size ", c.head_size), "score " + c.score,
             "it has matrices of its own");
  check_pair(!c.coverage || p.score->uses_coverage(), "coverage",
             "score " + c.score, "only additive scores know it");
  check_pair(!c.coverage || c.extent == "global", "coverage",
             "extent " + c.extent, "each step must meet the same keys");
  check_pair(!c.coverage || !c.causal, "coverage", "causal",
             "each step must meet the same keys");
  check_pair(!p.select->drops_keys() || c.extent == "global",
             "select " + c.select, "extent " + c.extent,
             "closed keys have no place in a window");
  check_pair(!p.select->drops_keys() || !c.causal, "select " + c.select,
             "causal", "closed keys have no position");
  check_pair(!p.select->drops_keys() || !c.exclude_self, "select " + c.select,
             "exclude-self", "closed keys have no position");
  check_pair(!p.select->drops_keys() || !p.position->biases(),
             "select " + c.select, "position " + c.position,
             "closed keys have no position");
  const bool has_places = p.score->longest() < std::numeric_limits<int>::max();
  check_pair(!p.select->drops_keys() || !has_places, "select " + c.select,
             "score " + c.score, "closed keys have no place");
  if (p.score->kind() == ScoreKind::kWeight) check_weights_alone();
}

// What changes scores has no meaning where there are only weights.
void Composed::check_weights_alone() const {
  const ComposedConfig& c = config_;
  const std::string score = "score " + c.score;
  const char* why = "the score gives weights, not scores";
  check_pair(c.normaliser == "auto", score, "normaliser " + c.normaliser, why);
  check_pair(!parts_.position->biases(), score, "position " + c.position, why);
  check_pair(c.temperature == 1, score, join("temperature ", c.temperature),
             why);
  check_pair(!c.exclude_self, score, "exclude-self", why);
  check_pair(c.select == "soft", score, "select " + c.select,
             "the weights do not sum to 1");
}

Var Composed::prepared_keys(const Var& rows,
                            std::span<const int> positions) const {
  const Var placed = parts_.position->add_to(rows, positions);
  const Var projected = key_ ? key_(placed) : placed;
  return parts_.position->turn(parts_.score->prepare_keys(projected), positions,
                               score_sizes_.key_heads);
}

Memory Composed::memory_of(const Source& source,
                           std::span<const int> positions) const {
  const Var& values = source.values ? source.values : source.keys;
  check(source.keys.dim(0) == source.of.total(), "attend: ", source.keys.dim(0),
        " keys in sequences of ", source.of.total());
  check(values.dim(0) == source.of.total(), "attend: ", source.keys.dim(0),
        " keys but ", values.dim(0), " values");
  Memory memory;
  memory.keys = prepared_keys(source.keys, positions);
  memory.values = value_ ? value_(values) : values;
  check(memory.values.dim(1) == value_width_, "attend: values of width ",
        memory.values.dim(1), ", not ", value_width_);
  for (int b = 0; b < source.of.count(); ++b) {
    const int length = source.of.length(b);
    memory.rows.push_back({source.of.begin(b), length, length});
  }
  return memory;
}

Memory Composed::remember(const Source& source, const Pass& pass) const {
  std::vector<int> positions(static_cast<size_t>(source.of.total()));
  for (int b = 0; b < source.of.count(); ++b) {
    std::iota(positions.begin() + source.of.begin(b),
              positions.begin() + source.of.end(b), 0);
  }
  Memory memory = memory_of(source, positions);
  parts_.select->remember(memory, source, pass);
  return memory;
}

void Composed::extend(Memory& memory, const Source& added) const {
  check_usage(!parts_.select->drops_keys(), "select ", config_.select,
              " cannot extend a memory");
  check(added.of.count() == std::ssize(memory.rows),
        "attend: ", added.of.count(), " new sequences for a memory of ",
        memory.rows.size());
  std::vector<int> positions(static_cast<size_t>(added.of.total()));
  for (int b = 0; b < added.of.count(); ++b) {
    std::iota(positions.begin() + added.of.begin(b),
              positions.begin() + added.of.end(b), memory.rows[b].length);
  }
  append_rows(memory, memory_of(added, positions));
}

void Composed::params(Params& p) {
  if (query_) p("query", query_);
  if (key_) p("key", key_);
  if (value_) p("value", value_);
  if (out_) p("out", out_);
  p("score", *parts_.score);
  p("extent", *parts_.extent);
  p("select", *parts_.select);
  p("position", *parts_.position);
}

std::unique_ptr<Attention> make_attention(const ComposedConfig& config,
                                          const AttentionSizes& sizes,
                                          RandomKey key) {
  return std::make_unique<Composed>(config, sizes, key);
}

}  // namespace fovea
