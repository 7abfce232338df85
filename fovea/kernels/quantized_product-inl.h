// The product of rows of 7 bits with panels of bytes, for quantized.cc alone:
// it is included once for each instruction set of Highway, and for AVX2 once
// more for each VNNI, in a namespace of its own with FOVEA_DOT_PRODUCTS set to
// the instruction's intrinsic.

// sum += the four products of unsigned bytes of x with signed bytes of w, in
// each lane, for one or two x and w.
#ifdef FOVEA_DOT_PRODUCTS
HWY_INLINE VI AddDots(VI x, VI w, VI sum) {
  return VI{FOVEA_DOT_PRODUCTS(sum.raw, x.raw, w.raw)};
}
HWY_INLINE VI AddTwoDots(VI x0, VI w0, VI x1, VI w1, VI sum) {
  return AddDots(x1, w1, AddDots(x0, w0, sum));
}
#elif HWY_TARGET == HWY_AVX2 || HWY_TARGET == HWY_SSE4
HWY_INLINE auto Pairs(VI x, VI w) {  // sums of two in 16 bits
#if HWY_TARGET == HWY_AVX2
  return _mm256_maddubs_epi16(x.raw, w.raw);
#else
  return _mm_maddubs_epi16(x.raw, w.raw);
#endif
}
template <class Pair>
HWY_INLINE VI AddPairs(Pair pairs, VI sum) {
#if HWY_TARGET == HWY_AVX2
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
#if HWY_TARGET == HWY_AVX2
  return AddPairs(_mm256_add_epi16(Pairs(x0, w0), Pairs(x1, w1)), sum);
#else
  return AddPairs(_mm_add_epi16(Pairs(x0, w0), Pairs(x1, w1)), sum);
#endif
}
#else
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
template <int kRows, int kPanels = 1>
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
  const uint8_t* x = a.data;
  const int64_t soon_step = 2 * p.soon_step;
  const auto weights = [&](int v) HWY_ATTR {
    return w + v / kVectors * a.stride * kPanel +
           v % kVectors * kLanes * kGroup;
  };
  int64_t k = 0;
  for (; k + 2 * kGroup <= a.stride; k += 2 * kGroup) {
    if (kPanels == 1) {
      hwy::Prefetch(soon);
      hwy::Prefetch(soon + p.soon_step);
      soon += soon_step;
    } else {
#pragma GCC unroll 8
      for (int i = 0; i < kPanels; ++i) {
        hwy::Prefetch(w + i * a.stride * kPanel + kFetchAhead);
        hwy::Prefetch(w + i * a.stride * kPanel + kFetchAhead + kPanelGroup);
      }
    }
    VI first[kWide], second[kWide];
#pragma GCC unroll 16
    for (int v = 0; v < kWide; ++v) {
      first[v] = LoadWeights(weights(v));
      second[v] = LoadWeights(weights(v) + kPanelGroup);
    }
#pragma GCC unroll 8
    for (int r = 0; r < kRows; ++r) {
      const VI x0 = Spread(x + r * a.stride);
      const VI x1 = Spread(x + r * a.stride + kGroup);
#pragma GCC unroll 16
      for (int v = 0; v < kWide; ++v) {
        sum[r][v] = AddTwoDots(x0, first[v], x1, second[v], sum[r][v]);
      }
    }
    w += 2 * kPanelGroup;
    x += 2 * kGroup;
  }
  if (k < a.stride) {
#pragma GCC unroll 8
    for (int r = 0; r < kRows; ++r) {
#pragma GCC unroll 16
      for (int v = 0; v < kWide; ++v) {
        sum[r][v] = AddDots(Spread(x + r * a.stride), LoadWeights(weights(v)),
                            sum[r][v]);
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
      hn::StoreU(y, d, to);
    }
  }
}

// One row alone takes four panels at once, to work on each byte of it longer.
HWY_NOINLINE void MultiplyFourPanels(const Panel& p, const SevenBitRows& a,
                                     MatrixView c) {
  MultiplyTile<1, 4>(p, a, c, nullptr);
}

// All rows with one panel. c is one panel wide.
HWY_NOINLINE void MultiplyPanel(const Panel& p, SevenBitRows a, MatrixView c) {
  const int8_t* soon = p.weights + a.stride * kPanel;
  const int64_t soon_tile = a.stride / kGroup * p.soon_step;
  int64_t r = 0;
  for (; r + 4 <= c.rows; r += 4, soon += soon_tile) {
    MultiplyTile<4>(p, a.from(r), c.row_range(r, r + 4), soon);
  }
  switch (c.rows - r) {
    case 3:
      return MultiplyTile<3>(p, a.from(r), c.row_range(r, r + 3), soon);
    case 2:
      return MultiplyTile<2>(p, a.from(r), c.row_range(r, r + 2), soon);
    case 1:
      return MultiplyTile<1>(p, a.from(r), c.row_range(r, r + 1), soon);
    default:
      return;
  }
}

// The last panel when it has fewer than 16 columns: the same code on a copy.
void MultiplyEdge(const Panel& p, const SevenBitRows& a, MatrixView c,
                  const float* bias, Activation activation) {
  HWY_ALIGN float whole_bias[kPanel] = {};
  if (bias != nullptr) std::copy_n(bias, c.cols, whole_bias);
  for (int64_t r = 0; r < c.rows; ++r) {
    HWY_ALIGN float row[kPanel] = {};
    std::copy_n(c.row(r), c.cols, row);
    const MatrixView copy(row, 1, kPanel);
    MultiplyPanel(p, a.from(r), copy);
    finish_panels(d, copy, bias == nullptr ? nullptr : whole_bias, activation);
    std::copy_n(row, c.cols, c.row(r));
  }
}

void MultiplyPanels(const QuantizedProduct& p) {
  const int64_t tiles = (p.c.rows + kTileRows - 1) / kTileRows;
  for (int64_t column = 0, width; column < p.c.cols; column += width) {
    const int64_t left = p.c.cols - column;
    width = p.c.rows == 1 && left >= 4 * kPanel ? 4 * kPanel
                                                : std::min(left, kPanel);
    const Panel panel{.weights = p.panels + column * p.a.stride,
                      .scales = p.scales + column,
                      .offsets = p.offsets + column,
                      .accumulate = p.accumulate,
                      .soon_step = (kPanelGroup + tiles - 1) / tiles};
    const float* bias = p.bias == nullptr ? nullptr : p.bias + column;
    const MatrixView c = p.c.col_range(column, column + width);
    if (width < kPanel) {
      MultiplyEdge(panel, p.a, c, bias, p.activation);
      return;
    }
    width == kPanel ? MultiplyPanel(panel, p.a, c)
                    : MultiplyFourPanels(panel, p.a, c);
    finish_panels(d, c, bias, p.activation);
  }
}
