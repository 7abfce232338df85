// The product of rows of 7 bits with panels of bytes, for quantized.cc alone:
// it is included once for each instruction set of Highway, and for AVX2 and
// AVX-512 once more for their VNNI, in a namespace of its own with
// FOVEA_DOT_PRODUCTS set to the instruction and FOVEA_DOT_REGISTER to where its
// operands may live.

// sum += the four products of unsigned bytes of x with signed bytes of w, in
// each lane, for one or two x and w. kGroups: how many at once are best.
#ifdef FOVEA_DOT_PRODUCTS
constexpr int kGroups = 1;
// Not by its intrinsic: GCC 12 copies each sum there and back.
HWY_INLINE VI AddDots(VI x, VI w, VI sum) {
  asm(FOVEA_DOT_PRODUCTS " %2, %1, %0"
      : "+" FOVEA_DOT_REGISTER(sum.raw)
      : FOVEA_DOT_REGISTER(x.raw), FOVEA_DOT_REGISTER(w.raw));
  return sum;
}
HWY_INLINE VI AddTwoDots(VI x0, VI w0, VI x1, VI w1, VI sum) {
  return AddDots(x1, w1, AddDots(x0, w0, sum));
}
#elif HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_AVX2 || HWY_TARGET == HWY_SSE4
constexpr int kGroups = 2;
HWY_INLINE auto Pairs(VI x, VI w) {  // sums of two in 16 bits
#if HWY_TARGET == HWY_AVX3
  return _mm512_maddubs_epi16(x.raw, w.raw);
#elif HWY_TARGET == HWY_AVX2
  return _mm256_maddubs_epi16(x.raw, w.raw);
#else
  return _mm_maddubs_epi16(x.raw, w.raw);
#endif
}
template <class Pair>
HWY_INLINE VI AddPairs(Pair pairs, VI sum) {
#if HWY_TARGET == HWY_AVX3
  const auto dots = _mm512_madd_epi16(pairs, _mm512_set1_epi16(1));
  return VI{_mm512_add_epi32(sum.raw, dots)};
#elif HWY_TARGET == HWY_AVX2
  const auto dots = _mm256_madd_epi16(pairs, _mm256_set1_epi16(1));
  return VI{_mm256_add_epi32(sum.raw, dots)};
#else
  const auto dots = _mm_madd_epi16(pairs, _mm_set1_epi16(1));
  return VI{_mm_add_epi32(sum.raw, dots)};
#endif
}
HWY_INLINE VI AddDots(VI x, VI w, VI sum) { return AddPairs(Pairs(x, w), sum); }
// Four products of 127 * 64 fit 16 bits, so that two x share the second step.
HWY_INLINE VI AddTwoDots(VI x0, VI w0, VI x1, VI w1, VI sum) {
#if HWY_TARGET == HWY_AVX3
  return AddPairs(_mm512_add_epi16(Pairs(x0, w0), Pairs(x1, w1)), sum);
#elif HWY_TARGET == HWY_AVX2
  return AddPairs(_mm256_add_epi16(Pairs(x0, w0), Pairs(x1, w1)), sum);
#else
  return AddPairs(_mm_add_epi16(Pairs(x0, w0), Pairs(x1, w1)), sum);
#endif
}
#else
constexpr int kGroups = 1;
HWY_INLINE VI AddDots(VI x, VI w, VI sum) {
  const VI byte = hn::Set(di, 0xff);
  sum = hn::Add(
      sum, hn::Mul(hn::And(x, byte), hn::ShiftRight<24>(hn::ShiftLeft<24>(w))));
  sum = hn::Add(sum, hn::Mul(hn::And(hn::ShiftRight<8>(x), byte),
                             hn::ShiftRight<24>(hn::ShiftLeft<16>(w))));
  sum = hn::Add(sum, hn::Mul(hn::And(hn::ShiftRight<16>(x), byte),
                             hn::ShiftRight<24>(hn::ShiftLeft<8>(w))));
  return hn::Add(sum, hn::Mul(hn::And(hn::ShiftRight<24>(x), byte),
                              hn::ShiftRight<24>(w)));
}
HWY_INLINE VI AddTwoDots(VI x0, VI w0, VI x1, VI w1, VI sum) {
  return AddDots(x1, w1, AddDots(x0, w0, sum));
}
#endif

