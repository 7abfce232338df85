#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "bench/peer.h"
#include "fovea/data/shortlist.h"
#include "fovea/decode/search_all.h"
#include "fovea/layers/params.h"
#include "fovea/models/folder.h"

namespace fovea::bench {

using Sentence = std::vector<int>;  // ids without marks

// A model of a folder and what is translated with it: Multi30k's test of 2016
// in the folder FOVEA_DATA.
struct TranslationSet {
  std::string folder, data;
  std::vector<Sentence> source;
  std::vector<std::string> reference;
};

// The variables that name a Transformer's folder and one of RNNsearch.
constexpr char kTransformer[] = "FOVEA_MODEL", kRnnsearch[] = "FOVEA_RNN_MODEL";

// Nothing if a folder is missing; a message says how to make one.
std::optional<TranslationSet> translation_set(
    const char* variable = kTransformer);
// Translates another text, too: "val".
void add_text(TranslationSet& set, const std::string& name);
Shortlist shortlist_of(const TranslationSet& set);  // of the training text

// How it is translated.
struct TranslationCase {
  Precision precision = Precision::kFloat32;
  int beam = 1;
  int batch = 64;
  int sentences = 1000;                  // the first ones
  const Shortlist* shortlist = nullptr;  // null: all words
  bool want_weights = false;             // of one head

  std::string name() const;  // "float32 greedy, batch 64"
};

// float32 and int8, greedy and a beam of 4.
std::vector<TranslationCase> translation_cases(int batch, int sentences);

// Our side. It stays where it is: its parts refer to each other.
class Translation {
 public:
  Translation(const TranslationSet& set, const TranslationCase& c);
  Translation(const Translation&) = delete;
  Translation& operator=(const Translation&) = delete;

  void run();
  int sentences() const { return static_cast<int>(source_.size()); }
  std::vector<Sentence> outputs() const;
  std::vector<std::string> text(const std::vector<Sentence>& outputs) const;
  // Of real tokens, by what the last run gave: each hypothesis of a beam counts
  // as if it were as long as the best one. A shortlist is not taken off.
  double flops() const;

 private:
  TranslationModel model_;
  std::vector<Sentence> source_;
  std::vector<Sentence> shortlists_;
  std::vector<SearchSource> sources_;
  SearchAllConfig config_;
  const Shortlist* shortlist_;
  std::vector<std::vector<Hypothesis>> found_;
};

double bleu_of(const TranslationSet& set, const std::vector<std::string>& text);

// CTranslate2, or PyTorch, with the same model, tokens and search. The latter
// is greedy, in float32, with batches of the best size.
Peer torch_decoding(const TranslationSet& set, const TranslationCase& c,
                    int threads);
Peer ctranslate2(const TranslationSet& set, const TranslationCase& c,
                 int threads);
std::vector<Sentence> outputs_of(Peer& peer);
double megabytes_of(Peer& peer);  // see bench_translation_cost.cc
// A peer that translates otherwise than greedy float32 is no peer.
bool alike(Peer& peer, const Translation& ours);

// Milliseconds of all sentences become sentences a second.
Row as_speed(Row row, double sentences);
// What the products of real tokens took of the machine's arithmetic in the
// milliseconds of all sentences. Words that a shortlist leaves out count as if
// they were computed.
Row share_row(const Row& time, const TranslationCase& c,
              const Translation& ours);
Row unmeasured(const std::string& bench, const std::string& name, int threads,
               const std::string& unit);

}  // namespace fovea::bench
