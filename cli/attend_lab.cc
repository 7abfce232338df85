#include "cli/attend_lab.h"

#include <algorithm>
#include <cmath>
#include <iomanip>
#include <iostream>
#include <limits>
#include <nlohmann/json.hpp>
#include <sstream>

#include "fovea/attend/trace.h"
#include "fovea/base/check.h"
#include "fovea/base/unicode.h"
#include "fovea/explain/heatmap.h"
#include "fovea/explain/label.h"
#include "fovea/explain/render_svg.h"
#include "fovea/explain/render_terminal.h"
#include "fovea/io/text_file.h"

namespace fovea::cli {
namespace {

Segments one_sequence(const NamedRows& rows) {
  const std::vector<int> length{static_cast<int>(rows.rows.dim(0))};
  return Segments::from_lengths(length);
}

// As a matrix. With coverage each query has a record of its own.
Tensor weights_of_head(const Trace& trace, int head, int64_t keys) {
  std::vector<float> values;
  for (const Record& record : trace.records()) {
    const Tensor rows = record.weights(0, head);
    values.insert(values.end(), rows.span().begin(), rows.span().end());
  }
  return Tensor::from({std::ssize(values) / keys, keys}, values);
}

// As a matrix; minus infinity where a key is not seen.
Tensor scores_of_head(const Weights& weights, int head, int64_t keys) {
  const Pairs& pairs = weights.pairs;
  Tensor matrix = Tensor::full({pairs.rows(), keys},
                               -std::numeric_limits<float>::infinity());
  for (int64_t m = 0; m < pairs.rows(); ++m) {
    const Pairs::Row& row = pairs.row(m);
    std::copy_n(weights.scores.value().data() + pairs.begin(m, head), row.keys,
                matrix.data() + m * keys + row.first);
  }
  return matrix;
}

// Kernels give logarithms of similarities; people want the similarities.
void show_similarities(const Composed& attention, Tensor& scores) {
  if (attention.score_kind() != ScoreKind::kLogSimilarity) return;
  for (float& value : scores.span()) value = std::exp(value);
}

std::string head_note(const Lab& lab, int head) {
  std::string note = lab.config.score;
  if (lab.config.extent != "global") note += ", " + lab.config.extent;
  if (lab.config.normaliser != "auto") note += ", " + lab.config.normaliser;
  if (lab.config.select != "soft") note += ", " + lab.config.select;
  if (lab.config.position != "none") note += ", " + lab.config.position;
  if (lab.config.causal) note += ", causal";
  if (lab.config.heads > 1) note += join(", head ", head);
  return note;
}

// The rows that are asked for.
std::vector<int> shown_rows(const Lab& lab) {
  if (lab.only_query) return {*lab.only_query};
  std::vector<int> rows(lab.queries.names.size());
  for (size_t i = 0; i < rows.size(); ++i) rows[i] = static_cast<int>(i);
  return rows;
}

struct Part {
  std::vector<std::string> names;
  Tensor values;
  std::vector<bool> shown;
};

Part part_of(const Lab& lab, const Tensor& matrix,
             const std::vector<bool>& shown) {
  const int64_t keys = matrix.cols();
  Part part;
  std::vector<float> values;
  for (int m : shown_rows(lab)) {
    part.names.push_back(lab.queries.names[m]);
    values.insert(values.end(), matrix.data() + m * keys,
                  matrix.data() + (m + 1) * keys);
    part.shown.insert(part.shown.end(), shown.begin() + m * keys,
                      shown.begin() + (m + 1) * keys);
  }
  const auto rows = static_cast<int64_t>(part.names.size());
  part.values = Tensor::from({rows, keys}, values);
  return part;
}

Heatmap weight_map(const Lab& lab, const LabResult& result, int head) {
  Part part = part_of(lab, result.weights[head], result.shown);
  Heatmap map =
      heatmap_of_weights(part.values, part.names, lab.keys.names, part.shown);
  map.title = "weights";
  map.note = head_note(lab, head);
  map.caution.clear();  // nothing was trained: there is nothing to explain
  return map;
}

// Scores that are infinite, such as those of closed keys, are hidden.
Heatmap score_map(const Lab& lab, const LabResult& result, int head) {
  Part part = part_of(lab, result.scores[head], result.shown);
  for (int64_t i = 0; i < part.values.size(); ++i) {
    if (!std::isfinite(part.values[i])) part.shown[i] = false;
  }
  return {.title = "scores",
          .note = head_note(lab, head),
          .rows = part.names,
          .columns = lab.keys.names,
          .values = {part.values.span().begin(), part.values.span().end()},
          .shown = part.shown,
          .range = ValueRange::kSymmetric};
}

void show_output(const Lab& lab, const LabResult& result) {
  std::cout << "output\n";
  for (int m : shown_rows(lab)) {
    std::cout << "  " << label_text(lab.queries.names[m]) << ":";
    for (int64_t d = 0; d < result.output.cols(); ++d) {
      std::cout << " "
                << short_number(result.output[m * result.output.cols() + d]);
    }
    std::cout << "\n";
  }
}

// One query's scores and weights, exactly.
void show_row(const Lab& lab, const LabResult& result, int head) {
  const int query = shown_rows(lab).front();
  const auto keys = static_cast<int64_t>(lab.keys.names.size());
  size_t widest = 3;
  for (const std::string& name : lab.keys.names) {
    widest =
        std::max(widest, static_cast<size_t>(display_width(label_text(name))));
  }
  const auto pad = [&](const std::string& text, size_t width) {
    const auto used = static_cast<size_t>(display_width(text));
    return text + std::string(used < width ? width - used : 1, ' ');
  };
  std::cout << "  " << pad("key", widest + 2) << pad("score", 12) << "weight\n";
  for (int64_t j = 0; j < keys; ++j) {
    const int64_t at = query * keys + j;
    const bool scored =
        !result.scores.empty() && std::isfinite(result.scores[head][at]);
    std::cout << "  " << pad(label_text(lab.keys.names[j]), widest + 2)
              << pad(scored ? short_number(result.scores[head][at]) : "-", 12)
              << (result.shown[at] ? short_number(result.weights[head][at])
                                   : "hidden")
              << "\n";
  }
  std::cout << "\n";
}

void write_svg(const Lab& lab, const LabResult& result,
               const std::string& path) {
  std::vector<Heatmap> maps;
  for (int h = 0; h < lab.config.heads; ++h) {
    maps.push_back(weight_map(lab, result, h));
    if (!lab.title.empty()) maps.back().title = lab.title;
  }
  replace_file(path, render_svg(maps));
}

nlohmann::ordered_json rows_json(const Lab& lab, const Tensor& matrix) {
  auto all = nlohmann::ordered_json::array();
  for (int m : shown_rows(lab)) {
    auto row = nlohmann::ordered_json::array();
    for (int64_t j = 0; j < matrix.cols(); ++j) {
      const float value = matrix[m * matrix.cols() + j];
      row.push_back(std::isfinite(value) ? nlohmann::ordered_json(value)
                                         : nlohmann::ordered_json());
    }
    all.push_back(row);
  }
  return all;
}

void print_json(const Lab& lab, const LabResult& result) {
  auto heads = nlohmann::ordered_json::array();
  for (size_t h = 0; h < result.weights.size(); ++h) {
    nlohmann::ordered_json head;
    if (!result.scores.empty())
      head["scores"] = rows_json(lab, result.scores[h]);
    head["weights"] = rows_json(lab, result.weights[h]);
    heads.push_back(head);
  }
  auto names = nlohmann::ordered_json::array();
  for (int m : shown_rows(lab)) names.push_back(lab.queries.names[m]);
  const nlohmann::ordered_json all{{"queries", names},
                                   {"keys", lab.keys.names},
                                   {"heads", heads},
                                   {"output", rows_json(lab, result.output)}};
  std::cout << all.dump(2, ' ', false, nlohmann::json::error_handler_t::replace)
            << "\n";
}

}  // namespace

std::string short_number(double value) {
  std::ostringstream out;
  out << std::setprecision(std::abs(value) < 1 ? 4 : 7) << value;
  return out.str();
}

AttentionSizes sizes_of(const Lab& lab) {
  return {.query = static_cast<int>(lab.queries.rows.dim(1)),
          .key = static_cast<int>(lab.keys.rows.dim(1)),
          .value = static_cast<int>(lab.values.rows.dim(1))};
}

LabResult run_lab(const Lab& lab) {
  const Composed attention(lab.config, sizes_of(lab), RandomKey(lab.seed));
  const NoGrad no_grad;
  Trace trace;
  const Pass pass{.key = RandomKey(lab.seed).with("draw"), .trace = &trace};
  const Memory memory = attention.remember({.keys = lab.keys.rows,
                                            .values = lab.values.rows,
                                            .of = one_sequence(lab.keys)},
                                           pass);
  const Attended out = attention.attend({.rows = lab.queries.rows,
                                         .of = one_sequence(lab.queries),
                                         .want_weights = true,
                                         .kind = lab.self ? "self" : "cross"},
                                        memory, {}, pass);
  LabResult result;
  result.output = out.context.value();
  for (const Record& record : trace.records()) {
    const std::vector<bool> shown = record.valid(0);
    result.shown.insert(result.shown.end(), shown.begin(), shown.end());
  }
  const int64_t keys = lab.keys.rows.dim(0);
  const Weights& w = out.weights;
  for (int h = 0; h < lab.config.heads; ++h) {
    result.weights.push_back(weights_of_head(trace, h, keys));
    if (!w.scores || !memory.kept.empty()) continue;
    result.scores.push_back(scores_of_head(w, h, keys));
    show_similarities(attention, result.scores.back());
  }
  if (lab.config.exclude_self) {
    for (int64_t m = 0; m < w.pairs.rows(); ++m) {
      const int own = w.pairs.row(m).position;
      if (own >= 0 && own < keys) result.shown[m * keys + own] = false;
    }
  }
  return result;
}

void show_lab(const Lab& lab, const LabView& view) {
  const LabResult result = run_lab(lab);
  if (!view.svg.empty()) write_svg(lab, result, view.svg);
  if (view.json) return print_json(lab, result);
  if (!lab.title.empty()) std::cout << lab.title << "\n\n";
  TerminalOptions options = TerminalOptions::standard_output();
  options.numbers = view.numbers;
  for (int h = 0; h < lab.config.heads; ++h) {
    if (shown_rows(lab).size() == 1) {
      show_row(lab, result, h);
    } else if (!result.scores.empty()) {
      std::cout << render_terminal(score_map(lab, result, h), options) << "\n";
    }
    std::cout << render_terminal(weight_map(lab, result, h), options) << "\n";
  }
  show_output(lab, result);
}

}  // namespace fovea::cli
