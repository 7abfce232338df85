#include "fovea/autograd/conv.h"

#include "fovea/base/check.h"
#include "support/compare.h"
#include "support/effort.h"
#include "support/random.h"
#include "support/twin_conv.h"

namespace fovea {
namespace {

using namespace fovea::testing;

struct Case1d {
  std::vector<int> lengths;
  int in, out, taps, dilation;
  Conv1dReach reach;
};

int left_of(const Case1d& c) {
  const int length = (c.taps - 1) * c.dilation;
  if (c.reach == Conv1dReach::kCausal) return length;
  return c.reach == Conv1dReach::kCentred ? length / 2 : 0;
}

// Twice backward: the second time gradients are added to the first ones.
void expect_gradients(const std::function<Var()>& run,
                      const std::vector<Var>& leaves,
                      const std::vector<Doubles>& expected, const Tensor& dy) {
  for (const Var& leaf : leaves) leaf.clear_grad();
  for (int times = 1; times <= 2; ++times) {
    run().backward(dy);
    for (size_t i = 0; i < leaves.size(); ++i) {
      Doubles sum = expected[i];
      for (double& v : sum) v *= times;
      EXPECT_TRUE(close(leaves[i].grad(), sum, kGradientTolerance))
          << "input " << i << ", backward " << times;
    }
  }
}

void expect_like_twin(const Case1d& c) {
  const Segments of = Segments::from_lengths(c.lengths);
  const TwinConv1d twin{of, c.in, c.out, c.taps, c.dilation, left_of(c)};
  const Var x = Var::parameter(random_tensor({of.total(), c.in}, 1));
  const Var w = Var::parameter(random_tensor({c.out, c.taps, c.in}, 2));
  const Var b = Var::parameter(random_tensor({c.out}, 3));
  const auto run = [&] {
    return conv1d(x, of, w, b, {.reach = c.reach, .dilation = c.dilation});
  };
  const Doubles dx = to_double(x.value()), dw = to_double(w.value());
  EXPECT_TRUE(close(run().value(),
                    twin_conv1d(twin, dx, dw, to_double(b.value())), 1e-5));
  const Tensor dy = random_tensor({of.total(), c.out}, 4);
  expect_gradients(run, {x, w, b},
                   twin_conv1d_gradient(twin, dx, dw, to_double(dy)), dy);
}

TEST(Conv1d, TwinGradientsAreRight) {
  const std::vector<int> lengths = {4, 0, 1, 3};
  const TwinConv1d conv{Segments::from_lengths(lengths), 2, 3, 3, 2, 3};
  EXPECT_TRUE(twin_gradient_is_right(
      [&](const std::vector<Doubles>& in) {
        return twin_conv1d(conv, in[0], in[1], in[2]);
      },
      [&](const std::vector<Doubles>& in, const Doubles& dy) {
        return twin_conv1d_gradient(conv, in[0], in[1], dy);
      },
      {random_doubles(16, 1), random_doubles(18, 2), random_doubles(3, 3)},
      random_doubles(24, 4)));
}

TEST(Conv1d, EqualsItsTwinForAllReachesAndSizes) {
  on_every_target([] {
    with_threads({1, 2, 4}, [](int) {
      for (Conv1dReach reach :
           {Conv1dReach::kCausal, Conv1dReach::kCentred, Conv1dReach::kAhead}) {
        expect_like_twin({{5, 0, 1, 9, 2}, 7, 9, 3, 1, reach});
        expect_like_twin({{5, 0, 1, 9, 2}, 8, 5, 4, 2, reach});
        expect_like_twin({{1}, 1, 1, 1, 1, reach});
        expect_like_twin({{0, 0}, 3, 2, 3, 1, reach});
      }
      expect_like_twin({{600, 3, 700}, 5, 33, 3, 1, Conv1dReach::kCentred});
    });
  });
}

TEST(Conv1d, SpansSeveralBlocksOfRows) {
  const int rows = effort(4100, 2100);
  expect_like_twin({{rows, 1, 17}, 3, 2, 2, 1, Conv1dReach::kCausal});
}

TEST(Conv1d, GivesASequenceTheSameResultAloneAndInABatch) {
  const std::vector<int> lengths = {6, 3, 11};
  const Segments of = Segments::from_lengths(lengths);
  const Tensor x = random_tensor({of.total(), 16}, 1);
  const Var w = random_tensor({24, 5, 16}, 2), b = random_tensor({24}, 3);
  const Tensor all = conv1d(x, of, w, b).value();
  for (int i = 0; i < of.count(); ++i) {
    const int length[] = {of.length(i)};
    const Tensor alone = conv1d(x.row_range(of.begin(i), of.end(i)),
                                Segments::from_lengths(length), w, b)
                             .value();
    EXPECT_TRUE(close(all.row_range(of.begin(i), of.end(i)).span(),
                      std::span<const float>(alone.span()), 1e-6));
  }
}

TEST(Conv1d, SeesNoLaterRowWhenCausal) {
  const int lengths[] = {9};
  const Segments of = Segments::from_lengths(lengths);
  const Tensor x = random_tensor({9, 4}, 1), changed = x.clone();
  changed.row_range(5, 9).fill(7);
  const Var w = random_tensor({3, 3, 4}, 2);
  const auto run = [&](const Tensor& in) {
    return conv1d(in, of, w, {}, {.reach = Conv1dReach::kCausal}).value();
  };
  EXPECT_TRUE(same_bits(run(x).row_range(0, 5).span(),
                        run(changed).row_range(0, 5).span()));
}

TEST(Conv1d, NamesWrongArguments) {
  const int lengths[] = {2};
  const Segments of = Segments::from_lengths(lengths);
  const Var x = Tensor::zeros({2, 3}), w = Tensor::zeros({4, 2, 3});
  EXPECT_THROW(conv1d(Tensor::zeros({3, 3}), of, w, {}), Error);
  EXPECT_THROW(conv1d(Tensor::zeros({2, 4}), of, w, {}), Error);
  EXPECT_THROW(conv1d(x, of, w, Tensor::zeros({3})), Error);
  EXPECT_THROW(conv1d(x, of, w, {}, {.dilation = 0}), Error);
  EXPECT_THROW(conv1d(x, of, Tensor::zeros({4, 6}), {}), Error);
}

void expect_like_twin(const TwinConv2d& c) {
  const Var x = Var::parameter(
      random_tensor({c.batch, c.height, c.width, c.channels}, 1));
  const Var w =
      Var::parameter(random_tensor({c.filters, c.rows, c.cols, c.channels}, 2));
  const Var b = Var::parameter(random_tensor({c.filters}, 3));
  const auto run = [&] {
    return conv2d(x, w, b,
                  {.stride = c.stride,
                   .pad_height = c.pad_height,
                   .pad_width = c.pad_width});
  };
  const Doubles dx = to_double(x.value()), dw = to_double(w.value());
  EXPECT_TRUE(
      close(run().value(), twin_conv2d(c, dx, dw, to_double(b.value())), 1e-5));
  const Tensor dy =
      random_tensor({c.batch, c.out_height(), c.out_width(), c.filters}, 4);
  expect_gradients(run, {x, w, b},
                   twin_conv2d_gradient(c, dx, dw, to_double(dy)), dy);
}

TEST(Conv2d, TwinGradientsAreRight) {
  const TwinConv2d conv{2, 4, 3, 2, 2, 3, 2, 2, 1, 0};
  const int out = 2 * conv.out_height() * conv.out_width() * 2;
  EXPECT_TRUE(twin_gradient_is_right(
      [&](const std::vector<Doubles>& in) {
        return twin_conv2d(conv, in[0], in[1], in[2]);
      },
      [&](const std::vector<Doubles>& in, const Doubles& dy) {
        return twin_conv2d_gradient(conv, in[0], in[1], dy);
      },
      {random_doubles(48, 1), random_doubles(24, 2), random_doubles(2, 3)},
      random_doubles(out, 4)));
}

TEST(Conv2d, EqualsItsTwinForAllSizesStridesAndPaddings) {
  on_every_target([] {
    with_threads({1, 2, 4}, [](int) {
      expect_like_twin({2, 7, 9, 3, 5, 3, 3, 1, 1, 1});
      expect_like_twin({3, 8, 8, 4, 8, 3, 3, 2, 1, 1});
      expect_like_twin({1, 11, 5, 1, 9, 5, 2, 3, 2, 0});
      expect_like_twin({2, 5, 6, 64, 3, 3, 3, 1, 1, 1});  // gathered
      expect_like_twin({2, 6, 5, 65, 4, 2, 3, 2, 0, 2});
      expect_like_twin({1, 2, 2, 5, 3, 4, 4, 3, 1, 1});
      expect_like_twin({2, 9, 9, 7, 3, 2, 2, 4, 0, 0});  // parts unseen
      expect_like_twin({2, 6, 6, 7, 3, 1, 1, 1, 0, 0});
      expect_like_twin({2, 6, 6, 7, 3, 1, 1, 2, 0, 0});
      expect_like_twin({2, 8, 8, 3, 16, 4, 4, 4, 0, 0});  // patches
      expect_like_twin({1, 1, 1, 1, 1, 1, 1, 1, 0, 0});
      expect_like_twin({0, 4, 4, 2, 3, 3, 3, 1, 1, 1});
    });
  });
}

TEST(Conv2d, SpansSeveralBlocksOfPixels) {
  expect_like_twin({2, 33, effort(35, 17), 64, 1, 2, 2, 1, 1, 1});
}

TEST(Conv2d, NamesWrongArguments) {
  const Var x = Tensor::zeros({1, 4, 4, 2}), w = Tensor::zeros({3, 3, 3, 2});
  EXPECT_THROW(conv2d(Tensor::zeros({4, 4, 2}), w, {}), Error);
  EXPECT_THROW(conv2d(Tensor::zeros({1, 4, 4, 3}), w, {}), Error);
  EXPECT_THROW(conv2d(Tensor::zeros({1, 2, 2, 2}), w, {}), Error);
  EXPECT_THROW(conv2d(x, w, Tensor::zeros({2})), Error);
  EXPECT_THROW(conv2d(x, w, {}, {.stride = 0}), Error);
}

}  // namespace
}  // namespace fovea
