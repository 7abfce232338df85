#include "fovea/autograd/pairs.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "fovea/autograd/matrix.h"
#include "fovea/base/check.h"
#include "fovea/kernels/additive.h"
#include "fovea/kernels/elementwise.h"
#include "fovea/kernels/pair_spread.h"

namespace fovea {

struct Pairs::Data {
  std::vector<Row> rows;
  std::vector<kernels::PairRow> layout;
  int heads = 1, key_heads = 1;
  int64_t key_rows = 0;
  Segments segments;
};

Pairs::Pairs() : Pairs({}, 1, 1) {}

Pairs::Pairs(std::vector<Row> rows, int heads, int key_heads) {
  check(key_heads > 0 && heads > 0 && heads % key_heads == 0, "pairs: ", heads,
        " heads cannot share ", key_heads, " key heads");
  auto data = std::make_shared<Data>();
  data->heads = heads;
  data->key_heads = key_heads;
  data->layout.reserve(rows.size());
  std::vector<int> offsets{0};
  offsets.reserve(rows.size() * heads + 1);
  int64_t offset = 0;
  for (const Row& row : rows) {
    check(row.key >= 0 && row.keys >= 0, "pairs: ", row.keys, " keys from row ",
          row.key);
    data->layout.push_back({row.key, row.keys, offset});
    if (row.keys > 0) {
      data->key_rows = std::max<int64_t>(data->key_rows, row.key + row.keys);
    }
    offset += row.keys;
    check(heads * offset <= std::numeric_limits<int>::max(),
          "pairs: more than 2^31 pairs");
    for (int h = 0; h < heads; ++h) {
      offsets.push_back(offsets.back() + row.keys);
    }
  }
  data->rows = std::move(rows);
  data->segments = Segments::from_offsets(std::move(offsets));
  data_ = std::move(data);
}

int64_t Pairs::rows() const { return std::ssize(data_->rows); }
int Pairs::heads() const { return data_->heads; }
int Pairs::key_heads() const { return data_->key_heads; }
int64_t Pairs::size() const { return data_->segments.total(); }
int64_t Pairs::key_rows() const { return data_->key_rows; }
const Pairs::Row& Pairs::row(int64_t m) const { return data_->rows[m]; }
const Segments& Pairs::segments() const { return data_->segments; }

int64_t Pairs::begin(int64_t m, int head) const {
  return layout().begin(m, head);
}

kernels::PairLayout Pairs::layout() const {
  return {data_->layout, data_->heads, data_->key_heads};
}

namespace {

// Every head has keys of its own.
kernels::PairLayout own_keys(const Pairs& pairs) {
  return {pairs.layout().rows, pairs.heads(), pairs.heads()};
}

void check_numbers(const char* op, const Var& s, const Pairs& pairs) {
  check(s.value().size() == pairs.size(), op, ": a value of shape ", s.shape(),
        " for ", pairs.size(), " pairs");
}

void check_rows(const char* op, const Var& x, const Pairs& pairs,
                int64_t width) {
  check(x.shape().rank() == 2 && x.dim(0) == pairs.rows() && x.dim(1) == width,
        op, ": a value of shape ", x.shape(), " for ", pairs.rows(),
        " rows of ", width);
}

void check_keys(const char* op, const Var& x, const Pairs& pairs, int heads) {
  check(x.shape().rank() == 2 && x.dim(0) >= pairs.key_rows(), op,
        ": a value of shape ", x.shape(), " for ", pairs.key_rows(), " keys");
  check(x.dim(1) % heads == 0, op, ": ", x.dim(1), " columns of keys for ",
        heads, " heads");
}

void check_queries_and_keys(const char* op, const Var& q, const Var& k,
                            const Pairs& pairs) {
  check_keys(op, k, pairs, pairs.key_heads());
  check_rows(op, q, pairs, k.dim(1) / pairs.key_heads() * pairs.heads());
}

void check_index(const char* op, const Pairs& pairs, const PairIndex& index) {
  check(index.of && std::ssize(*index.of) * pairs.heads() == pairs.size(), op,
        ": ", index.of ? index.of->size() : 0, " indices for ",
        pairs.size() / pairs.heads(), " pairs of a head");
  unsigned largest = 0;  // a negative index is a large one
  for (int i : *index.of) largest = std::max<unsigned>(largest, i);
  check(pairs.size() == 0 || largest < static_cast<unsigned>(index.count), op,
        ": index ", static_cast<int>(largest), " of ", index.count);
}

}  // namespace

Var pair_dot(const Var& q, const Var& k, const Pairs& pairs, float scale) {
  check_queries_and_keys("pair_dot", q, k, pairs);
  const Tensor a = q.value(), b = k.value();
  Tensor s({pairs.size()});
  kernels::pair_dot(matrix(a), matrix(b), pairs.layout(), scale, false,
                    s.data());
  return record(s, {q, k}, [=](const Tensor& ds, Grads dx) {
    if (dx[0]) {
      auto [dq, accumulate] = dx[0].target();
      kernels::pair_gather(ds.data(), matrix(b), pairs.layout(), scale,
                           accumulate, matrix(dq));
    }
    if (dx[1]) {
      const Tensor dk = dx[1].sum();
      kernels::pair_scatter(ds.data(), matrix(a), pairs.layout(), scale,
                            matrix(dk));
    }
  });
}

namespace {

// dx += 2 sums[i] x[i] for each row i of one head.
void add_twice(const Tensor& sums, const Tensor& x, const Tensor& dx) {
  if (sums.size() == 0) return;
  const int64_t d = x.size() / sums.size();
  kernels::scale(2.0f, sums.span(), sums.span());
  kernels::mul_column({x.data(), sums.size(), d}, sums.span(),
                      {dx.data(), sums.size(), d}, true);
}

}  // namespace

Var pair_distance(const Var& q, const Var& k, const Pairs& pairs) {
  check_queries_and_keys("pair_distance", q, k, pairs);
  const Tensor a = q.value(), b = k.value();
  Tensor s({pairs.size()});
  kernels::pair_distance(matrix(a), matrix(b), pairs.layout(), s.data());
  // dq = 2 (q sum ds - sum ds k), and the same for k.
  return record(s, {q, k}, [=](const Tensor& ds, Grads dx) {
    if (dx[0]) {
      auto [dq, accumulate] = dx[0].target();
      kernels::pair_gather(ds.data(), matrix(b), pairs.layout(), -2.0f,
                           accumulate, matrix(dq));
      const Tensor sums({pairs.rows(), pairs.heads()});
      kernels::pair_row_sums(ds.data(), pairs.layout(), false, matrix(sums));
      add_twice(sums, a, dq);
    }
    if (dx[1]) {
      const Tensor dk = dx[1].sum();
      kernels::pair_scatter(ds.data(), matrix(a), pairs.layout(), -2.0f,
                            matrix(dk));
      const Tensor sums = Tensor::zeros({b.dim(0), pairs.key_heads()});
      kernels::pair_key_sums(ds.data(), pairs.layout(), matrix(sums));
      add_twice(sums, b, dk);
    }
  });
}

namespace {

void check_additive(const Var& q, const Var& v, const Pairs& pairs,
                    const Var& coverage, const Var& weight) {
  check(v.value().size() == q.dim(1), "pair_additive: v of shape ", v.shape(),
        " for ", q.dim(1), " columns of queries");
  check(bool(coverage) == bool(weight),
        "pair_additive: coverage and its weight belong together");
  if (!coverage) return;
  check_numbers("pair_additive", coverage, pairs);
  check(weight.value().size() == q.dim(1), "pair_additive: a weight of shape ",
        weight.shape(), " for ", q.dim(1), " columns of queries");
}

}  // namespace

Var pair_additive(const Var& q, const Var& k, const Var& v, const Pairs& pairs,
                  const Var& coverage, const Var& coverage_weight) {
  check_queries_and_keys("pair_additive", q, k, pairs);
  check_additive(q, v, pairs, coverage, coverage_weight);
  std::vector<Var> inputs{q, k, v};
  Tensor covered, weight;  // empty if there is no coverage
  if (coverage) {
    inputs.insert(inputs.end(), {coverage, coverage_weight});
    covered = coverage.value();
    weight = coverage_weight.value();
  }
  const auto of = [a = q.value(), b = k.value(), c = v.value(), covered,
                   weight] {
    return kernels::AdditiveInputs{matrix(a), matrix(b), c.span(),
                                   covered.data(), weight.span()};
  };
  Tensor s({pairs.size()});
  kernels::additive_forward(of(), pairs.layout(), s.data());
  return record(s, inputs, [of, pairs](const Tensor& ds, Grads dx) {
    Tensor sums[5];
    for (size_t i = 0; i < dx.size(); ++i) {
      if (dx[i]) sums[i] = dx[i].sum();
    }
    const auto view = [](const Tensor& sum) {
      return sum ? matrix(sum) : kernels::MatrixView();
    };
    kernels::additive_backward(of(), pairs.layout(), ds.data(),
                               {.dq = view(sums[0]),
                                .dk = view(sums[1]),
                                .dv = sums[2].span(),
                                .dcoverage = sums[3].data(),
                                .dcoverage_weight = sums[4].span()});
  });
}

Var pair_sum(const Var& weights, const Var& values, const Pairs& pairs) {
  check_numbers("pair_sum", weights, pairs);
  check_keys("pair_sum", values, pairs, pairs.key_heads());
  const Tensor w = weights.value(), v = values.value();
  Tensor y({pairs.rows(), v.dim(1) / pairs.key_heads() * pairs.heads()});
  kernels::pair_gather(w.data(), matrix(v), pairs.layout(), 1.0f, false,
                       matrix(y));
  return record(y, {weights, values}, [=](const Tensor& dy, Grads dx) {
    if (dx[0]) {
      auto [dw, accumulate] = dx[0].target();
      kernels::pair_dot(matrix(dy), matrix(v), pairs.layout(), 1.0f, accumulate,
                        dw.data());
    }
    if (dx[1]) {
      const Tensor dv = dx[1].sum();
      kernels::pair_scatter(w.data(), matrix(dy), pairs.layout(), 1.0f,
                            matrix(dv));
    }
  });
}

Var pair_pick(const Var& x, const Pairs& pairs, const PairIndex& index) {
  check_index("pair_pick", pairs, index);
  check_rows("pair_pick", x, pairs, int64_t{pairs.heads()} * index.count);
  Tensor s({pairs.size()});
  kernels::pair_pick(matrix(x.value()), pairs.layout(), *index.of, false,
                     s.data());
  return record(s, {x}, [=](const Tensor& ds, Grads dx) {
    const Tensor sum = dx[0].sum();
    kernels::pair_bucket_sums(ds.data(), pairs.layout(), *index.of,
                              matrix(sum));
  });
}

Var pair_bucket_sums(const Var& weights, const Pairs& pairs,
                     const PairIndex& index) {
  check_numbers("pair_bucket_sums", weights, pairs);
  check_index("pair_bucket_sums", pairs, index);
  const Tensor y =
      Tensor::zeros({pairs.rows(), int64_t{pairs.heads()} * index.count});
  kernels::pair_bucket_sums(weights.value().data(), pairs.layout(), *index.of,
                            matrix(y));
  return record(y, {weights}, [=](const Tensor& dy, Grads dx) {
    auto [dw, accumulate] = dx[0].target();
    kernels::pair_pick(matrix(dy), pairs.layout(), *index.of, accumulate,
                       dw.data());
  });
}

Var pair_of_keys(const Var& x, const Pairs& pairs) {
  check_keys("pair_of_keys", x, pairs, pairs.heads());
  check(x.dim(1) == pairs.heads(), "pair_of_keys: ", x.dim(1), " columns for ",
        pairs.heads(), " heads");
  Tensor s({pairs.size()});
  kernels::pair_of_keys(matrix(x.value()), own_keys(pairs), false, s.data());
  return record(s, {x}, [=](const Tensor& ds, Grads dx) {
    const Tensor sum = dx[0].sum();
    kernels::pair_key_sums(ds.data(), own_keys(pairs), matrix(sum));
  });
}

Var pair_key_sums(const Var& weights, const Pairs& pairs, int64_t keys) {
  check_numbers("pair_key_sums", weights, pairs);
  check(keys >= pairs.key_rows(), "pair_key_sums: ", keys,
        " keys, but pairs with ", pairs.key_rows());
  const Tensor y = Tensor::zeros({keys, pairs.heads()});
  kernels::pair_key_sums(weights.value().data(), own_keys(pairs), matrix(y));
  return record(y, {weights}, [=](const Tensor& dy, Grads dx) {
    auto [dw, accumulate] = dx[0].target();
    kernels::pair_of_keys(matrix(dy), own_keys(pairs), accumulate, dw.data());
  });
}

Var pair_of_rows(const Var& x, const Pairs& pairs) {
  check_rows("pair_of_rows", x, pairs, pairs.heads());
  Tensor s({pairs.size()});
  kernels::pair_of_rows(matrix(x.value()), pairs.layout(), false, s.data());
  return record(s, {x}, [=](const Tensor& ds, Grads dx) {
    auto [sum, accumulate] = dx[0].target();
    kernels::pair_row_sums(ds.data(), pairs.layout(), accumulate, matrix(sum));
  });
}

Var pair_row_sums(const Var& weights, const Pairs& pairs) {
  check_numbers("pair_row_sums", weights, pairs);
  Tensor y({pairs.rows(), pairs.heads()});
  kernels::pair_row_sums(weights.value().data(), pairs.layout(), false,
                         matrix(y));
  return record(y, {weights}, [=](const Tensor& dy, Grads dx) {
    auto [dw, accumulate] = dx[0].target();
    kernels::pair_of_rows(matrix(dy), pairs.layout(), accumulate, dw.data());
  });
}

}  // namespace fovea
