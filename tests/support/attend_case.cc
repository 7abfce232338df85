#include "support/attend_case.h"

#include "fovea/base/check.h"
#include "support/random.h"

namespace fovea::testing {

Tensor AttendCase::query_rows() const {
  return random_tensor({query_segments().total(), sizes.query}, seed, scale);
}

Tensor AttendCase::key_rows() const {
  return random_tensor({key_segments().total(), sizes.key}, seed + 1, scale);
}

Tensor AttendCase::value_rows() const {
  return random_tensor({key_segments().total(), sizes.value}, seed + 2, scale);
}

ComposedConfig bare_config(const std::string& score,
                           std::vector<std::string> options) {
  return {.score = score,
          .project = false,
          .value_proj = false,
          .out_proj = false,
          .options = std::move(options)};
}

std::unique_ptr<Attention> new_attention(const ComposedConfig& config,
                                         const AttentionSizes& sizes) {
  return make_attention(config, sizes, RandomKey{1});
}

std::unique_ptr<Attention> random_attention(const AttendCase& c) {
  auto attention = new_attention(c.config, c.sizes);
  uint64_t seed = c.seed + 3;
  const Params all(*attention);
  for (const auto& [name, value] : all.parameters()) {
    *value = Var::parameter(random_tensor(value->shape(), seed++, 0.5f));
  }
  return attention;
}

Var& param(Attention& attention, const std::string& name) {
  const Params all(attention);
  for (const auto& [known, value] : all.parameters()) {
    if (known == name) return *value;
  }
  fail(ErrorKind::kRun, "no parameter is named ", name);
}

AttendRows random_rows(const AttendCase& c) {
  return {Var::parameter(c.query_rows()), Var::parameter(c.key_rows()),
          Var::parameter(c.value_rows())};
}

Attended attend_once(const Attention& attention, const AttendCase& c,
                     const AttendRows& rows, bool want_weights) {
  const Pass pass{.training = c.training, .key = c.key};
  const Memory memory = attention.remember(
      {.keys = rows.keys, .values = rows.values, .of = c.key_segments()}, pass);
  return attention.attend({.rows = rows.queries,
                           .of = c.query_segments(),
                           .position = c.position,
                           .want_weights = want_weights},
                          memory, {}, pass);
}

Attended attend_one(const ComposedConfig& config, const AttendRows& rows,
                    bool want_weights) {
  const auto width = [](const Var& x) { return static_cast<int>(x.dim(1)); };
  const auto count = [](const Var& x) { return static_cast<int>(x.dim(0)); };
  const AttendCase c{.config = config,
                     .sizes = {.query = width(rows.queries),
                               .key = width(rows.keys),
                               .value = width(rows.values)},
                     .queries = {count(rows.queries)},
                     .keys = {count(rows.keys)}};
  return attend_once(*new_attention(config, c.sizes), c, rows, want_weights);
}

}  // namespace fovea::testing
