#include "fovea/attend/pointer.h"

#include <memory>
#include <vector>

#include "fovea/autograd/elementwise.h"
#include "fovea/autograd/gather.h"
#include "fovea/base/check.h"

namespace fovea {
namespace {

// The word of each pair.
PairIndex words_of(const Pairs& pairs, const SourceWords& source) {
  check(std::ssize(source.ids) >= pairs.key_rows(),
        "pointer: ", source.ids.size(), " source words for ", pairs.key_rows(),
        " keys");
  auto words = std::make_shared<std::vector<int>>();
  words->reserve(static_cast<size_t>(pairs.size()));
  for (int64_t m = 0; m < pairs.rows(); ++m) {
    const auto ids = source.ids.subspan(pairs.row(m).key, pairs.row(m).keys);
    words->insert(words->end(), ids.begin(), ids.end());
  }
  return {std::move(words), source.extended};
}

}  // namespace

Var copy_mixture(const Var& p_vocab, const Var& gate, const Weights& weights,
                 const SourceWords& source) {
  const Pairs& pairs = weights.pairs;
  check(pairs.heads() == 1, "pointer: weights of ", pairs.heads(),
        " heads, but a word is copied by one");
  const int64_t rows = p_vocab.dim(0),
                beyond = source.extended - p_vocab.dim(1);
  check(rows == pairs.rows(), "pointer: ", rows, " distributions for ",
        pairs.rows(), " rows of weights");
  check(beyond >= 0, "pointer: ", source.extended,
        " words in the extended vocabulary, but ", p_vocab.dim(1),
        " in the vocabulary");
  const Var copied =
      pair_bucket_sums(weights.values, pairs, words_of(pairs, source));
  const Var written = scale_rows(p_vocab, gate);
  const Var all = beyond
                      ? concat_columns({written, Tensor::zeros({rows, beyond})})
                      : written;
  return all + scale_rows(copied, shift(-gate, 1.0f));
}

Var Pointer::gate(const Var& state) const {
  return gate_(state, Activation::kSigmoid);
}

Var Pointer::operator()(const Var& p_vocab, const Var& state,
                        const Weights& weights,
                        const SourceWords& source) const {
  return copy_mixture(p_vocab, gate(state), weights, source);
}

}  // namespace fovea
