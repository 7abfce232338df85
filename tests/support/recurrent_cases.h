#pragma once

#include <cmath>
#include <string>
#include <vector>

#include "support/random.h"
#include "support/twin_recurrent.h"

namespace fovea::testing {

// All cells and variants, for these sizes, both ways through time.
inline std::vector<TwinRecurrent> all_cells(int in, int width,
                                            const std::vector<int>& lengths) {
  std::vector<TwinRecurrent> all;
  for (bool reverse : {false, true}) {
    for (TwinRecurrent::Cell cell :
         {TwinRecurrent::kElman, TwinRecurrent::kLstm}) {
      all.push_back({cell, in, width, lengths, reverse, false, false});
    }
    for (bool after : {false, true}) {
      for (bool keeps_old : {false, true}) {
        all.push_back({TwinRecurrent::kGru, in, width, lengths, reverse, after,
                       keeps_old});
      }
    }
  }
  return all;
}

// Numbers for all inputs of a cell, small enough that gates do not saturate and
// that the recurrence does not blow up rounding errors.
inline std::vector<Doubles> random_inputs(const TwinRecurrent& twin,
                                          uint64_t seed) {
  std::vector<Doubles> inputs;
  for (int size : twin.sizes()) {
    inputs.push_back(to_double(to_float(random_doubles(size, ++seed))));
    for (double& v : inputs.back()) v *= 0.5;
  }
  for (double& v : inputs[2]) {
    v = static_cast<float>(v / std::sqrt(double(twin.width)));
  }
  return inputs;
}

inline std::string name_of(const TwinRecurrent& t) {
  return std::string(t.cell == TwinRecurrent::kElman  ? "elman"
                     : t.cell == TwinRecurrent::kLstm ? "lstm"
                                                      : "gru") +
         (t.reset_after ? " reset after" : "") +
         (t.keeps_old ? " keeps old" : "") + (t.reverse ? " reverse" : "") +
         " width " + std::to_string(t.width);
}

}  // namespace fovea::testing
