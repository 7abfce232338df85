#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "fovea/base/fields.h"
#include "fovea/data/sentences.h"
#include "fovea/io/safetensors.h"

namespace fovea {

struct ShortlistConfig {
  int each = 20;
  int frequent = 100;
  float least = 0.001f;

  void fields(auto&& field) {
    field("each", each, "likeliest translations of each source token");
    field("frequent", frequent,
          "most frequent target tokens, which every sentence may have");
    field("least", least, "probability that a translation must have");
  }
};

// The vocabularies that a shortlist speaks of.
struct ShortlistWords {
  int source = 0, target = 0;  // how many tokens they have
  int end = 0;                 // the end mark of the target
  // To learn from: the target token that is a source token's copy, or -1, for
  // each source token (or none); and target tokens for any sentence.
  std::vector<int> copies = {};
  std::vector<int> always = {};
};

// Which target tokens the translation of a sentence may have: few, so that
// scoring them is cheap. Immutable, so threads may share one.
class Shortlist {
 public:
  // Learns from pairs of sentences, without marks, by the statistical aligner.
  static Shortlist learn(const Sentences& source, const Sentences& target,
                         const ShortlistWords& words,
                         const ShortlistConfig& config = {});

  // A data error says what is wrong with a file, or that it is for other
  // vocabularies.
  static Shortlist read(const SafetensorsFile& file,
                        const ShortlistWords& words);
  void save(const std::string& path) const;  // all or nothing

  // Sorted, the end mark among them. Ids of no source token add nothing.
  std::vector<int> words_for(std::span<const int> source) const;

 private:
  Shortlist(const ShortlistWords& words, std::vector<int> always,
            std::vector<int> begins, std::vector<int> words_of);

  std::span<const int> of(int source) const {
    return {words_.data() + begins_[source],
            static_cast<size_t>(begins_[source + 1] - begins_[source])};
  }

  int target_;
  std::vector<int> always_;           // sorted
  std::vector<int> begins_, words_;   // of source token s: from begins_[s] on
  std::vector<uint64_t> always_set_;  // a bit for each target token
};

}  // namespace fovea
