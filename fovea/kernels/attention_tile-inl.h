// The products that attention is made of, on blocks that fit into the caches,
// for the part of a kernel that Highway compiles once for each instruction set.
//
// Every product is C (+)= A B where B lies in panels 16 columns wide. A tile of
// 6 rows by one panel keeps its sums in registers (12 of the 16 of AVX2; with
// AVX-512 one of 12 rows), and each sum is one chain of additions in the order
// of the inner index, so that an element of C has the same bits in a tile of
// any height.

// Highway's include guard: once for each instruction set.
#if defined(FOVEA_KERNELS_ATTENTION_TILE_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef FOVEA_KERNELS_ATTENTION_TILE_INL_H_
#undef FOVEA_KERNELS_ATTENTION_TILE_INL_H_
#else
#define FOVEA_KERNELS_ATTENTION_TILE_INL_H_
#endif

#include <hwy/highway.h>

#include <algorithm>
#include <cstdint>
#include <type_traits>

HWY_BEFORE_NAMESPACE();
namespace fovea::kernels {
namespace HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;
constexpr int kPanel = 16;
using Floats = hn::CappedTag<float, kPanel>;
using Vector = hn::Vec<Floats>;
constexpr Floats kFloats;
constexpr int kLanes = static_cast<int>(hn::MaxLanes(Floats()));

constexpr int kPanelVectors = kPanel / kLanes;
constexpr int kTileRows = kLanes == kPanel ? 12 : 6;

constexpr int round_up(int n, int unit) { return (n + unit - 1) / unit * unit; }

// A: element (r, i) at data[r * row + i * step].
struct Left {
  const float* data;
  int64_t row, step;

  Left rows_from(int64_t r) const { return {data + r * row, row, step}; }
  Left inner_from(int64_t i) const { return {data + i * step, row, step}; }
};

// B: row i of panel p at data + p * panel + i * step, 16 floats.
struct Right {
  const float* data;
  int64_t step, panel;

  // x is a multiple of 16.
  Right columns_from(int64_t x) const {
    return {data + x / kPanel * panel, step, panel};
  }
  Right inner_from(int64_t i) const { return {data + i * step, step, panel}; }
};

// C: element (r, x) at data[r * row + x].
struct Result {
  float* data;
  int64_t row;

  Result from(int64_t r, int64_t x) const { return {data + r * row + x, row}; }
};

// What the sums begin with: zero, C, or C times a factor for each row.
enum class Begin { kZero, kSum, kScaledSum };

struct Product {
  Left a;
  Right b;
  int64_t count;  // of the inner index
  Result c;
  const float* factors = nullptr;  // one for each row
};

// Not inlined, so that the compiler gives its registers to the sums. By
// reference: the words of a structure passed by value are stored one by one and
// loaded in pairs, which stalls.
template <int kRows, int kPanels, Begin kBegin>
HWY_NOINLINE void tile(const Product& product) {
  const Left a = product.a;
  const Right b = product.b;
  const Result c = product.c;
  const int64_t count = product.count;
  const float* factors = product.factors;
  constexpr int kColumns = kPanels * kPanelVectors;
  Vector sums[kRows][kColumns];
  HWY_UNROLL(12)
  for (int r = 0; r < kRows; ++r) {
    HWY_UNROLL(8)
    for (int x = 0; x < kColumns; ++x) {
      sums[r][x] = hn::Zero(kFloats);
      if constexpr (kBegin != Begin::kZero) {
        sums[r][x] = hn::LoadU(kFloats, c.data + r * c.row + x * kLanes);
      }
      if constexpr (kBegin == Begin::kScaledSum) {
        sums[r][x] = hn::Mul(sums[r][x], hn::Set(kFloats, factors[r]));
      }
    }
  }
  // A base for each three rows, so that no more than two strides are needed to
  // address them.
  constexpr int kBases = (kRows + 2) / 3;
  const float* left[kBases];
  HWY_UNROLL(4)
  for (int x = 0; x < kBases; ++x) left[x] = a.data + 3 * x * a.row;
  const float* right = b.data;
  HWY_UNROLL(4)
  for (int64_t i = 0; i < count; ++i) {
    Vector columns[kColumns];
    HWY_UNROLL(8)
    for (int x = 0; x < kColumns; ++x) {
      columns[x] = hn::LoadU(kFloats, right + (x / kPanelVectors) * b.panel +
                                          (x % kPanelVectors) * kLanes);
    }
    HWY_UNROLL(12)
    for (int r = 0; r < kRows; ++r) {
      const Vector factor = hn::Set(kFloats, left[r / 3][r % 3 * a.row]);
      HWY_UNROLL(8)
      for (int x = 0; x < kColumns; ++x) {
        sums[r][x] = hn::MulAdd(factor, columns[x], sums[r][x]);
      }
    }
    HWY_UNROLL(4)
    for (int x = 0; x < kBases; ++x) left[x] += a.step;
    right += b.step;
  }
  HWY_UNROLL(12)
  for (int r = 0; r < kRows; ++r) {
    HWY_UNROLL(8)
    for (int x = 0; x < kColumns; ++x) {
      hn::StoreU(sums[r][x], kFloats, c.data + r * c.row + x * kLanes);
    }
  }
}

// Calls fn with a row count of 1 to kMost as a constant.
template <int kMost = kTileRows, class Fn>
HWY_INLINE void with_rows(int rows, Fn fn) {
  if constexpr (kMost > 1) {
    if (rows < kMost) return with_rows<kMost - 1>(rows, fn);
  }
  fn(std::integral_constant<int, kMost>());
}

// Rows in groups of at most kTileRows that differ by at most one: of 6, 8 rows
// make 4 + 4, for a group of 2 would run at a third of the speed.
class RowGroups {
 public:
  static constexpr int kMostRows = 192;

