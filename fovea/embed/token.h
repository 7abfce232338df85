#pragma once

#include <span>

#include "fovea/base/fields.h"
#include "fovea/embed/position.h"
#include "fovea/layers/params.h"
#include "fovea/layers/pass.h"

namespace fovea {

struct EmbedConfig {
  int width = 256;
  bool scale = true;
  float deviation = 0.0f, bound = 0.0f;
  float dropout = 0.1f;
  PositionConfig position;

  void fields(auto&& field) {
    field("width", width, "width of an embedded word");
    field("scale", scale, "multiply embeddings by the root of their width");
    field("deviation", deviation,
          "of the first embeddings, which are normal; 0: 1/sqrt(width)");
    field("bound", bound,
          "of first embeddings that are uniform; 0: they are not");
    field("dropout", dropout, "rate of embeddings");
    field("position", position, "");
  }
};

// A learned row for each word, its place added.
class TokenEmbedding {
 public:
  TokenEmbedding() = default;
  TokenEmbedding(const EmbedConfig& config, int vocabulary, RandomKey key);
  // With the table of another one, which lists it among its parameters.
  static TokenEmbedding tied(const EmbedConfig& config, const Var& table,
                             RandomKey key);

  // `first` is the position of each sequence's first row, or empty: 0. [N,E]
  Var operator()(std::span<const int> ids, const Segments& of, const Pass& pass,
                 std::span<const int> first = {}) const;
  const Var& table() const { return table_; }  // [V,E]
  void params(Params& p);

 private:
  EmbedConfig config_;
  bool tied_ = false;
  Var table_;
  PackedWeight packed_;
  PositionEmbedding position_;
};

}  // namespace fovea