// Loops over rows and vectors must vanish, or the sums live in memory.
template <int kRows, int kPanels>
HWY_INLINE void MultiplyTile(const Panel& p, SevenBitRows a, MatrixView c,
                             const int8_t* soon) {
  constexpr int kWide = kPanels * kVectors;
  VI sum[kRows][kWide];
#pragma GCC unroll 8
  for (int r = 0; r < kRows; ++r) {
    hwy::Prefetch(c.row(r));
#pragma GCC unroll 16
    for (int v = 0; v < kWide; ++v) {
      sum[r][v] = hn::Load(di, p.offsets + v * kLanes);
    }
  }
  const int8_t* w = p.weights;
  // A base for each three rows, so that no more than two strides are needed to
  // address them.
  constexpr int kBases = (kRows + 2) / 3;
  const uint8_t* x[kBases];
#pragma GCC unroll 4
  for (int i = 0; i < kBases; ++i) x[i] = a.data + 3 * i * a.stride;
  const auto weights = [&](int v) HWY_ATTR {
    return w + v / kVectors * a.stride * kPanel +
           v % kVectors * kLanes * kGroup;
  };
  int64_t k = 0;
  for (; k + kGroups * kGroup <= a.stride; k += kGroups * kGroup) {
#pragma GCC unroll 8
    for (int i = 0; i < kPanels * kGroups; ++i) {
      const int64_t panel = i / kGroups * a.stride * kPanel;
      hwy::Prefetch(kPanels <= kTilePanels
                        ? soon + panel + i % kGroups * p.soon_step
                        : w + panel + i % kGroups * kPanelGroup + kFetchAhead);
    }
    if (kPanels <= kTilePanels) soon += kGroups * p.soon_step;
    VI first[kWide], last[kWide];
#pragma GCC unroll 16
    for (int v = 0; v < kWide; ++v) {
      first[v] = LoadWeights(weights(v));
      if (kGroups > 1) last[v] = LoadWeights(weights(v) + kPanelGroup);
    }
#pragma GCC unroll 8
    for (int r = 0; r < kRows; ++r) {
      const uint8_t* row = x[r / 3] + r % 3 * a.stride;
      const VI x0 = Spread(row);
      const VI x1 = kGroups > 1 ? Spread(row + kGroup) : x0;
#pragma GCC unroll 16
      for (int v = 0; v < kWide; ++v) {
        sum[r][v] = kGroups > 1
                        ? AddTwoDots(x0, first[v], x1, last[v], sum[r][v])
                        : AddDots(x0, first[v], sum[r][v]);
      }
    }
    w += kGroups * kPanelGroup;
#pragma GCC unroll 4
    for (int i = 0; i < kBases; ++i) x[i] += kGroups * kGroup;
  }
  if (k < a.stride) {
#pragma GCC unroll 8
    for (int r = 0; r < kRows; ++r) {
#pragma GCC unroll 16
      for (int v = 0; v < kWide; ++v) {
        sum[r][v] = AddDots(Spread(x[r / 3] + r % 3 * a.stride),
                            LoadWeights(weights(v)), sum[r][v]);
      }
    }
  }
#pragma GCC unroll 8
  for (int r = 0; r < kRows; ++r) {
    const V scale = hn::Set(d, a.scales[r]);
#pragma GCC unroll 16
    for (int v = 0; v < kWide; ++v) {
      float* to = c.row(r) + v * kLanes;
      V y = hn::Mul(hn::Mul(hn::ConvertTo(d, sum[r][v]), scale),
                    hn::Load(d, p.scales + v * kLanes));
      if (p.accumulate) y = hn::Add(y, hn::LoadU(d, to));
      if (p.bias != nullptr) {
        y = hn::Add(y, hn::LoadU(d, p.bias + v * kLanes));
      }
      // In this order a NaN stays one.
      if (p.cut_negative) y = hn::Max(hn::Zero(d), y);
      hn::StoreU(y, d, to);
    }
  }
}

