#include "cli/reverse_model.h"

#include <algorithm>
#include <cmath>

#include "fovea/autograd/attention.h"
#include "fovea/autograd/cross_entropy.h"
#include "fovea/autograd/elementwise.h"
#include "fovea/autograd/gather.h"
#include "fovea/autograd/linear.h"
#include "fovea/autograd/recurrent.h"
#include "fovea/base/check.h"
#include "fovea/kernels/clip.h"
#include "fovea/kernels/optim.h"

namespace fovea::cli {
namespace {

// Glorot & Bengio 2010.
Var weight(int out, int in, RandomKey key) {
  Tensor w({out, in});
  const float limit = std::sqrt(6.0f / static_cast<float>(in + out));
  fill_uniform(key, -limit, limit, w.span());
  return Var::parameter(w);
}

Var zeros(int size) { return Var::parameter(Tensor::zeros({size})); }

Segments one_each(size_t count) {
  return Segments::from_lengths(std::vector<int>(count, 1));
}

struct Teacher {
  Ids inputs;                // the beginning, then the reversed word
  std::vector<int> targets;  // the reversed word, then the end
};

Teacher teacher(std::span<const std::vector<int>> words) {
  Teacher t;
  std::vector<int> lengths;
  for (const std::vector<int>& word : words) {
    t.inputs.ids.push_back(kBegin);
    t.inputs.ids.insert(t.inputs.ids.end(), word.rbegin(), word.rend());
    t.targets.insert(t.targets.end(), word.rbegin(), word.rend());
    t.targets.push_back(kEnd);
    lengths.push_back(static_cast<int>(word.size()) + 1);
  }
  t.inputs.of = Segments::from_lengths(lengths);
  return t;
}

}  // namespace

std::vector<int> letters_to_ids(const std::string& word) {
  std::vector<int> ids;
  for (char c : word) {
    check_usage(c >= 'a' && c <= 'z', "'", word,
                "': use the small letters a to z only");
    ids.push_back(kFirstLetter + (c - 'a'));
  }
  return ids;
}

std::string ids_to_letters(std::span<const int> ids) {
  std::string word;
  for (int id : ids) {
    word.push_back(static_cast<char>('a' + id - kFirstLetter));
  }
  return word;
}

std::vector<std::vector<int>> random_words(RandomKey key, int count,
                                           int shortest, int longest) {
  std::vector<std::vector<int>> words(count);
  for (int i = 0; i < count; ++i) {
    const RandomKey mine = key.with(i);
    words[i].resize(shortest + random_below(mine, 0, longest - shortest + 1));
    for (size_t j = 0; j < words[i].size(); ++j) {
      words[i][j] =
          kFirstLetter + static_cast<int>(random_below(
                             mine, static_cast<uint32_t>(j + 1), kLetters));
    }
  }
  return words;
}

ReverseModel::Cell ReverseModel::make_cell(int in, int width, RandomKey key) {
  return {weight(3 * width, in, key.with("input")),
          weight(3 * width, width, key.with("recurrent")), zeros(3 * width)};
}

ReverseModel::ReverseModel(int width, RandomKey key)
    : table_(weight(kSymbols, width, key.with("table"))),
      forward_(make_cell(width, width, key.with("forward"))),
      backward_(make_cell(width, width, key.with("backward"))),
      decoder_(make_cell(width, 2 * width, key.with("decoder"))),
      combine_(weight(width, 4 * width, key.with("combine"))),
      out_(weight(kSymbols, width, key.with("out"))),
      out_bias_(zeros(kSymbols)) {}

std::vector<Var> ReverseModel::params() const {
  std::vector<Var> all{table_, combine_, out_, out_bias_};
  for (const Cell* cell : {&forward_, &backward_, &decoder_}) {
    all.insert(all.end(), {cell->input, cell->recurrent, cell->bias});
  }
  return all;
}

ReverseModel::Encoded ReverseModel::encode(
    std::span<const std::vector<int>> words) const {
  std::vector<int> ids, lengths;
  for (const std::vector<int>& word : words) {
    ids.insert(ids.end(), word.begin(), word.end());
    lengths.push_back(static_cast<int>(word.size()));
  }
  const Segments of = Segments::from_lengths(lengths);
  const Var x = gather(table_, ids);  // [N,D]
  const auto fwd = gru({.x = x, .of = of},
                       {forward_.input, forward_.recurrent, forward_.bias});
  const auto bwd = gru({.x = x, .of = of, .reverse = true},
                       {backward_.input, backward_.recurrent, backward_.bias});
  return {concat_columns({fwd.states, bwd.states}),
          concat_columns({fwd.last, bwd.last}), of};
}

// All steps at once: the inputs are known.
ReverseModel::Decoded ReverseModel::decode(const Encoded& source,
                                           const Ids& inputs,
                                           bool with_weights) const {
  const Var states =
      gru({.x = gather(table_, inputs.ids), .of = inputs.of, .h0 = source.last},
          {decoder_.input, decoder_.recurrent, decoder_.bias})
          .states;
  AttentionConfig config;
  if (with_weights) config.weight_heads = {0};
  const AttentionOutput seen =
      attention(states, source.states, source.states,
                attention_spans(inputs.of, source.of), config);
  return {states, seen.context, seen.weights};
}

// softmax(W_s tanh(W_c [context; state])), Luong et al. 2015, eq. 5 and 6.
Var ReverseModel::readout(const Var& context, const Var& state) const {
  const Var h =
      linear(concat_columns({context, state}), combine_, {}, Activation::kTanh);
  return linear(h, out_, out_bias_);
}

Var ReverseModel::loss(std::span<const std::vector<int>> words) const {
  const Encoded source = encode(words);
  const Teacher t = teacher(words);
  const Decoded decoded = decode(source, t.inputs, false);
  return cross_entropy(readout(decoded.context, decoded.states), t.targets)
      .loss;
}

Tensor ReverseModel::weights(std::span<const int> word,
                             std::span<const int> written) const {
  const NoGrad scope;
  const std::vector<int> letters(word.begin(), word.end());
  const int length = static_cast<int>(written.size()) + 1;
  Ids inputs{{kBegin}, Segments::from_lengths({&length, 1})};
  inputs.ids.insert(inputs.ids.end(), written.begin(), written.end());
  return decode(encode({&letters, 1}), inputs, true).weights;
}

std::vector<std::vector<int>> ReverseModel::reverse(
    std::span<const std::vector<int>> words) const {
  const NoGrad scope;
  const Encoded source = encode(words);
  std::vector<std::vector<int>> results(words.size());
  std::vector<int> last(words.size(), kBegin);
  Var state = source.last;
  constexpr int kSpare = 5;  // steps beyond the right length
  for (int step = 0; step < source.of.longest() + kSpare; ++step) {
    state = gru({.x = gather(table_, last),
                 .of = one_each(words.size()),
                 .h0 = state},
                {decoder_.input, decoder_.recurrent, decoder_.bias})
                .states;
    const Var context =
        attention(state, source.states, source.states,
                  attention_spans(one_each(words.size()), source.of), {})
            .context;
    const Tensor logits = readout(context, state).value();
    for (size_t b = 0; b < words.size(); ++b) {
      const int most = source.of.length(static_cast<int>(b)) + kSpare;
      if (last[b] == kEnd || step >= most) continue;
      const auto row = logits.row_range(b, b + 1).span();
      last[b] = static_cast<int>(std::ranges::max_element(row) - row.begin());
      if (last[b] >= kFirstLetter) results[b].push_back(last[b]);
    }
  }
  return results;
}

ReverseTrainer::ReverseTrainer(const ReverseModel& model)
    : model_(model), params_(model.params()) {
  for (const Var& p : params_) {
    mean_.push_back(Tensor::zeros(p.shape()));
    variance_.push_back(Tensor::zeros(p.shape()));
  }
}

float ReverseTrainer::step(std::span<const std::vector<int>> words,
                           float rate) {
  for (const Var& p : params_) p.clear_grad();
  const Var loss = model_.loss(words);
  const float value = loss.value().item();
  loss.backward();
  std::vector<kernels::OptimTensor> tensors;
  std::vector<std::span<const float>> grads;
  for (size_t i = 0; i < params_.size(); ++i) {
    grads.push_back(params_[i].grad().span());
    tensors.push_back({.param = params_[i].value().span(),
                       .grad = grads.back(),
                       .state0 = mean_[i].span(),
                       .state1 = variance_[i].span()});
  }
  const float factor = kernels::clip_factor(kernels::global_norm(grads), 1.0);
  kernels::adam(tensors,
                {.number = ++steps_, .rate = rate, .grad_scale = factor}, {});
  return value;
}

}  // namespace fovea::cli
