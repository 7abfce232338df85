#include "support/compare.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "fovea/base/parallel.h"
#include "fovea/kernels/target.h"

namespace fovea::testing {
namespace {

template <class A, class B>
::testing::AssertionResult close_to(std::span<const A> a, std::span<const B> b,
                                    double tolerance, double floor) {
  if (a.size() != b.size()) {
    return ::testing::AssertionFailure()
           << a.size() << " values, expected " << b.size();
  }
  double largest = floor;
  for (B x : b) {
    if (std::isfinite(x)) largest = std::max(largest, std::abs(double{x}));
  }
  double worst = -1.0;
  size_t where = 0;
  for (size_t i = 0; i < a.size(); ++i) {
    const double error = std::abs(double{a[i]} - double{b[i]});
    if (std::isnan(error)) {
      if (double{a[i]} == double{b[i]}) continue;  // equal infinities
      return ::testing::AssertionFailure()
             << "at " << i << ": " << a[i] << ", expected " << b[i];
    }
    if (error > worst) {
      worst = error;
      where = i;
    }
  }
  if (worst <= tolerance * largest) return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure()
         << "at " << where << " of " << a.size() << ": " << a[where]
         << ", expected " << b[where] << "; error " << worst << " > "
         << tolerance << " * " << largest;
}

}  // namespace

::testing::AssertionResult close(std::span<const float> a,
                                 std::span<const double> b, double tolerance,
                                 double floor) {
  return close_to(a, b, tolerance, floor);
}

::testing::AssertionResult close(std::span<const double> a,
                                 std::span<const double> b, double tolerance,
                                 double floor) {
  return close_to(a, b, tolerance, floor);
}

::testing::AssertionResult close(std::span<const float> a,
                                 std::span<const float> b, double tolerance,
                                 double floor) {
  return close_to(a, b, tolerance, floor);
}

::testing::AssertionResult close(const Tensor& a, std::span<const double> b,
                                 double tolerance, double floor) {
  return close_to(std::span<const float>(a.span()), b, tolerance, floor);
}

::testing::AssertionResult same_bits(std::span<const float> a,
                                     std::span<const float> b) {
  if (a.size() != b.size()) {
    return ::testing::AssertionFailure()
           << a.size() << " values, expected " << b.size();
  }
  for (size_t i = 0; i < a.size(); ++i) {
    if (std::memcmp(&a[i], &b[i], sizeof(float)) != 0) {
      return ::testing::AssertionFailure()
             << "at " << i << ": " << a[i] << ", expected " << b[i]
             << ", difference " << a[i] - b[i];
    }
  }
  return ::testing::AssertionSuccess();
}

void on_every_target(const std::function<void()>& body) {
  const std::vector<std::string> targets = kernels::supported_targets();
  for (const std::string& target : targets) {
    kernels::use_target(target);
    SCOPED_TRACE("target " + target);
    body();
  }
  kernels::use_target(targets.front());
}

void with_threads(std::initializer_list<int> limits,
                  const std::function<void(int)>& body) {
  for (int threads : limits) {
    ThreadLimit limit(threads);
    SCOPED_TRACE("threads " + std::to_string(threads));
    body(threads);
  }
}

}  // namespace fovea::testing
