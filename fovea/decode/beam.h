#pragma once

#include <limits>
#include <vector>

#include "fovea/decode/hypothesis.h"

namespace fovea {

// A hypothesis that goes on.
struct Alive {
  int node = -1;  // of its last word; -1: none yet
  int length = 0;
  double log_probability = 0;
  bool blank = true;  // it has nothing but blank words
  int draw = 0;       // its number among those drawn for the sentence
};

// The search for one sentence.
struct Beam {
  int source = 0;     // index of the sentence
  int longest = 0;    // words at most, the end mark apart
  int first_row = 0;  // of its alive hypotheses in the scorer
  std::vector<Alive> alive;
  std::vector<Hypothesis> ended;  // the best of them
  int ends = 0;                   // of all
  double likeliest_end = -std::numeric_limits<double>::infinity();
  bool cut_off = false;  // the last step has brought nothing
  bool done = false;
};

// A word that goes on from an alive hypothesis.
struct Candidate {
  int parent;  // among the beam's alive ones
  int column;
};

}  // namespace fovea
