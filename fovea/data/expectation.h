#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "fovea/data/diagonal.h"
#include "fovea/data/sentences.h"
#include "fovea/data/translation_table.h"

namespace fovea {

// How likely each source place is, before the words are seen.
struct PlacePrior {
  bool diagonal = false;
  double tension = 0;
  double null_probability = 0;

  // Fills the probabilities of the n places of the source for target word j,
  // counted from 1.
  void fill(const Lengths& of, int j, std::span<float> places) const;
};

// The expectation step of the aligners: counts how often each word is expected
// to come from which. The order of all sums is the same whatever the number of
// threads. The sentences must outlive it.
class Expectation {
 public:
  Expectation(const Sentences& source, const Sentences& target,
              std::span<const int64_t> pairs);

  struct Result {
    double log_likelihood = 0;
    double distance = 0;  // off the diagonal, over all links
    std::vector<DiagonalCounts> counts = {};
  };
  // Adds to the counts of the table.
  Result run(TranslationTable& table, const PlacePrior& prior);

 private:
  // Pairs of the same lengths, whose places have the same probabilities.
  struct Group {
    Lengths of;
    std::vector<int64_t> pairs = {};
  };
  // What is computed at a time. Matrices are [n + 1, m]; the first row is that
  // of the source word that stands for none.
  struct Places {
    const Group* group = nullptr;
    size_t begin = 0;  // in places_ and distances_
  };
  struct Matrix {
    int64_t pair = 0;
    size_t group = 0, places = 0;  // in groups_ and run_places_
    size_t begin = 0;              // in slots_ and posteriors_
    double log_likelihood = 0, distance = 0;
  };

  struct Position {
    size_t group = 0, pair = 0;
  };
  Position take_run(Position next);
  void fill_places(const PlacePrior& prior, const Places& places);
  void compute(const TranslationTable& table, Matrix& matrix);
  void add_counts(TranslationTable& table, int part, int parts) const;
  void add_to(Result& result) const;

  const Sentences& source_;
  const Sentences& target_;
  std::vector<Group> groups_;
  std::vector<Places> run_places_;
  std::vector<Matrix> run_;
  std::vector<float> places_, distances_;
  std::vector<uint32_t> slots_;
  std::vector<float> posteriors_;
};

}  // namespace fovea