// One row alone takes four panels at once, to work on each byte of it longer.
HWY_NOINLINE void MultiplyFourPanels(const Panel& p, const SevenBitRows& a,
                                     MatrixView c) {
  MultiplyTile<1, 4>(p, a, c, nullptr);
}

// For up to kMost rows.
template <int kPanels, int kMost = kTileRows>
HWY_INLINE void MultiplyRows(const Panel& p, const SevenBitRows& a,
                             MatrixView c, const int8_t* soon) {
  if constexpr (kMost > 1) {
    if (c.rows < kMost) return MultiplyRows<kPanels, kMost - 1>(p, a, c, soon);
  }
  MultiplyTile<kMost, kPanels>(p, a, c, soon);
}

// All rows with some panels: c is so wide.
template <int kPanels>
HWY_NOINLINE void MultiplyPanel(const Panel& p, SevenBitRows a, MatrixView c) {
  const int8_t* soon = p.weights + kPanels * a.stride * kPanel;
  const int64_t soon_tile = a.stride / kGroup * p.soon_step;
  const int64_t tiles = (c.rows + kTileRows - 1) / kTileRows;
  for (int64_t i = 0; i < tiles; ++i, soon += soon_tile) {
    const int64_t begin = c.rows * i / tiles, end = c.rows * (i + 1) / tiles;
    MultiplyRows<kPanels>(p, a.from(begin), c.row_range(begin, end), soon);
  }
}

// The last panel when it has fewer than 16 columns: the same code on a copy.
void MultiplyEdge(Panel p, const SevenBitRows& a, MatrixView c,
                  Activation activation) {
  HWY_ALIGN float whole_bias[kPanel] = {};
  if (p.bias != nullptr) {
    std::copy_n(p.bias, c.cols, whole_bias);
    p.bias = whole_bias;
  }
  for (int64_t r = 0; r < c.rows; ++r) {
    HWY_ALIGN float row[kPanel] = {};
    std::copy_n(c.row(r), c.cols, row);
    const MatrixView copy(row, 1, kPanel);
    MultiplyPanel<1>(p, a.from(r), copy);
    finish_panels(d, copy, nullptr, activation);
    std::copy_n(row, c.cols, c.row(r));
  }
}

void MultiplyPanels(const QuantizedProduct& p) {
  const bool cuts = p.activation == Activation::kRelu;
  const Activation later = cuts ? Activation::kNone : p.activation;
  const int64_t tiles = (p.c.rows + kTileRows - 1) / kTileRows;
  for (int64_t column = 0, width; column < p.c.cols; column += width) {
    const int64_t left = p.c.cols - column;
    const int64_t wide = (p.c.rows == 1 ? 4 : kTilePanels) * kPanel;
    width = left >= wide ? wide : std::min(left, kPanel);
    const Panel panel{.weights = p.panels + column * p.a.stride,
                      .scales = p.scales + column,
                      .offsets = p.offsets + column,
                      .bias = p.bias == nullptr ? nullptr : p.bias + column,
                      .accumulate = p.accumulate,
                      .cut_negative = cuts,
                      .soon_step = (kPanelGroup + tiles - 1) / tiles};
    const MatrixView c = p.c.col_range(column, column + width);
    if (width < kPanel) {
      MultiplyEdge(panel, p.a, c, later);
      return;
    }
    if (width == kPanel) {
      MultiplyPanel<1>(panel, p.a, c);
    } else if (p.c.rows == 1) {
      MultiplyFourPanels(panel, p.a, c);
    } else {
      MultiplyPanel<kTilePanels>(panel, p.a, c);
    }
    finish_panels(d, c, nullptr, later);
  }
}
