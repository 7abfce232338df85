#pragma once

#include <vector>

#include "fovea/autograd/pairs.h"
#include "fovea/base/fields.h"
#include "fovea/base/rng.h"

// What the selects that choose one key for each row and head share.
namespace fovea {

// What hard attention does outside of training.
enum class TestChoice { kArgmax, kExpectation };
constexpr EnumName<TestChoice> kTestChoices[] = {
    {TestChoice::kArgmax, "argmax"}, {TestChoice::kExpectation, "expectation"}};
constexpr auto& enum_names(TestChoice) { return kTestChoices; }

// For each row and head the number that is chosen, as an index of all numbers;
// -1 where there is none with a weight.
using Chosen = std::vector<int64_t>;

// The largest one, of equal ones the first.
Chosen choose_largest(const Tensor& weights, const Pairs& pairs);
// A draw in proportion to the weights.
Chosen choose_by_draw(const Tensor& weights, const Pairs& pairs, RandomKey key);

// 1 for what is chosen, 0 for all else.
Tensor one_hot(const Chosen& chosen, const Pairs& pairs);

// The key of a row's draws: steps of a decoder differ by position.
RandomKey row_key(RandomKey key, const Pairs::Row& row);

}  // namespace fovea
