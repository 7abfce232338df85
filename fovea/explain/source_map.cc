// The map from words to words.
#include <algorithm>
#include <numeric>

#include "fovea/base/check.h"
#include "fovea/decode/word_alignment.h"
#include "fovea/explain/token_text.h"
#include "fovea/explain/view_parts.h"

namespace fovea {
namespace {

Items tokens_in(const ExplainedText& text) {
  Items items{token_texts(text.tokens), std::vector<int>(text.tokens.size())};
  std::iota(items.of.begin(), items.of.end(), 0);
  return items;
}

Items items_of(const ExplainedText& text, const ViewOptions& options) {
  Items items = options.words ? words_in(text) : tokens_in(text);
  // The last one is the end mark.
  if (options.marks != Marks::kShow && !items.labels.empty()) {
    items.labels.pop_back();
    items.of.back() = -1;
  }
  return items;
}

// Summed over the tokens of a column, the mean over those of a row.
Tensor merged(const Tensor& weights, const Items& rows, const Items& columns) {
  const auto height = std::ssize(rows.labels),
             width = std::ssize(columns.labels);
  std::vector<double> sums(height * width), counts(height);
  for (int64_t i = 0; i < weights.dim(0); ++i) {
    if (rows.of[i] < 0) continue;
    ++counts[rows.of[i]];
    for (int64_t j = 0; j < weights.cols(); ++j) {
      if (columns.of[j] < 0) continue;
      sums[rows.of[i] * width + columns.of[j]] +=
          weights[i * weights.cols() + j];
    }
  }
  Tensor all({height, width});
  for (int64_t k = 0; k < all.size(); ++k) {
    all[k] = static_cast<float>(sums[k] / counts[k / width]);
  }
  return all;
}

void renormalise(Tensor& weights) {
  for (int64_t i = 0; i < weights.dim(0); ++i) {
    const auto row = weights.span().subspan(i * weights.cols(), weights.cols());
    const double sum = std::accumulate(row.begin(), row.end(), 0.0);
    if (sum <= 0) continue;
    for (float& w : row) w = static_cast<float>(w / sum);
  }
}

std::string note_of(const Explanation& e, const ViewOptions& options,
                    const std::string& layer, size_t heads) {
  std::string note = layer;
  if (options.head >= 0) {
    note += join(", head ", options.head);
  } else if (heads > 1) {
    note += join(", mean of ", heads, " heads");
  }
  if (options.marks == Marks::kHide) {
    note += "; marks are hidden, so that rows may sum to less than 1";
  } else if (options.marks == Marks::kRenormalise) {
    note += "; marks are hidden and rows sum to 1 again";
  }
  return e.model.empty() ? note : e.model + ", " + note;
}

const ExplainedLayer* pool_of(const Explanation& e) {
  for (const ExplainedLayer& layer : e.layers) {
    if (layer.kind == "pooling") return &layer;
  }
  return nullptr;
}

// So that what is looked at first is first: by the mean row of each column.
Heatmap by_rows(Heatmap map) {
  const size_t width = map.columns.size();
  std::vector<double> place(width);
  for (size_t c = 0; c < width; ++c) {
    double sum = 0;
    for (size_t r = 0; r < map.rows.size(); ++r) {
      place[c] += static_cast<double>(r) * map.at(r, c);
      sum += map.at(r, c);
    }
    place[c] = sum > 0 ? place[c] / sum : static_cast<double>(map.rows.size());
  }
  std::vector<size_t> order(width);
  std::iota(order.begin(), order.end(), size_t{0});
  std::ranges::stable_sort(order, {}, [&](size_t c) { return place[c]; });
  Heatmap sorted = map;
  for (size_t c = 0; c < width; ++c) {
    sorted.columns[c] = map.columns[order[c]];
    for (size_t r = 0; r < map.rows.size(); ++r) {
      sorted.values[r * width + c] = map.at(r, order[c]);
    }
  }
  sorted.marked = row_argmax(sorted);
  sorted.note += "; columns in the order in which they are looked at";
  return sorted;
}

const ExplainedLayer& source_layer(const Explanation& e,
                                   const std::string& name) {
  if (!name.empty()) return layer_of(e, name);
  if (!e.alignment_layer.empty()) return layer_of(e, e.alignment_layer);
  if (const ExplainedLayer* pool = pool_of(e)) return *pool;
  check_usage(!e.layers.empty(), "this model has no attention to show");
  fail(ErrorKind::kUsage,
       "this model has no attention over its source; --view heads --layer ",
       e.layers.front().name, " shows what it has");
}

// The mean over all layers that look from and at the same tokens as this one,
// head by head.
ExplainedLayer mean_of_layers(const Explanation& e,
                              const ExplainedLayer& like) {
  ExplainedLayer mean = like;
  for (Tensor& head : mean.weights) head = Tensor::zeros(head.shape());
  int count = 0;
  for (const ExplainedLayer& layer : e.layers) {
    if (layer.queries != like.queries || layer.keys != like.keys ||
        layer.weights.size() != like.weights.size()) {
      continue;
    }
    ++count;
    for (size_t h = 0; h < mean.weights.size(); ++h) {
      Tensor& to = mean.weights[h];
      for (int64_t i = 0; i < to.size(); ++i) {
        to[i] += (layer.weights[h][i] - to[i]) / static_cast<float>(count);
      }
    }
  }
  if (count > 1) mean.name = join("mean of ", count, " layers");
  return mean;
}

}  // namespace

Items words_in(const ExplainedText& text) {
  const std::vector<TextRange> words = words_of(text.text);
  Items items;
  int last = -2;
  for (size_t i = 0; i < text.tokens.size(); ++i) {
    const int word = text.words[i];
    if (word < 0 || word != last) {
      items.labels.push_back(word < 0 ? text.tokens[i]
                                      : std::string(words[word].of(text.text)));
    }
    last = word;
    items.of.push_back(static_cast<int>(items.labels.size()) - 1);
  }
  return items;
}

bool has_source_map(const Explanation& e) {
  return !e.alignment_layer.empty() || pool_of(e);
}

Heatmap source_map(const Explanation& e, const ViewOptions& options) {
  const ExplainedLayer layer = options.layer == kMeanLayer
                                   ? mean_of_layers(e, source_layer(e, ""))
                                   : source_layer(e, options.layer);
  check_usage(layer.keys == Tokens::kSource, "layer ", layer.name,
              " does not look at the source; --view heads shows it");
  const Items columns = items_of(e.source, options);
  const Items rows = layer.queries == Tokens::kTarget
                         ? items_of(e.target, options)
                     : layer.queries == Tokens::kSource
                         ? items_of(e.source, options)
                         : Items{e.labels_of(Tokens::kNone), {0}};
  Tensor weights = merged(layer.shown(options.head), rows, columns);
  if (options.marks == Marks::kRenormalise) renormalise(weights);
  Heatmap map = heatmap_of_weights(weights, rows.labels, columns.labels);
  map.caution = layer_caution(e, layer, options.head);
  map.title = e.task == "classify"
                  ? join("Where it looked: ", e.labels.front().name)
                  : "Where it looked";
  map.note = note_of(e, options, layer.name, layer.weights.size());
  const bool translates = layer.queries == Tokens::kTarget;
  map.row_name = translates ? "translation" : "text";
  map.column_name = translates ? "sentence" : "text";
  if (options.order == Order::kLooked) map = by_rows(std::move(map));
  return only_row(std::move(map), options.token);
}

}  // namespace fovea
