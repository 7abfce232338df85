#include <algorithm>
#include <charconv>
#include <cmath>

#include "fovea/explain/explanation.h"
#include "fovea/explain/faithfulness_words.h"
#include "fovea/io/json.h"

namespace fovea {
namespace {

// Text of numbers by the hundred thousand: six digits, no tree in between.
class Writer {
 public:
  std::string text;

  // What is not finite is null: JSON has no other word for it.
  void number(double value) {
    if (!std::isfinite(value)) {
      text += "null";
      return;
    }
    char digits[32];
    const auto end = std::to_chars(digits, digits + sizeof digits, value,
                                   std::chars_format::general, 6);
    text.append(digits, end.ptr);
  }
  void quoted(std::string_view value) { text += json_text(value); }

  template <class Items, class Write>
  void list(const Items& items, const Write& write) {
    text += '[';
    bool first = true;
    for (const auto& item : items) {
      if (!first) text += ',';
      first = false;
      write(item);
    }
    text += ']';
  }
  template <class Items>
  void numbers(const Items& items) {
    list(items, [&](double value) { number(value); });
  }
  void texts(const std::vector<std::string>& items) {
    list(items, [&](const std::string& item) { quoted(item); });
  }
  void matrix(const Tensor& m) {
    text += '[';
    for (int64_t i = 0; i < m.dim(0); ++i) {
      if (i > 0) text += ',';
      numbers(m.span().subspan(i * m.cols(), m.cols()));
    }
    text += ']';
  }
  void matrices(const std::vector<Tensor>& all) {
    list(all, [&](const Tensor& m) { matrix(m); });
  }

  // The name of a member; the first of an object opens it.
  void open(std::string_view name) { member('{', name); }
  void next(std::string_view name) { member(',', name); }
  void close() { text += '}'; }

