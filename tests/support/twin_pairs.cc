#include "support/twin_pairs.h"

#include <algorithm>

namespace fovea::testing {

TwinPairs::TwinPairs(const std::vector<std::pair<int, int>>& key_and_keys,
                     int heads_, int key_heads_, int d_)
    : heads(heads_), key_heads(key_heads_), d(d_) {
  int64_t offset = 0;
  for (const auto& [key, keys] : key_and_keys) {
    rows.push_back({key, keys, offset});
    offset += keys;
    key_rows = std::max(key_rows, key + keys);
  }
}

int64_t TwinPairs::size() const {
  int64_t sum = 0;
  for (const auto& row : rows) sum += int64_t{row.keys} * heads;
  return sum;
}

void TwinPairs::each(
    const std::function<void(int64_t, int64_t, int64_t)>& fn) const {
  int64_t number = 0;
  for (int64_t m = 0; m < query_rows(); ++m) {
    for (int64_t h = 0; h < heads; ++h) {
      for (int j = 0; j < rows[m].keys; ++j) {
        const int64_t key_head = h / (heads / key_heads);
        fn(number++, (m * heads + h) * d,
           ((rows[m].key + j) * int64_t{key_heads} + key_head) * d);
      }
    }
  }
}

Doubles TwinPairs::dot(const Doubles& a, const Doubles& b) const {
  Doubles s(size(), 0.0);
  each([&](int64_t n, int64_t query, int64_t key) {
    for (int i = 0; i < d; ++i) s[n] += a[query + i] * b[key + i];
  });
  return s;
}

Doubles TwinPairs::distance(const Doubles& a, const Doubles& b) const {
  Doubles s(size(), 0.0);
  each([&](int64_t n, int64_t query, int64_t key) {
    for (int i = 0; i < d; ++i) {
      const double x = a[query + i] - b[key + i];
      s[n] += x * x;
    }
  });
  return s;
}

Doubles TwinPairs::gather(const Doubles& s, const Doubles& b) const {
  Doubles out(queries(), 0.0);
  each([&](int64_t n, int64_t query, int64_t key) {
    for (int i = 0; i < d; ++i) out[query + i] += s[n] * b[key + i];
  });
  return out;
}

Doubles TwinPairs::scatter(const Doubles& s, const Doubles& a) const {
  Doubles out(keys(), 0.0);
  each([&](int64_t n, int64_t query, int64_t key) {
    for (int i = 0; i < d; ++i) out[key + i] += s[n] * a[query + i];
  });
  return out;
}

std::vector<std::pair<int, int>> mixed_pairs() {
  std::vector<std::pair<int, int>> rows;
  for (int i = 0; i < 7; ++i) rows.push_back({0, 9});
  rows.push_back({9, 0});
  rows.push_back({9, 1});
  for (int i = 1; i <= 11; ++i) rows.push_back({10, i});
  for (int i = 0; i < 8; ++i) rows.push_back({21 + i, 5});
  for (int i = 0; i < 2; ++i) rows.push_back({3, 0});
  rows.push_back({30, 37});
  rows.push_back({2, 6});
  rows.push_back({5, 1});
  rows.push_back({5, 30});
  return rows;
}

}  // namespace fovea::testing
