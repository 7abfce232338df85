#include <algorithm>
#include <cassert>

#include "fovea/base/parallel.h"
#include "fovea/kernels/topk_attention.h"
#include "fovea/tensor/allocator.h"

// Highway compiles the part below once for each instruction set.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "fovea/kernels/topk_attention_backward.cc"
#include <hwy/cache_control.h>
#include <hwy/foreach_target.h>  // must come before highway.h
#include <hwy/highway.h>

#include "fovea/kernels/loop-inl.h"

#ifndef FOVEA_TOPK_ATTENTION_ONCE
#define FOVEA_TOPK_ATTENTION_ONCE
namespace fovea::kernels {

// Rows of a matrix and a number for each.
struct WeighedRows {
  const int* rows;
  const float* weights;
  int count;
  int step = 1;  // from one to the next

  int row(int i) const { return rows[i * step]; }
  float weight(int i) const { return weights[i * step]; }
};

}  // namespace fovea::kernels
#endif

HWY_BEFORE_NAMESPACE();
namespace fovea::kernels {
namespace HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

// A head's rows are at random places of a matrix that no cache near the core
// holds.
constexpr int kAhead = 6;

HWY_INLINE void prefetch_row(const float* row, int64_t cols) {
  constexpr int64_t kLine = 16;
  for (int64_t c = 0; c < cols; c += kLine) hwy::Prefetch(row + c);
}

// ds = scale * weight * (<dout, v> - its mean over the weights), SPEC Z4. What
// comes next reads the same rows of k.
void ScoreGradients(const WeighedRows& keys, const float* dout,
                    ConstMatrixView k, ConstMatrixView v, float scale,
                    float* ds) {
  float mean = 0;
  for (int i = 0; i < keys.count; ++i) {
    if (i + kAhead < keys.count) {
      prefetch_row(v.row(keys.row(i + kAhead)), v.cols);
    }
    prefetch_row(k.row(keys.row(i)), k.cols);
    ds[i] = sum_over(
        v.cols, [](FloatVec a, FloatVec b) HWY_ATTR { return hn::Mul(a, b); },
        dout, v.row(keys.row(i)));
    mean += keys.weight(i) * ds[i];
  }
  for (int i = 0; i < keys.count; ++i) {
    ds[i] = scale * keys.weight(i) * (ds[i] - mean);
  }
}

// Columns `at` on of out (+)= the sum of the rows, weighed.
template <int kVectors, bool kWhole>
HWY_INLINE void sum_columns(const WeighedRows& some, ConstMatrixView x,
                            int64_t at, size_t n, bool add, float* out) {
  const size_t lanes = hn::Lanes(kFloats);
  FloatVec sums[kVectors];
  HWY_UNROLL(8)
  for (int c = 0; c < kVectors; ++c) {
    sums[c] = hn::Zero(kFloats);
    if (add) sums[c] = load_some<kWhole>(out + at + c * lanes, n);
  }
  for (int i = 0; i < some.count; ++i) {
    if (i + kAhead < some.count) {
      prefetch_row(x.row(some.row(i + kAhead)) + at, kVectors * lanes);
    }
    const float* row = x.row(some.row(i)) + at;
    const FloatVec weight = hn::Set(kFloats, some.weight(i));
    HWY_UNROLL(8)
    for (int c = 0; c < kVectors; ++c) {
      sums[c] =
          hn::MulAdd(weight, load_some<kWhole>(row + c * lanes, n), sums[c]);
    }
  }
  HWY_UNROLL(8)
  for (int c = 0; c < kVectors; ++c) {
    store_some<kWhole>(sums[c], out + at + c * lanes, n);
  }
}

void SumRows(const WeighedRows& some, ConstMatrixView x, bool add, float* out) {
  for_columns<8>(x.cols,
                 [&](auto vectors, auto whole, int64_t at, size_t n) HWY_ATTR {
                   sum_columns<vectors(), whole()>(some, x, at, n, add, out);
                 });
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace fovea::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace fovea::kernels {
namespace {

HWY_EXPORT(ScoreGradients);
HWY_EXPORT(SumRows);

constexpr int64_t kWork = 1 << 15;  // products that are worth a thread

// What is the same for all heads.
struct Call {
  const AttentionInputs& in;
  const AttentionOptions& options;
  const TopkChoice& choice;
  const TopkGradients& out;

  int64_t rows() const { return in.q.rows; }
  int64_t heads() const { return options.heads; }
  int64_t shared() const { return options.heads / options.kv_heads; }
  int64_t at(int64_t row, int64_t head) const {
    return choice.at(row, options.heads, head);
  }
  WeighedRows keys(int64_t row, int64_t head) const {
    const int64_t first = at(row, head);
    int count = choice.k;
    while (count > 0 && choice.keys[first + count - 1] < 0) --count;
    return {&choice.keys[first], &choice.weights[first], count};
  }
};

// A matrix of several heads, head after head: rows of one head in their place
// are far apart and meet in few sets of the cache.
class ByHeads {
 public:
  ByHeads(ConstMatrixView x, int heads)
      : x_(x), heads_(heads), copy_(heads > 1 ? x.rows * x.cols : 0) {
    if (heads == 1) return;
    const int64_t size = x.cols / heads;
    parallel_for(heads, 1, [&](int64_t first, int64_t last) {
      for (int64_t h = first; h < last; ++h) {
        for (int64_t i = 0; i < x.rows; ++i) {
          std::copy_n(x.row(i) + h * size, size,
                      copy_.data() + (h * x.rows + i) * size);
        }
      }
    });
  }
  ConstMatrixView operator[](int64_t head) const {
    if (heads_ == 1) return x_;
    const int64_t size = x_.cols / heads_;
    return {copy_.data() + head * x_.rows * size, x_.rows, size};
  }

 private:
  ConstMatrixView x_;
  int heads_;
  Scratch<float> copy_;
};

// The queries that chose each key in each head, in their order, with their
// weight and gradient of the score.
class Users {
 public:
  Users(const Call& call, const float* ds)
      : keys_(call.in.k.rows),
        most_(call.rows() * call.choice.k),
        begin_(call.heads() * (keys_ + 1)),
        uses_(call.heads() * most_) {
    parallel_for(call.heads(), 1, [&](int64_t first, int64_t last) {
      for (int64_t h = first; h < last; ++h) sort(call, h, ds);
    });
  }
  WeighedRows weights(int64_t key, int64_t head) const {
    return of(key, head, &Use::weight);
  }
  WeighedRows score_gradients(int64_t key, int64_t head) const {
    return of(key, head, &Use::ds);
  }

 private:
  struct Use {
    int row;
    float weight, ds;
  };
  static_assert(sizeof(Use) == 3 * sizeof(float));

  WeighedRows of(int64_t key, int64_t head, float Use::*number) const {
    const int64_t* begin = &begin_[head * (keys_ + 1) + key];
    const Use* first = uses_.data() + head * most_ + begin[0];
    return {&first->row, &(first->*number),
            static_cast<int>(begin[1] - begin[0]), 3};
  }

  // By counting.
  void sort(const Call& call, int64_t head, const float* ds) {
    int64_t* next = &begin_[head * (keys_ + 1)];
    std::fill_n(next, keys_ + 1, 0);
    for (int64_t m = 0; m < call.rows(); ++m) {
      const WeighedRows keys = call.keys(m, head);
      for (int i = 0; i < keys.count; ++i) ++next[keys.row(i)];
    }
    // next[key] is where the key's last one ends; filling goes backwards.
    for (int64_t key = 1; key <= keys_; ++key) next[key] += next[key - 1];
    for (int64_t m = call.rows() - 1; m >= 0; --m) {
      const WeighedRows keys = call.keys(m, head);
      for (int i = 0; i < keys.count; ++i) {
        const int64_t to = head * most_ + --next[keys.row(i)];
        uses_[to] = {static_cast<int>(m), keys.weight(i),
                     ds[call.at(m, head) + i]};
      }
    }
  }

  int64_t keys_, most_;
  Scratch<int64_t> begin_;
  Scratch<Use> uses_;
};

// Calls body(head, begin, end) for blocks of rows of each head, in parallel.
template <class Body>
void for_blocks(int64_t heads, int64_t rows, int64_t work_of_row,
                const Body& body) {
  constexpr int64_t kRows = 64;
  const int64_t blocks = (rows + kRows - 1) / kRows;
  parallel_for(heads * blocks, kWork / (kRows * work_of_row + 1) + 1,
               [&](int64_t first, int64_t last) {
                 for (int64_t task = first; task < last; ++task) {
                   const int64_t begin = task % blocks * kRows;
                   body(task / blocks, begin, std::min(rows, begin + kRows));
                 }
               });
}

// ds for all that is chosen, and dq.
void backward_queries(const Call& call, float* ds) {
  const AttentionInputs& in = call.in;
  const AttentionOptions& options = call.options;
  const TopkGradients& out = call.out;
  const int64_t size = in.q.cols / call.heads();
  const ByHeads k(in.k, options.kv_heads), v(in.v, options.kv_heads);
  for_blocks(call.heads(), call.rows(), call.choice.k * (size + v[0].cols),
             [&](int64_t h, int64_t begin, int64_t end) {
               const ConstMatrixView keys = k[h / call.shared()];
               const ConstMatrixView values = v[h / call.shared()];
               for (int64_t m = begin; m < end; ++m) {
                 const WeighedRows chosen = call.keys(m, h);
                 float* to = ds + call.at(m, h);
                 HWY_DYNAMIC_DISPATCH(ScoreGradients)
                 (chosen, out.dout.row(m) + h * values.cols, keys, values,
                  options.scale, to);
                 if (!out.dq.data) continue;
                 HWY_DYNAMIC_DISPATCH(SumRows)
                 ({chosen.rows, to, chosen.count}, keys, out.add_q,
                  out.dq.row(m) + h * size);
               }
             });
}

// dk and dv. Threads own keys.
void backward_keys(const Call& call, const float* ds) {
  const AttentionInputs& in = call.in;
  const AttentionOptions& options = call.options;
  const TopkGradients& out = call.out;
  const Users users(call, ds);
  const ByHeads q(in.q, options.heads), dout(out.dout, options.heads);
  const int64_t k = q[0].cols, v = dout[0].cols, shared = call.shared();
  const int64_t work = call.rows() * shared * call.choice.k / (in.k.rows + 1);
  for_blocks(options.kv_heads, in.k.rows, work * (k + v),
             [&](int64_t kv, int64_t begin, int64_t end) {
               for (int64_t h = kv * shared; h < (kv + 1) * shared; ++h) {
                 for (int64_t key = begin; key < end; ++key) {
                   if (out.dk.data) {
                     HWY_DYNAMIC_DISPATCH(SumRows)
                     (users.score_gradients(key, h), q[h], true,
                      out.dk.row(key) + kv * k);
                   }
                   if (out.dv.data) {
                     HWY_DYNAMIC_DISPATCH(SumRows)
                     (users.weights(key, h), dout[h], true,
                      out.dv.row(key) + kv * v);
                   }
                 }
               }
             });
}

}  // namespace

void topk_attention_backward(const AttentionInputs& in,
                             const AttentionOptions& options,
                             const TopkChoice& choice,
                             const TopkGradients& gradients) {
  assert(choice.keys.size() ==
         static_cast<size_t>(in.q.rows * options.heads * choice.k));
  assert(choice.weights.size() == choice.keys.size());
  const Call call{in, options, choice, gradients};
  const Scratch<float> ds(choice.keys.size());
  backward_queries(call, ds.data());
  if (gradients.dk.data || gradients.dv.data) backward_keys(call, ds.data());
}

}  // namespace fovea::kernels
#endif  // HWY_ONCE
