#pragma once

#include <span>

#include "fovea/autograd/var.h"
#include "fovea/base/fields.h"
#include "fovea/base/rng.h"
#include "fovea/layers/params.h"

namespace fovea {

// Where the sines and cosines of a sinusoidal code stand (SPEC C3).
enum class SineLayout {
  kInterleaved,  // sin, cos, sin, cos ... of 10000^(-2i/d), as the paper has it
  kHalves,       // all sines, then all cosines, of 10000^(-i/(d/2-1))
};
constexpr EnumName<SineLayout> kSineLayouts[] = {
    {SineLayout::kInterleaved, "interleaved"}, {SineLayout::kHalves, "halves"}};
constexpr auto& enum_names(SineLayout) { return kSineLayouts; }

// A row for each position: [positions, width]. Positions may be negative.
Tensor sinusoidal_codes(std::span<const int> positions, int width,
                        SineLayout layout = SineLayout::kInterleaved);

// What a learned code does with a position that it has no row for.
enum class BeyondTable { kError, kClip, kWrap };
constexpr EnumName<BeyondTable> kBeyondTables[] = {
    {BeyondTable::kError, "error"},
    {BeyondTable::kClip, "clip"},
    {BeyondTable::kWrap, "wrap"}};
constexpr auto& enum_names(BeyondTable) { return kBeyondTables; }

struct LearnedCodeConfig {
  int longest = 512;
  float deviation = 0.02f;  // BERT's; GPT-2 has 0.01, ConvS2S 0.1
  BeyondTable beyond = BeyondTable::kError;

  void fields(auto&& field) {
    field("longest", longest, "positions that have a code");
    field("deviation", deviation, "of the first codes, which are normal");
    field("beyond", beyond, "what is done with later positions");
  }
};

// A learned row for each position (SPEC C2).
class LearnedCodes {
 public:
  LearnedCodes() = default;
  LearnedCodes(const LearnedCodeConfig& config, int width, RandomKey key);

  Var operator()(std::span<const int> positions) const;  // [positions, width]
  const Var& table() const { return table_; }            // [longest, width]
  void params(Params& p) { p("table", table_); }

 private:
  LearnedCodeConfig config_;
  Var table_;
};

}  // namespace fovea