 private:
  void member(char before, std::string_view name) {
    text += before;
    text += '"';
    text += name;
    text += "\":";
  }
};

void write_text(Writer& w, const ExplainedText& t) {
  w.open("text");
  w.quoted(t.text);
  w.next("tokens");
  w.texts(t.tokens);
  w.next("words");
  w.numbers(t.words);
  w.next("sentences");
  w.numbers(t.sentences);
}

void write_likely(Writer& w, const std::vector<Likely>& all,
                  std::string_view name) {
  w.list(all, [&](const Likely& one) {
    w.open(name);
    w.quoted(one.name);
    w.next("probability");
    w.number(one.probability);
    w.close();
  });
}

void write_target(Writer& w, const Explanation& e) {
  if (e.task != "translate") {
    w.text += "null";
    return;
  }
  write_text(w, e.target);
  w.next("read");
  w.texts(e.read);
  w.next("log_probabilities");
  w.numbers(e.log_probabilities);
  w.close();
}

void write_visible(Writer& w, const ExplainedLayer& layer) {
  const auto& visible = layer.visible;
  if (std::find(visible.begin(), visible.end(), false) == visible.end()) {
    w.text += "null";
    return;
  }
  const auto keys = layer.weights.front().cols();
  w.text += '[';
  for (size_t i = 0; i < visible.size(); ++i) {
    if (i % keys == 0) w.text += i == 0 ? "[" : "],[";
    if (i % keys != 0) w.text += ',';
    w.text += visible[i] ? "true" : "false";
  }
  w.text += "]]";
}

void write_vectors(Writer& w, const ExplainedLayer& layer) {
  if (!layer.vectors) {
    w.text += "null";
    return;
  }
  w.open("query");
  w.matrices(layer.vectors->query);
  w.next("key");
  w.matrices(layer.vectors->key);
  w.next("value");
  w.matrices(layer.vectors->value);
  w.next("scale");
  w.number(layer.vectors->scale);
  w.close();
}

void write_statistics(Writer& w, const HeadStatistics& s) {
  for (const HeadStatistic& one : kHeadStatistics) {
    const bool first = &one == kHeadStatistics;
    first ? w.open(one.name) : w.next(one.name);
    w.number(s.*one.value);
  }
  w.close();
}

void write_layer(Writer& w, const ExplainedLayer& layer) {
  w.open("name");
  w.quoted(layer.name);
  w.next("kind");
  w.quoted(layer.kind);
  w.next("score");
  w.quoted(layer.score);
  w.next("queries");
  w.quoted(FieldText<Tokens>::print(layer.queries));
  w.next("keys");
  w.quoted(FieldText<Tokens>::print(layer.keys));
  w.next("weights");
  w.matrices(layer.weights);
  w.next("visible");
  write_visible(w, layer);
  w.next("vectors");
  write_vectors(w, layer);
  w.next("statistics");
  w.list(layer.statistics,
         [&](const HeadStatistics& s) { write_statistics(w, s); });
  w.next("coverage");
  w.list(layer.weights, [&](const Tensor& m) { w.numbers(key_coverage(m)); });
  w.next("head_distances");
  w.matrix(head_distances(layer.weights));
  w.close();
}

void write_rollouts(Writer& w, const std::vector<ExplainedRollout>& all) {
  w.list(all, [&](const ExplainedRollout& r) {
    w.open("name");
    w.quoted(r.name);
    w.next("tokens");
    w.quoted(FieldText<Tokens>::print(r.tokens));
    w.next("rollout");
    w.matrix(r.rollout);
    w.next("flow");
    if (r.flow.size() > 0) {
      w.matrix(r.flow);
    } else {
      w.text += "null";
    }
    w.next("note");
    w.quoted(r.note);
    w.close();
  });
}

void write_gates(Writer& w, const std::vector<ExplainedGates>& all) {
  w.list(all, [&](const ExplainedGates& g) {
    w.open("layer");
    w.quoted(g.layer);
    w.next("probability");
    w.numbers(g.probability);
    w.next("open");
    w.list(g.probability,
           [&](float p) { w.text += p > 0.5f ? "true" : "false"; });
    w.next("weight");
    w.numbers(g.weight);
    w.close();
  });
}

// Which weights were tested, and what stands below their maps.
void write_tested(Writer& w, const std::optional<FaithfulnessSummary>& s) {
  if (!s) {
    w.text += "null";
    return;
  }
  w.open("layer");
  w.quoted(s->layer);
  w.next("head");
  w.number(s->head);
  w.next("caution");
  w.quoted(map_caution(s, {.layer = s->layer, .head = s->head}));
  w.close();
}

void write_head(Writer& w, const Explanation& e) {
  w.open("format");
  w.number(1);
  w.next("model");
  w.open("name");
  w.quoted(e.model);
  w.next("task");
  w.quoted(e.task);
  w.next("parameters");
  w.text += std::to_string(e.parameters);
  w.close();
  w.next("caution");
  w.quoted(map_caution(e.faithfulness, {}));
  w.next("tested");
  write_tested(w, e.faithfulness);
  w.next("faithfulness");
  w.text += e.faithfulness ? faithfulness_json(*e.faithfulness) : "null";
}

void write_output(Writer& w, const Explanation& e) {
  w.next("source");
  write_text(w, e.source);
  w.close();
  w.next("target");
  write_target(w, e);
  w.next("alternatives");
  w.list(e.alternatives, [&](const std::vector<Likely>& few) {
    write_likely(w, few, "token");
  });
  w.next("labels");
  if (e.labels.empty()) {
    w.text += "null";
  } else {
    write_likely(w, e.labels, "label");
  }
  w.next("from_word");
  w.text += e.from_word < 0 ? "null" : std::to_string(e.from_word);
}

}  // namespace

std::string explanation_json(const Explanation& e) {
  Writer w;
  write_head(w, e);
  write_output(w, e);
  w.next("alignment");
  if (e.alignment_layer.empty()) {
    w.text += "null";
  } else {
    w.open("layer");
    w.quoted(e.alignment_layer);
    w.next("weights");
    w.matrix(e.alignment);
    w.close();
  }
  w.next("layers");
  w.list(e.layers, [&](const ExplainedLayer& layer) { write_layer(w, layer); });
  w.next("rollout");
  write_rollouts(w, e.rollouts);
  w.next("gates");
  write_gates(w, e.gates);
  w.next("states");
  w.open("embedding");
  w.matrix(e.embedding_states);
  w.next("encoder");
  w.matrix(e.encoder_states);
  w.next("decoder");
  if (e.decoder_states.size() > 0) {
    w.matrix(e.decoder_states);
  } else {
    w.text += "[]";
  }
  w.close();
  w.close();
  return std::move(w.text);
}

}  // namespace fovea
