#include "fovea/explain/explanation.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "fovea/attend/trace.h"
#include "fovea/autograd/softmax.h"
#include "fovea/base/check.h"
#include "fovea/base/words.h"
#include "fovea/data/batch.h"
#include "fovea/data/sentence_split.h"
#include "fovea/decode/classify_all.h"
#include "fovea/decode/word_alignment.h"
#include "fovea/explain/rollout.h"
#include "fovea/explain/rows.h"
#include "fovea/explain/token_text.h"

namespace fovea {
namespace {

constexpr int kShownStates = 16;
constexpr int kLongestFlow = 64;  // tokens: flow takes their cube and more

// Tokens of a text with the end mark, and the words they are of.
ExplainedText text_of(const Tokenizer& tokenizer, std::string_view text,
                      std::span<const Piece> pieces) {
  ExplainedText all{.text = std::string(text)};
  const std::vector<TextRange> words = words_of(text);
  const std::vector<int> of_tokens = words_of_tokens(words, pieces);
  const std::vector<TextRange> sentences = split_sentences(text);
  const int last = std::max(0, static_cast<int>(sentences.size()) - 1);
  for (int sentence : words_of_tokens(sentences, pieces)) {
    all.sentences.push_back(std::min(sentence, last));
  }
  for (size_t i = 0; i < pieces.size(); ++i) {
    all.tokens.push_back(tokenizer.piece(pieces[i].id));
    const bool has_word = of_tokens[i] < std::ssize(words);
    all.words.push_back(has_word ? of_tokens[i] : -1);
  }
  all.tokens.push_back(tokenizer.piece(tokenizer.end()));
  all.words.push_back(-1);
  all.sentences.push_back(last);
  return all;
}

// Rows of a layer whose steps were recorded one by one, put together.
Tensor join_steps(const std::vector<const Record*>& steps, int head) {
  if (steps.size() == 1) return steps.front()->weights(0, head);
  std::vector<float> all;
  int64_t keys = 0, rows = 0;
  for (const Record* step : steps) {
    const Tensor part = step->weights(0, head);
    all.insert(all.end(), part.span().begin(), part.span().end());
    keys = part.cols();
    rows += part.dim(0);
  }
  return Tensor::from({rows, keys}, all);
}

// Turns the records of one text into layers.
class LayerReader {
 public:
  LayerReader(const Trace& trace, Explanation& into) : into_(into) {
    std::vector<std::string> names;  // in the order of the first records
    std::map<std::string, std::vector<const Record*>> by_name;
    for (const Record& record : trace.records()) {
      std::vector<const Record*>& steps = by_name[record.about().name];
      if (steps.empty()) names.push_back(record.about().name);
      steps.push_back(&record);
    }
    for (const std::string& name : names) read(by_name[name]);
  }

 private:
  void read(const std::vector<const Record*>& steps) {
    const Record& first = *steps.front();
    const Record::About& about = first.about();
    if (about.kind == "gate") {
      const Tensor row = first.weights(0, 0);
      into_.gates.push_back(
          {about.name, {row.span().begin(), row.span().end()}});
      return;
    }
    ExplainedLayer layer{about.name, about.kind, about.score};
    set_tokens(layer);
    for (int head : first.heads()) {
      layer.weights.push_back(join_steps(steps, head));
    }
    for (const Record* step : steps) {
      const std::vector<bool> valid = step->valid(0);
      layer.visible.insert(layer.visible.end(), valid.begin(), valid.end());
    }
    if (steps.size() == 1 && first.has_vectors()) {
      layer.vectors = vectors_of(first);
    }
    add_statistics(layer);
    into_.layers.push_back(std::move(layer));
  }

  static ExplainedVectors vectors_of(const Record& record) {
    ExplainedVectors all;
    for (int head : record.heads()) {
      Record::HeadVectors one = record.vectors(0, head);
      all.query.push_back(std::move(one.query));
      all.key.push_back(std::move(one.key));
      all.value.push_back(std::move(one.value));
      all.scale = one.scale;
    }
    return all;
  }

