// SPEC A12: the variance of dot products grows with their width, and what that
// does to a softmax.
#include <algorithm>
#include <cmath>
#include <iomanip>
#include <iostream>
#include <vector>

#include "cli/attend_examples.h"
#include "fovea/base/check.h"
#include "fovea/base/rng.h"

namespace fovea::cli {
namespace {

double random_dot(RandomKey key, int width) {
  double sum = 0;
  for (int i = 0; i < width; ++i) {
    sum += double{random_normal(key, 2 * i)} * random_normal(key, 2 * i + 1);
  }
  return sum;
}

struct Moments {
  double mean = 0, variance = 0;
};

Moments moments(RandomKey key, int width, int samples) {
  double sum = 0, squares = 0;
  for (int i = 0; i < samples; ++i) {
    const double x = random_dot(key.with(static_cast<uint64_t>(i)), width);
    sum += x;
    squares += x * x;
  }
  const double mean = sum / samples;
  return {mean, (squares - samples * mean * mean) / (samples - 1)};
}

// Of a softmax over scores: how flat it is, and how much it lets through.
struct Shape {
  double entropy = 0, top = 0, jacobian = 0;
};

Shape shape_of(const std::vector<double>& scores) {
  const double best = *std::max_element(scores.begin(), scores.end());
  double sum = 0;
  for (double s : scores) sum += std::exp(s - best);
  Shape shape;
  double squares = 0, cubes = 0;
  for (double s : scores) {
    const double p = std::exp(s - best) / sum;
    shape.top = std::max(shape.top, p);
    if (p > 0) shape.entropy -= p * std::log(p);
    squares += p * p;
    cubes += p * p * p;
  }
  // The Frobenius norm of diag(p) - p p^T.
  shape.jacobian =
      std::sqrt(std::max(0.0, squares - 2 * cubes + squares * squares));
  return shape;
}

Shape mean_shape(RandomKey key, int width, double divisor) {
  constexpr int kKeys = 64, kDraws = 20;
  Shape mean;
  for (int draw = 0; draw < kDraws; ++draw) {
    std::vector<double> scores;
    for (int j = 0; j < kKeys; ++j) {
      const auto at = static_cast<uint64_t>(draw * kKeys + j);
      scores.push_back(random_dot(key.with(at), width) / divisor);
    }
    const Shape one = shape_of(scores);
    mean.entropy += one.entropy / kDraws;
    mean.top += one.top / kDraws;
    mean.jacobian += one.jacobian / kDraws;
  }
  return mean;
}

}  // namespace

void show_variance(const ExampleRequest& request) {
  check_usage(!request.view.json && request.view.svg.empty(),
              "the example 'variance' prints text only");
  const RandomKey key = RandomKey(request.seed).with("variance");
  const Moments m = moments(key, 200, 10000);
  std::cout << std::fixed << std::setprecision(3)
            << "10000 dot products of random vectors, 200 wide: mean " << m.mean
            << ", variance " << m.variance << ", deviation "
            << std::sqrt(m.variance)
            << "\n(expected: 0, 200, 14.142). The variance is the width. A "
               "softmax over 64 such\nscores, with and without dividing by "
               "sqrt(d):\n\n"
            << "                   unscaled                   scaled\n"
            << "   d  variance   entropy  top   slope      entropy  top   "
               "slope\n";
  for (int width = 1; width <= 1024; width *= 2) {
    const Moments at = moments(key.with(static_cast<uint64_t>(width)), width,
                               std::max(200, 40000 / width));
    const Shape raw = mean_shape(key, width, 1);
    const Shape scaled =
        mean_shape(key, width, std::sqrt(static_cast<double>(width)));
    std::cout << std::setw(4) << width << std::setprecision(1) << std::setw(10)
              << at.variance << std::setprecision(3) << std::setw(10)
              << raw.entropy << std::setw(6) << raw.top << std::setw(7)
              << raw.jacobian << std::setw(13) << scaled.entropy << std::setw(6)
              << scaled.top << std::setw(7) << scaled.jacobian << "\n";
  }
  std::cout
      << "\nUnscaled, one key takes all (entropy falls to 0, top rises to "
         "1) and the slope\nof the softmax vanishes: nothing can be "
         "learned through it.\n";
}

}  // namespace fovea::cli
