#pragma once

#include <memory>
#include <string>

#include "fovea/attend/encoded.h"
#include "fovea/explain/test_texts.h"
#include "fovea/layers/pass.h"
#include "fovea/models/classifier.h"
#include "fovea/models/seq2seq.h"

namespace fovea {

// A model as tests of faithfulness see it: texts go in, distributions come out,
// and the weights of one attention between can be watched and replaced. Its
// parameters are constants through which gradients pass (load_unpacked).
// Running changes nothing, so threads may share one.
class TestedModel {
 public:
  virtual ~TestedModel() = default;

  virtual Var embed(const Ids& source) const = 0;  // [N,E]
  // Rows that say nothing: where integrated gradients begin. [N,E]
  virtual Var embed_nothing(const Ids& source) const = 0;
  virtual Encoded encode(const Var& embedded, const Segments& of) const = 0;
  // Probabilities [cases, outcomes].
  virtual Var outputs(const Encoded& source, const Ids& target,
                      const Pass& pass) const = 0;
  virtual std::string layer() const = 0;  // whose weights are tested

  Encoded encode(const Ids& source) const {
    return encode(embed(source), source.of);
  }
};

// Refer to the model. A model without attention is a usage error, and so is one
// with gates, which leave words out. The layer of a sequence model is the one
// that its maps show unless it is named.
std::unique_ptr<TestedModel> tested_classifier(const Classifier& model);
std::unique_ptr<TestedModel> tested_sequence_model(const Seq2Seq& model,
                                                   std::string layer = "");

}  // namespace fovea
