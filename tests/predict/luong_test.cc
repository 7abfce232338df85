#include "fovea/predict/luong.h"

#include <gtest/gtest.h>

#include "fovea/autograd/gather.h"
#include "support/check_layer.h"
#include "support/compare.h"
#include "support/decoder_case.h"
#include "support/random.h"

namespace fovea {
namespace {

using namespace testing;  // NOLINT: the support library

DecoderCase luong_case(bool feed) {
  DecoderCase c{
      .attend = {.score = "general", .value_proj = false, .out_proj = false}};
  c.encoder.bidirectional = false;
  c.encoder.layers = 2;
  c.encoder.width = 6;
  c.encoder.cell = c.decoder.cell = CellKind::kLstm;
  c.decoder.kind = "luong";
  c.decoder.layers = 2;
  c.decoder.width = 6;
  c.decoder.feed = feed;
  return c;
}

std::vector<std::string> names_of(TinyModel& model) {
  std::vector<std::string> names;
  const Params params(model);
  for (const Params::Parameter& p : params.parameters()) {
    names.push_back(p.name);
  }
  return names;
}

bool has_projection(TinyModel& model) {
  for (const std::string& name : names_of(model)) {
    if (name.starts_with("decoder.first.")) return true;
  }
  return false;
}

TEST(Luong, BeginsWithTheEncodersLastStatesWhereTheyFit) {
  const DecoderCase c = luong_case(true);
  TinyModel model(c);
  EXPECT_FALSE(has_projection(model));
  const Encoded encoded =
      (*model.encoder)(c.source_rows(), c.source_segments(), {});
  const State state = model.decoder->start(encoded, {});
  ASSERT_EQ(state.rows.size(), 5u);  // h and c of two layers, and h~
  EXPECT_TRUE(
      same_bits(state.rows[0].value().span(), encoded.last[0].value().span()));
  EXPECT_TRUE(
      same_bits(state.rows[3].value().span(), encoded.cells[1].value().span()));
}

TEST(Luong, ProjectsThemWhereTheyDoNot) {
  DecoderCase wider = luong_case(true), deeper = wider, cells = wider;
  wider.encoder.width = 8;
  deeper.decoder.layers = 3;
  cells.encoder.cell = CellKind::kGru;
  for (const DecoderCase& c : {wider, deeper, cells}) {
    TinyModel model(c);
    EXPECT_TRUE(has_projection(model));
    EXPECT_TRUE(
        close(std::span<const float>(model.forced(c).hidden.value().span()),
              std::span<const float>(step_by_step(model, c).span()), 1e-5));
  }
}

TEST(Luong, FeedingThroughAMatrixOfZerosIsNoFeeding) {
  const DecoderCase fed = luong_case(true), plain = luong_case(false);
  TinyModel with(fed), without(plain);
  const Params from(without), to(with);
  for (const Params::Parameter& p : to.parameters()) {
    for (const Params::Parameter& q : from.parameters()) {
      if (p.name != q.name) continue;
      if (p.name == "decoder.stack.layer.0.input") {
        const Var zeros = Tensor::zeros({4 * 6, 6});
        *p.value =
            Var::parameter(concat_columns({*q.value, zeros}).value().clone());
      } else {
        *p.value = *q.value;
      }
    }
  }
  EXPECT_TRUE(
      close(std::span<const float>(with.forced(fed).hidden.value().span()),
            std::span<const float>(without.forced(plain).hidden.value().span()),
            1e-5));
}

// h~ = tanh(W_c [c; h]): within -1 and 1, and it is what the next step is fed.
TEST(Luong, IsFedWhatItGaveAtTheStepBefore) {
  const DecoderCase c = luong_case(true);
  const TinyModel model(c);
  const NoGrad inference;
  const Encoded encoded =
      (*model.encoder)(c.source_rows(), c.source_segments(), {});
  const Step step =
      model.decoder->step(model.decoder->start(encoded, {}),
                          random_tensor({encoded.of.count(), c.words}, 3), {});
  EXPECT_TRUE(same_bits(step.state.rows.back().value().span(),
                        step.hidden.value().span()));
}

}  // namespace
}  // namespace fovea
