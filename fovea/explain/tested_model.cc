#include "fovea/explain/tested_model.h"

#include <algorithm>
#include <utility>

#include "fovea/autograd/softmax.h"
#include "fovea/base/check.h"

namespace fovea {
namespace {

class TestedClassifier : public TestedModel {
 public:
  explicit TestedClassifier(const Classifier& model) : model_(model) {
    const std::string& pool = model.config().classes.pool;
    check_usage(pool == "attention" || pool == "query",
                "this classifier has no attention to test: its pool is '", pool,
                "'; train one with --classes.pool attention");
  }

  Var embed(const Ids& source) const override {
    return model_.embed(source, Pass{});
  }
  Var embed_nothing(const Ids& source) const override {
    return Tensor::zeros(embed(source).shape());
  }
  Encoded encode(const Var& embedded, const Segments& of) const override {
    return model_.encode(embedded, of, Pass{});
  }
  Var outputs(const Encoded& source, const Ids&,
              const Pass& pass) const override {
    return softmax(model_.classify(source, pass));
  }
  std::string layer() const override { return Classifier::kPoolLayer; }

 private:
  const Classifier& model_;
};

class TestedSequenceModel : public TestedModel {
 public:
  TestedSequenceModel(const Seq2Seq& model, std::string layer)
      : model_(model), layer_(std::move(layer)) {
    check_usage(model.has_attention(), "this model has no attention to test");
    check_usage(model.config().attend.select != "gated",
                "the gates of this model leave words out, so that their "
                "weights cannot be exchanged: there is no such test for it");
    if (layer_.empty()) layer_ = model.alignment_layer();
  }

  Var embed(const Ids& source) const override {
    return model_.embed(source, Pass{});
  }
  // End marks in the places of all words. Not zeros: a layer norm makes of rows
  // near zero what it makes of the rows themselves, so that all would change in
  // no time there.
  Var embed_nothing(const Ids& source) const override {
    Ids ends = source;
    std::ranges::fill(ends.ids, model_.end());
    return embed(ends);
  }
  Encoded encode(const Var& embedded, const Segments& of) const override {
    return model_.encode(embedded, of, Pass{});
  }
  Var outputs(const Encoded& source, const Ids& target,
              const Pass& pass) const override {
    return softmax(model_.readout(model_.forced(source, target, pass).hidden));
  }
  std::string layer() const override { return layer_; }

 private:
  const Seq2Seq& model_;
  std::string layer_;
};

}  // namespace

std::unique_ptr<TestedModel> tested_classifier(const Classifier& model) {
  return std::make_unique<TestedClassifier>(model);
}

std::unique_ptr<TestedModel> tested_sequence_model(const Seq2Seq& model,
                                                   std::string layer) {
  return std::make_unique<TestedSequenceModel>(model, std::move(layer));
}

}  // namespace fovea
