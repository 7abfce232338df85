#pragma once

#include <memory>
#include <string>
#include <vector>

#include "fovea/attend/registry.h"
#include "support/gradients.h"

// Single parts of an attention, without the others.
namespace fovea::testing {

std::unique_ptr<Normaliser> normaliser_part(
    const std::string& name, std::vector<std::string> options = {},
    ScoreKind kind = ScoreKind::kScore);

// A select of one head; rows of every kind are of this width.
std::unique_ptr<Select> select_part(const std::string& name,
                                    std::vector<std::string> options = {},
                                    int width = 4);

// Rows of one head that meet so many keys each.
Pairs rows_of_keys(const std::vector<int>& keys);

// What a normaliser makes of one row of scores.
std::vector<float> weights_of_row(const Normaliser& normaliser,
                                  const std::vector<float>& scores);

// Compares a normaliser with a twin of it over ragged rows, some of which are
// empty or have one key, with its gradient.
void check_normaliser(const Normaliser& normaliser,
                      const std::function<Doubles(const Doubles&)>& twin_row);

}  // namespace fovea::testing
