#pragma once

#include <memory>
#include <string>

#include "fovea/base/fields.h"
#include "fovea/layers/feed_forward.h"
#include "fovea/predict/pool.h"

namespace fovea {

struct ClassesConfig {
  std::string pool = "mean";
  PoolingConfig pooling;
  int hidden = 0;
  Activation activation = Activation::kRelu;
  float dropout = 0.1f;

  void fields(auto&& field) {
    field("pool", pool,
          "how the rows of a text become one; 'fovea train --list' names all");
    field("pooling", pooling, "");
    field("hidden", hidden,
          "width of a layer between pool and classes; 0: none");
    field("activation", activation, "of that layer");
    field("dropout", dropout, "rate of the pooled row and of that layer");
  }
};

// Predicts one class for each sequence (SPEC D13): a pool, perhaps a hidden
// layer, and a score for each class. Running changes nothing, so threads may
// share one.
class ClassPredictor {
 public:
  // What is given and what is wanted.
  struct Sizes {
    EncodedWidths encoded;
    int classes = 0;
  };
  // `attend` is for the pool "query".
  ClassPredictor(const ClassesConfig& config, const ComposedConfig& attend,
                 const Sizes& sizes, RandomKey key);

  Var operator()(const Encoded& source, const Pass& pass) const;  // [B,classes]
  void params(Params& p);

 private:
  ClassesConfig config_;
  std::unique_ptr<Pool> pool_;
  Linear hidden_, output_;
};

}  // namespace fovea
