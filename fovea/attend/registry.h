#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "fovea/attend/composed.h"
#include "fovea/attend/settings.h"
#include "fovea/base/rng.h"

namespace fovea {

// What a part may look at when it is made.
struct PartContext {
  const ComposedConfig& config;
  const AttentionSizes& sizes;  // of the rows handed over, none of them 0
  ScoreSizes score;             // of the rows that a score gets
  int value_size;               // of one head's values
  Settings& settings;           // its own options
  RandomKey key;
  ScoreKind kind = ScoreKind::kScore;  // of what a normaliser gets
};

// One line of a registry: a name, what it is, and how it is made.
template <class Part>
struct PartEntry {
  const char* name;
  const char* help;  // formula and source, short
  std::unique_ptr<Part> (*make)(const PartContext& context);
};

std::span<const PartEntry<Score>> score_registry();
std::span<const PartEntry<Extent>> extent_registry();
std::span<const PartEntry<Normaliser>> normaliser_registry();
std::span<const PartEntry<Select>> select_registry();
std::span<const PartEntry<Position>> position_registry();

// The part of this name; an unknown one is an error that tells the nearest.
std::unique_ptr<Score> make_score(const PartContext& context);
std::unique_ptr<Extent> make_extent(const PartContext& context);
std::unique_ptr<Normaliser> make_normaliser(const PartContext& context,
                                            const Score& score);
std::unique_ptr<Select> make_select(const PartContext& context);
std::unique_ptr<Position> make_position(const PartContext& context);

// An attention from names.
std::unique_ptr<Attention> make_attention(const ComposedConfig& config,
                                          const AttentionSizes& sizes,
                                          RandomKey key);

}  // namespace fovea