  static void set_tokens(ExplainedLayer& layer) {
    const bool decoder = layer.name.starts_with("decoder");
    layer.keys =
        decoder && layer.kind != "cross" ? Tokens::kRead : Tokens::kSource;
    layer.queries = decoder                             ? Tokens::kTarget
                    : layer.name.starts_with("classes") ? Tokens::kNone
                                                        : Tokens::kSource;
  }

  // The end mark of a source and the begin mark that a decoder reads are
  // special.
  void add_statistics(ExplainedLayer& layer) const {
    const int special = layer.keys == Tokens::kRead
                            ? 0
                            : static_cast<int>(into_.source.tokens.size()) - 1;
    for (const Tensor& weights : layer.weights) {
      layer.statistics.push_back(head_statistics(weights, {&special, 1}));
    }
  }

  Explanation& into_;
};

bool sums_to_one(const Tensor& weights) {
  for (int64_t i = 0; i < weights.dim(0); ++i) {
    const auto row = weights.span().subspan(i * weights.cols(), weights.cols());
    const double sum = std::accumulate(row.begin(), row.end(), 0.0);
    if (std::abs(sum - 1) > 1e-3) return false;
  }
  return true;
}

// Of the self-attention of one side, where all layers have weights that sum to
// 1.
void add_rollout(const std::string& side, Tokens tokens, Explanation& into) {
  std::vector<Tensor> layers;
  for (const ExplainedLayer& layer : into.layers) {
    if (layer.kind != "self" || !layer.name.starts_with(side)) continue;
    layers.push_back(layer.shown(-1));
    const Tensor& last = layers.back();
    if (last.dim(0) != last.cols() || !sums_to_one(last)) return;
  }
  if (layers.empty()) return;
  ExplainedRollout all{side, tokens, attention_rollout(layers).back()};
  const int64_t count = all.rollout.dim(0);
  if (count > kLongestFlow) {
    all.note = join("flow is left out: ", count, " tokens, and it takes ",
                    kLongestFlow, " at most");
  } else {
    all.flow = Tensor({count, count});
    for (int64_t row = 0; row < count; ++row) {
      std::ranges::copy(attention_flow(layers, row),
                        all.flow.data() + row * count);
    }
  }
  into.rollouts.push_back(std::move(all));
}

void add_alternatives(const Tokenizer& words, const Tensor& probabilities,
                      std::span<const int> written, Explanation& into,
                      int count) {
  const auto width = static_cast<size_t>(probabilities.cols());
  for (size_t i = 0; i < written.size(); ++i) {
    const auto row = probabilities.span().subspan(i * width, width);
    into.log_probabilities.push_back(std::log(row[written[i]]));
    std::vector<Likely> few;
    for (int id : most_probable(row, count))
      few.push_back({words.piece(id), row[id]});
    into.alternatives.push_back(std::move(few));
  }
}

// "decoder.cross.gate" stands in front of "decoder.cross".
void add_gated_weights(Explanation& into) {
  for (ExplainedGates& gates : into.gates) {
    const auto layer =
        std::ranges::find_if(into.layers, [&](const ExplainedLayer& l) {
          return gates.layer.starts_with(l.name + ".") &&
                 l.keys == Tokens::kSource;
        });
    if (layer == into.layers.end()) continue;
    const Tensor mean = layer->shown(-1);
    gates.weight = key_coverage(mean);
    for (float& w : gates.weight) w /= static_cast<float>(mean.dim(0));
  }
}

void add_alignment(const Seq2Seq& model, Explanation& into) {
  if (!model.has_attention()) return;
  for (const ExplainedLayer& layer : into.layers) {
    if (layer.name != model.alignment_layer()) continue;
    into.alignment_layer = layer.name;
    into.alignment = layer.shown(-1);
  }
}

}  // namespace

Tensor ExplainedLayer::shown(int head) const {
  const auto heads = static_cast<int>(weights.size());
  check_usage(head < heads, "head ", head, " of ", name, ": it has ", heads,
              ", the first being 0");
  if (head >= 0) return weights[head];
  Tensor mean = Tensor::zeros(weights.front().shape());
  const float share = 1.0f / static_cast<float>(heads);
  for (const Tensor& one : weights) {
    for (int64_t i = 0; i < mean.size(); ++i) mean[i] += share * one[i];
  }
  return mean;
}

std::vector<std::string> Explanation::labels_of(Tokens tokens) const {
  switch (tokens) {
    case Tokens::kSource:
      return token_texts(source.tokens);
    case Tokens::kTarget:
      return token_texts(target.tokens);
    case Tokens::kRead:
      return token_texts(read);
    case Tokens::kNone:
      break;
  }
  return {"text"};
}

Explanation explain_translation(const TranslationModel& model,
                                std::string_view source,
                                const Translation& translation,
                                const ExplainOptions& options) {
  check_usage(!is_blank(source) && !translation.parts.empty(),
              "there is nothing to explain: the text is blank");
  check(translation.parts.size() == 1, "explain: a text in parts");
  const NoGrad none;
  const std::vector<Piece> pieces = model.source.pieces(source);
  const std::vector<Piece>& written = translation.parts.front().target;
  Explanation all{.model = options.name,
                  .task = "translate",
                  .parameters = Params(*model.model).count(),
                  .faithfulness = options.faithfulness,
                  .source = text_of(model.source, source, pieces),
                  .target = text_of(model.target, translation.text, written)};
  const Seq2Seq& net = *model.model;
  all.read = {"<s>"};
  all.read.insert(all.read.end(), all.target.tokens.begin(),
                  all.target.tokens.end() - 1);
  Trace trace({Trace::Request{.vectors = options.vectors}});
  Pass pass;
  pass.trace = &trace;
  const std::vector<int> ids = ids_of(pieces), target = ids_of(written);
  const Ids read = with_end({&ids, 1}, net.end());
  const Var embedded = net.embed(read, pass);
  const Encoded encoded = net.encode(embedded, read.of, pass);
  const Ids gold = with_end({&target, 1}, net.end());
  const Var hidden = net.forced(encoded, gold, pass).hidden;
  add_alternatives(model.target, softmax(net.readout(hidden)).value(), gold.ids,
                   all, options.alternatives);
  LayerReader(trace, all);
  add_gated_weights(all);
  add_alignment(net, all);
  add_rollout("encoder", Tokens::kSource, all);
  add_rollout("decoder", Tokens::kRead, all);
  all.embedding_states = first_columns(embedded.value(), kShownStates);
  all.encoder_states = first_columns(encoded.states.value(), kShownStates);
  all.decoder_states = first_columns(hidden.value(), kShownStates);
  return all;
}

Explanation explain_label(const ClassifierModel& model, std::string_view text,
                          const ExplainOptions& options) {
  check_usage(!is_blank(text),
              "there is nothing to explain: the text is blank");
  const NoGrad none;
  const std::vector<Piece> pieces = model.text.pieces(text);
  Explanation all{.model = options.name,
                  .task = "classify",
                  .parameters = Params(*model.model).count(),
                  .faithfulness = options.faithfulness,
                  .source = text_of(model.text, text, pieces)};
  const Classifier& net = *model.model;
  Trace trace({Trace::Request{.vectors = options.vectors}});
  Pass pass;
  pass.trace = &trace;
  const std::vector<int> ids = ids_of(pieces);
  const Ids source = with_end({&ids, 1}, model.text.end());
  const Var embedded = net.embed(source, pass);
  const Encoded encoded = net.encode(embedded, source.of, pass);
  const Tensor scores = softmax(net.classify(encoded, pass)).value();
  for (int id : most_probable(scores.span(), static_cast<int>(scores.size()))) {
    all.labels.push_back({model.labels[id], scores[id]});
  }
  LayerReader(trace, all);
  add_gated_weights(all);
  add_rollout("encoder", Tokens::kSource, all);
  all.embedding_states = first_columns(embedded.value(), kShownStates);
  all.encoder_states = first_columns(encoded.states.value(), kShownStates);
  return all;
}

}  // namespace fovea
