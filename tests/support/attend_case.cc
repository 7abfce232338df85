#include "support/attend_case.h"

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

std::unique_ptr<Attention> random_attention(const AttendCase& c) {
  auto attention = make_attention(c.config, c.sizes, RandomKey{c.seed});
  uint64_t seed = c.seed + 3;
  const Params all(*attention);
  for (const auto& [name, value] : all.parameters()) {
    *value = Var::parameter(random_tensor(value->shape(), seed++, 0.5f));
  }
  return attention;
}

AttendRows random_rows(const AttendCase& c) {
  return {Var::parameter(c.query_rows()), Var::parameter(c.key_rows()),
          Var::parameter(c.value_rows())};
}

Attended attend_once(const Attention& attention, const AttendCase& c,
                     const AttendRows& rows, bool want_weights) {
  const Pass pass;
  const Memory memory = attention.remember(
      {.keys = rows.keys, .values = rows.values, .of = c.key_segments()}, pass);
  return attention.attend({.rows = rows.queries,
                           .of = c.query_segments(),
                           .position = c.position,
                           .want_weights = want_weights},
                          memory, {}, pass);
}

}  // namespace fovea::testing
