#include <algorithm>
#include <functional>
#include <memory>
#include <vector>

#include "bench/bench.h"
#include "fovea/autograd/cross_entropy.h"
#include "fovea/autograd/gather.h"
#include "fovea/autograd/linear.h"
#include "fovea/base/rng.h"
#include "fovea/encode/registry.h"
#include "fovea/layers/dropout.h"
#include "fovea/layers/init.h"
#include "fovea/predict/registry.h"

// A training step of recurrent models without the optimiser: forward and
// backward on a batch whose lengths are like those of Multi30k.
namespace fovea::bench {
namespace {

constexpr int kSequences = 256, kVocabulary = 8000, kWidth = 512;
constexpr float kDropout = 0.1f;

// About 3500 source and 3900 target tokens, targets the longest first.
std::vector<int> lengths(int shortest, int longest, uint64_t seed) {
  std::vector<int> all(kSequences);
  for (int i = 0; i < kSequences; ++i) {
    int sum = 0;  // of three: most are near the middle
    for (uint32_t j = 0; j < 3; ++j) {
      sum += static_cast<int>(
          random_below(RandomKey(seed), 3 * i + j, longest - shortest + 1));
    }
    all[i] = shortest + sum / 3;
  }
  std::ranges::sort(all, std::greater{});
  return all;
}

std::vector<int> ids(int count, uint64_t seed) {
  std::vector<int> all(count);
  for (int i = 0; i < count; ++i) {
    all[i] = static_cast<int>(random_below(RandomKey(seed), i, kVocabulary));
  }
  return all;
}

Var parameter(int64_t out, int64_t in, uint64_t seed) {
  return Var::parameter(xavier_init(out, in, RandomKey(seed)));
}

struct Sizes {
  EncoderConfig encoder;
  DecoderConfig decoder;
  ComposedConfig attend;
};

struct Model {
  Segments source = Segments::from_lengths(lengths(4, 24, 1));
  Segments target = Segments::from_lengths(lengths(5, 26, 2));
  std::vector<int> source_ids = ids(source.total(), 3);
  std::vector<int> target_ids = ids(target.total(), 4);
  Var source_table = parameter(kVocabulary, kWidth, 5);
  Var target_table = parameter(kVocabulary, kWidth, 6);
  std::unique_ptr<Encoder> encoder;
  std::unique_ptr<SequencePredictor> decoder;
  Linear output;
  std::vector<Var> all;

  explicit Model(const Sizes& sizes)
      : encoder(make_encoder(sizes.encoder, kWidth, RandomKey(7))),
        decoder(make_decoder(sizes.decoder, sizes.attend,
                             {.words = kWidth,
                              .source = encoder->width(),
                              .embedded = kWidth,
                              .encoded = encoder->widths()},
                             RandomKey(8))),
        output(decoder->width(), kVocabulary, true, RandomKey(9)) {
    Params params;
    params("source", source_table);
    params("target", target_table);
    params("encoder", *encoder);
    params("decoder", *decoder);
    params("output", output);
    for (const auto& p : params.parameters()) all.push_back(*p.value);
  }

  void step() const {
    for (const Var& p : all) p.clear_grad();
    const Pass pass{.training = true, .key = RandomKey(10)};
    const Var x = drop(gather(source_table, source_ids), kDropout, pass, "x");
    const Var y = drop(gather(target_table, target_ids), kDropout, pass, "y");
    const Encoded encoded = (*encoder)(x, source, pass);
    const Var hidden = decoder->forced(encoded, y, target, pass, false).hidden;
    cross_entropy(output(hidden), target_ids, {.smoothing = 0.1f})
        .loss.backward();
  }

  // Of every weight with all rows that it meets; attention apart.
  double pairs() const {
    double sum = 0;
    for (int b = 0; b < kSequences; ++b) {
      sum += double{1} * source.length(b) * target.length(b);
    }
    return sum;
  }
};

Row row_of(const char* name, int threads, const Sizes& sizes,
           const std::function<double(const Model&)>& flops) {
  const Model model(sizes);
  Row row;
  row.bench = "rnn_training";
  row.name = name;
  row.threads = threads;
  return against(sgemm_peak(), row, 3 * flops(model), [&] { model.step(); });
}

// 2 x columns of all matrices that a source and a target token meet.
double products(const Model& m, double source, double target) {
  return 2 * (m.source.total() * source + m.target.total() * target);
}

constexpr double kSquare = double{kWidth} * kWidth;

Row rnnsearch(int threads) {
  const Sizes sizes{
      .encoder = {.kind = "recurrent",
                  .layers = 1,
                  .width = 2 * kWidth,
                  .dropout = kDropout},
      .decoder = {.kind = "rnnsearch",
                  .layers = 1,
                  .width = kWidth,
                  .dropout = kDropout},
      .attend = {.score = "additive", .value_proj = false, .out_proj = false}};
  return row_of("rnnsearch 512", threads, sizes, [](const Model& m) {
    // Two GRUs of 3 gates, and the keys of the attention.
    const double source = 2 * 3 * 2 * kSquare + 2 * kSquare;
    // 3 gates read word, context (2) and state; the query; the readout of the
    // same; the words.
    const double target =
        3 * 4 * kSquare + kSquare + 4 * kSquare + kWidth / 2.0 * kVocabulary;
    return products(m, source, target) +
           m.pairs() * (3 * kWidth + 2 * 2 * kWidth);
  });
}

Row luong(int layers, int threads) {
  const Sizes sizes{.encoder = {.kind = "recurrent",
                                .layers = layers,
                                .width = kWidth,
                                .dropout = kDropout,
                                .cell = CellKind::kLstm,
                                .bidirectional = false},
                    .decoder = {.kind = "luong",
                                .layers = layers,
                                .width = kWidth,
                                .dropout = kDropout,
                                .cell = CellKind::kLstm},
                    .attend = {.score = "dot",
                               .project = false,
                               .value_proj = false,
                               .out_proj = false}};
  const char* name = layers == 1 ? "lstm 512, luong dot, feeding"
                                 : "2 x lstm 512, luong dot, feeding";
  return row_of(name, threads, sizes, [layers](const Model& m) {
    const double source = layers * 4 * 2 * kSquare;
    const double target = layers * 4 * 2 * kSquare + 4 * kSquare + 2 * kSquare +
                          double{kWidth} * kVocabulary;
    return products(m, source, target) + m.pairs() * 4 * kWidth;
  });
}

}  // namespace

Bench rnn_training_bench() {
  return {"rnn_training", [](int threads) -> std::vector<Row> {
            return {rnnsearch(threads), luong(1, threads), luong(2, threads)};
          }};
}

}  // namespace fovea::bench
