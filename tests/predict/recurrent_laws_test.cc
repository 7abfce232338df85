// What holds for every recurrent decoder with any attention (SPEC Z6).
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "fovea/autograd/gather.h"
#include "fovea/base/parallel.h"
#include "support/check_layer.h"
#include "support/compare.h"
#include "support/decoder_case.h"
#include "support/random.h"

namespace fovea {
namespace {

using namespace testing;  // NOLINT: the support library

struct NamedDecoder {
  std::string name;
  DecoderConfig config;
};

std::vector<NamedDecoder> decoders() {
  const DecoderConfig one{.layers = 1, .width = 6, .dropout = 0.0f};
  const auto with = [&](const char* kind, auto change) {
    DecoderConfig config = one;
    config.kind = kind;
    change(config);
    return config;
  };
  return {
      {"rnnsearch", with("rnnsearch", [](auto&) {})},
      {"rnnsearch, 2 LSTM, query with word", with("rnnsearch",
                                                  [](DecoderConfig& c) {
                                                    c.layers = 2;
                                                    c.cell = CellKind::kLstm;
                                                    c.query_word = true;
                                                  })},
      {"luong, feeding", with("luong",
                              [](DecoderConfig& c) {
                                c.layers = 2;
                                c.cell = CellKind::kLstm;
                                c.residual_from = 2;
                              })},
      {"luong, no feeding", with("luong",
                                 [](DecoderConfig& c) {
                                   c.layers = 2;
                                   c.cell = CellKind::kRnn;
                                   c.feed = false;
                                 })},
      {"gnmt", with("gnmt",
                    [](DecoderConfig& c) {
                      c.layers = 3;
                      c.cell = CellKind::kLstm;
                      c.residual_from = 3;
                    })},
      {"gnmt, new context", with("gnmt",
                                 [](DecoderConfig& c) {
                                   c.layers = 2;
                                   c.cell = CellKind::kGruAfter;
                                   c.new_context = true;
                                 })},
  };
}

std::vector<NamedDecoder> bottlenecks() {
  DecoderConfig first{.kind = "bottleneck",
                      .layers = 2,
                      .width = 6,
                      .dropout = 0.0f,
                      .cell = CellKind::kLstm};
  DecoderConfig every{.kind = "bottleneck",
                      .layers = 1,
                      .width = 6,
                      .dropout = 0.0f,
                      .every_step = true};
  return {{"bottleneck", first}, {"bottleneck at every step", every}};
}

// Calls law(case) for every decoder with every attention.
template <class Law>
void for_all(const Law& law) {
  for (const NamedDecoder& decoder : decoders()) {
    for (const NamedAttention& attention : many_attentions()) {
      SCOPED_TRACE(decoder.name + " with " + attention.name);
      law(DecoderCase{.decoder = decoder.config, .attend = attention.config});
    }
  }
  for (const NamedDecoder& decoder : bottlenecks()) {
    SCOPED_TRACE(decoder.name);
    law(DecoderCase{.decoder = decoder.config});
  }
}

std::span<const float> numbers(const Tensor& t) { return t.span(); }

TEST(RecurrentDecoder, StepByStepGivesTheSameBitsAsAllStepsOnceItIsPrepared) {
  for_all([](const DecoderCase& c) {
    for (Precision precision : {Precision::kFloat32, Precision::kInt8}) {
      TinyModel model(c);
      Params(model).prepare(precision);
      const NoGrad inference;
      EXPECT_TRUE(same_bits(step_by_step(model, c).span(),
                            model.forced(c).hidden.value().span()));
    }
  });
}

TEST(RecurrentDecoder, TrainsOnWhatItComputesStepByStep) {
  for_all([](const DecoderCase& c) {
    const TinyModel model(c);
    const Var hidden = model.forced(c).hidden;
    EXPECT_TRUE(hidden.needs_grad());
    EXPECT_TRUE(
        close(numbers(hidden.value()), numbers(step_by_step(model, c)), 1e-5));
  });
}

// Sequence b of a case alone.
DecoderCase alone(const DecoderCase& c, int b) {
  DecoderCase one = c;
  one.source = {c.source[b]};
  one.target = {c.target[b]};
  return one;
}

Tensor rows_of(const Tensor& x, const Segments& of, int b) {
  return x.row_range(of.begin(b), of.end(b)).clone();
}

TEST(RecurrentDecoder, ASequenceGivesTheSameBitsAloneAndInABatch) {
  for_all([](const DecoderCase& c) {
    TinyModel model(c);
    Params(model).prepare(Precision::kFloat32);
    const NoGrad inference;
    const Segments source = c.source_segments(), target = c.target_segments();
    const Tensor all = model.forced(c).hidden.value();
    for (int b = 0; b < source.count(); ++b) {
      const DecoderCase one = alone(c, b);
      const Tensor hidden = model
                                .forced(rows_of(c.source_rows(), source, b),
                                        one.source_segments(),
                                        rows_of(c.target_rows(), target, b),
                                        one.target_segments())
                                .hidden.value();
      EXPECT_TRUE(same_bits(rows_of(all, target, b).span(), hidden.span()));
    }
  });
}

TEST(RecurrentDecoder, TheOrderOfSequencesDoesNotMatter) {
  for_all([](const DecoderCase& c) {
    const TinyModel model(c);
    const Segments source = c.source_segments(), target = c.target_segments();
    const std::vector<int> order{3, 0, 4, 2, 1};
    DecoderCase turned = c;
    std::vector<int> source_ids, target_ids;
    for (size_t i = 0; i < order.size(); ++i) {
      const int b = order[i];
      turned.source[i] = c.source[b];
      turned.target[i] = c.target[b];
      for (int j = source.begin(b); j < source.end(b); ++j) {
        source_ids.push_back(j);
      }
      for (int j = target.begin(b); j < target.end(b); ++j) {
        target_ids.push_back(j);
      }
    }
    const Tensor hidden = model
                              .forced(gather(c.source_rows(), source_ids),
                                      turned.source_segments(),
                                      gather(c.target_rows(), target_ids),
                                      turned.target_segments())
                              .hidden.value();
    const Tensor expected =
        gather(model.forced(c).hidden.value(), target_ids).value();
    EXPECT_TRUE(close(numbers(hidden), numbers(expected), 1e-5));
  });
}

TEST(RecurrentDecoder, TheNumberOfThreadsDoesNotMatter) {
  for_all([](const DecoderCase& c) {
    TinyModel model(c);
    Params(model).prepare(Precision::kFloat32);
    const NoGrad inference;
    Tensor first;
    for (int threads : {1, 2, 4}) {
      const ThreadLimit limit(threads);
      const Tensor hidden = model.forced(c).hidden.value();
      if (!first) first = hidden;
      EXPECT_TRUE(same_bits(hidden.span(), first.span()));
    }
  });
}

TEST(RecurrentDecoder, TakesABatchWithoutWords) {
  for_all([](const DecoderCase& c) {
    DecoderCase empty = c;
    empty.target = {0, 0, 0, 0, 0};
    const TinyModel model(c);
    EXPECT_EQ(model.forced(empty).hidden.shape(),
              Shape({0, model.decoder->width()}));
  });
}

// Hidden rows, weighed and summed up in double precision.
double loss_of(const TinyModel& model, const DecoderCase& c,
               const Tensor& seed) {
  const NoGrad inference;
  const Tensor hidden = model.forced(c).hidden.value();
  double sum = 0;
  for (int64_t i = 0; i < seed.size(); ++i) sum += double{hidden[i]} * seed[i];
  return sum;
}

// The derivative of the loss along a direction, by differences.
double slope_along(const TinyModel& model, const DecoderCase& c,
                   const Tensor& seed, const Var& parameter,
                   const Tensor& direction) {
  constexpr float kStep = 4e-3f;
  const Tensor value = parameter.value(), before = value.clone();
  double losses[2];
  for (int side : {0, 1}) {
    const float step = side ? kStep : -kStep;
    for (int64_t i = 0; i < value.size(); ++i) {
      value[i] = before[i] + step * direction[i];
    }
    losses[side] = loss_of(model, c, seed);
  }
  value.copy_from(before);
  return (losses[1] - losses[0]) / (2 * kStep);
}

double dot(const Tensor& a, const Tensor& b) {
  double sum = 0;
  for (int64_t i = 0; i < a.size(); ++i) sum += double{a[i]} * b[i];
  return sum;
}

double length(const Tensor& a) { return std::sqrt(dot(a, a)); }

// Those that together go every way through a step. Draws have no derivative,
// gates of inference neither, nor has the centre of a window.
bool is_checked(const std::string& attention) {
  constexpr std::string_view kNames[] = {
      "additive, bare", "dot", "location", "local_m", "multi-head", "coverage"};
  return std::ranges::find(kNames, attention) != std::end(kNames);
}

TEST(RecurrentDecoder, GradientsOfAllParametersAreThoseOfDifferences) {
  const ThreadLimit limit(1);
  constexpr uint64_t kNoTies = 3;  // of a maxout, where it has no derivative
  const auto check_gradients = [](const DecoderCase& c) {
    TinyModel model(c, 0.4f);
    const Params params(model);
    const Var hidden = model.forced(c).hidden;
    const Tensor seed = random_tensor(hidden.shape(), 5);
    hidden.backward(seed);
    uint64_t next = 1000;
    for (const Params::Parameter& p : params.parameters()) {
      const Tensor grad = p.value->grad();
      Tensor direction = random_tensor(p.value->shape(), ++next);
      // Half along the gradient, where there is most to be seen.
      if (grad) {
        const double size = length(grad);
        for (int64_t i = 0; i < grad.size() && size > 1e-6; ++i) {
          direction[i] += static_cast<float>(grad[i] / size);
        }
      }
      const double size = length(direction);
      for (float& x : direction.span()) x = static_cast<float>(x / size);
      const double expected = slope_along(model, c, seed, *p.value, direction);
      const double got = grad ? dot(grad, direction) : 0;
      EXPECT_NEAR(got, expected, 2e-3 * std::max(1.0, std::abs(expected)))
          << p.name;
    }
  };
  for (const NamedDecoder& decoder : decoders()) {
    for (const NamedAttention& attention : many_attentions()) {
      if (!is_checked(attention.name)) continue;
      SCOPED_TRACE(decoder.name + " with " + attention.name);
      check_gradients(DecoderCase{.decoder = decoder.config,
                                  .attend = attention.config,
                                  .seed = kNoTies});
    }
  }
  for (const NamedDecoder& decoder : bottlenecks()) {
    SCOPED_TRACE(decoder.name);
    check_gradients(DecoderCase{.decoder = decoder.config, .seed = kNoTies});
  }
}

}  // namespace
}  // namespace fovea