  explicit RowGroups(int rows) : count_((rows + kTileRows - 1) / kTileRows) {
    for (int g = 0; g <= count_; ++g) {
      first_[g] = count_ ? rows * g / count_ : 0;
    }
  }
  int count() const { return count_; }
  int first(int g) const { return first_[g]; }
  int end(int g) const { return first_[g + 1]; }
  int rows(int g) const { return first_[g + 1] - first_[g]; }

 private:
  int count_;
  int first_[kMostRows / kTileRows + 1];
};

// 2^x for x <= 0 (and a little more); 0 from -126 down, a NaN stays one, and
// 2^0 is exactly 1. 2^x = 2^n 2^f with |f| <= 1/2; the polynomial's relative
// error is below 1e-7.
HWY_INLINE Vector exp2(Vector x) {
  const hn::RebindToSigned<Floats> ints;
  // Adding 1.5 * 2^23 rounds to an integer and leaves it in the low bits.
  const Vector magic = hn::Set(kFloats, 12582912.0f);
  const Vector bits = hn::Add(x, magic);
  const Vector f = hn::Sub(x, hn::Sub(bits, magic));
  Vector p = hn::Set(kFloats, 0.00132647273f);
  p = hn::MulAdd(p, f, hn::Set(kFloats, 0.00967151299f));
  p = hn::MulAdd(p, f, hn::Set(kFloats, 0.0555073358f));
  p = hn::MulAdd(p, f, hn::Set(kFloats, 0.240222424f));
  p = hn::MulAdd(p, f, hn::Set(kFloats, 0.693147004f));
  p = hn::MulAdd(p, f, hn::Set(kFloats, 1.0f));
  const auto n = hn::ShiftLeft<23>(hn::BitCast(ints, bits));
  const Vector y = hn::BitCast(kFloats, hn::Add(hn::BitCast(ints, p), n));
  return hn::IfThenZeroElse(hn::Lt(x, hn::Set(kFloats, -126.0f)), y);
}

// s[j] -= slope * |position - j| for j in [begin, end), multiples of 16.
HWY_INLINE void add_distance_bias(float* s, int begin, int end, float slope,
                                  float position) {
  const Vector factor = hn::Set(kFloats, slope);
  const Vector here = hn::Set(kFloats, position);
  for (int j = begin; j < end; j += kLanes) {
    const Vector distance =
        hn::Abs(hn::Sub(hn::Iota(kFloats, static_cast<float>(j)), here));
    hn::StoreU(hn::NegMulAdd(factor, distance, hn::LoadU(kFloats, s + j)),
               kFloats, s + j);
  }
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace fovea::kernels
HWY_AFTER_NAMESPACE();

#endif  // FOVEA_KERNELS_ATTENTION_TILE_INL_H_
