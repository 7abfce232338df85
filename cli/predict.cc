// fovea predict: lines in, labels out.
#include <algorithm>
#include <iomanip>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "cli/command.h"
#include "cli/flags.h"
#include "fovea/base/check.h"
#include "fovea/base/unicode.h"
#include "fovea/data/labelled.h"
#include "fovea/decode/classify_all.h"
#include "fovea/eval/classification.h"
#include "fovea/io/text_file.h"
#include "fovea/models/classifier_folder.h"

namespace fovea::cli {
namespace {

using nlohmann::ordered_json;

struct PredictConfig {
  int top_k = 1;
  bool json = false;
  std::string test;
  ClassifyAllConfig all;

  void fields(auto&& field) {
    field("top-k", top_k, "labels to name for each line, most probable first");
    field("json", json, "write JSON, one object a line");
    field("test", test, "labelled lines: say how many of them get their label");
    field("batch-size", all.batch_size, "lines computed together");
  }
};

constexpr size_t kLinesAtOnce = 2000;
constexpr int kDigits = 6;  // of a probability
constexpr size_t kMostColumns = 20;

using Probabilities = std::vector<std::vector<float>>;

Probabilities probabilities_of(const ClassifierModel& m,
                               const PredictConfig& config,
                               const std::vector<std::string>& lines) {
  std::vector<std::vector<int>> ids;
  for (const std::string& line : lines) ids.push_back(m.text.encode(line));
  return classify_all(*m.model, ids, m.text.end(), config.all);
}

// "label<TAB>probability", and so on for further labels; nothing for an empty
// line.
std::string text_line(const ClassifierModel& m, std::span<const float> p,
                      int top_k) {
  std::string line;
  for (int i : most_probable(p, top_k)) {
    line += join(line.empty() ? "" : "\t", m.labels[i], "\t", std::fixed,
                 std::setprecision(kDigits), p[i]);
  }
  return line;
}

std::string json_line(const ClassifierModel& m, std::span<const float> p,
                      int top_k) {
  ordered_json labels = ordered_json::array();
  for (int i : most_probable(p, top_k)) {
    labels.push_back(
        {{"label", mend_utf8(m.labels[i])}, {"probability", p[i]}});
  }
  return ordered_json{{"labels", labels}}.dump();
}

void predict_some(const ClassifierModel& m, const PredictConfig& config,
                  std::vector<std::string>& lines) {
  for (const std::vector<float>& p : probabilities_of(m, config, lines)) {
    std::cout << (config.json ? json_line(m, p, config.top_k)
                              : text_line(m, p, config.top_k))
              << "\n";
  }
  std::cout << std::flush;
  lines.clear();
}

void predict_lines(const ClassifierModel& m, const PredictConfig& config,
                   const std::string& input) {
  LineReader reader(input);
  std::vector<std::string> lines;
  while (const auto line = reader.next()) {
    lines.emplace_back(*line);
    if (lines.size() == kLinesAtOnce) predict_some(m, config, lines);
  }
  predict_some(m, config, lines);
}

// What a labelled file says and what the model says to it.
Confusion tested(const ClassifierModel& m, const PredictConfig& config) {
  std::vector<std::string> texts, truth, predicted;
  LineReader reader(config.test);
  while (const auto line = reader.next()) {
    const auto read = read_labelled(*line);
    check_data(read.has_value(), reader.place(),
               ": has no label; a line is label, tab, text");
    texts.emplace_back(read->text);
    truth.emplace_back(read->label);
  }
  check_data(!texts.empty(), config.test, ": has no line");
  for (const std::vector<float>& p : probabilities_of(m, config, texts)) {
    // A text without a word gets no label.
    predicted.push_back(p.empty() ? "" : m.labels[most_probable(p, 1)[0]]);
  }
  return Confusion(predicted, truth);
}

int widest_label(const Confusion& c) {
  size_t widest = std::string_view("label").size();
  for (const std::string& label : c.labels()) {
    widest = std::max(widest, label.size());
  }
  return static_cast<int>(widest);
}

// A row for each true label: how often each label was given for it.
void print_matrix(const Confusion& c) {
  const size_t labels = c.labels().size();
  if (labels > kMostColumns) {
    std::cout << "\n--json has the table of all " << labels << " labels\n";
    return;
  }
  const int width = widest_label(c);
  std::cout << "\ntrue label, and how often each label was given\n"
            << std::string(width, ' ');
  for (const std::string& label : c.labels()) {
    std::cout << "  " << std::setw(width) << label;
  }
  for (size_t i = 0; i < labels; ++i) {
    std::cout << "\n" << std::left << std::setw(width) << c.labels()[i];
    std::cout << std::right;
    for (size_t j = 0; j < labels; ++j) {
      std::cout << "  " << std::setw(width) << c.count(i, j);
    }
  }
  std::cout << "\n";
}

void print_test(const Confusion& c) {
  std::cout << std::fixed << std::setprecision(2) << "accuracy  "
            << c.accuracy() << "\nmacro-F1  " << c.macro_f1() << "\n\n";
  const int widest = widest_label(c);
  std::cout << std::left << std::setw(widest) << "label" << std::right
            << std::setw(11) << "precision" << std::setw(9) << "recall"
            << std::setw(9) << "F1" << std::setw(9) << "lines"
            << "\n";
  for (size_t i = 0; i < c.labels().size(); ++i) {
    const Confusion::Scores s = c.scores(i);
    std::cout << std::left << std::setw(widest) << c.labels()[i] << std::right
              << std::setw(11) << s.precision << std::setw(9) << s.recall
              << std::setw(9) << s.f1 << std::setw(9) << s.support << "\n";
  }
  print_matrix(c);
}

void print_test_json(const Confusion& c) {
  ordered_json labels = ordered_json::array();
  ordered_json matrix = ordered_json::array();
  for (size_t i = 0; i < c.labels().size(); ++i) {
    const Confusion::Scores s = c.scores(i);
    std::vector<int64_t> row;
    for (size_t j = 0; j < c.labels().size(); ++j) {
      row.push_back(c.count(i, j));
    }
    matrix.push_back(std::move(row));
    labels.push_back({{"label", mend_utf8(c.labels()[i])},
                      {"precision", s.precision},
                      {"recall", s.recall},
                      {"f1", s.f1},
                      {"lines", s.support}});
  }
  std::cout << ordered_json{{"accuracy", c.accuracy()},
                            {"macro_f1", c.macro_f1()},
                            {"labels", labels},
                            {"confusion", matrix}}
                   .dump()
            << "\n";
}

}  // namespace

Run predict(CLI::App& app) {
  auto config = std::make_shared<PredictConfig>();
  auto flags = std::make_shared<ConfigFlags>(app, fields_of(*config));
  auto folder = std::make_shared<std::string>();
  auto input = std::make_shared<std::string>("-");
  app.add_option("MODEL", *folder, "folder of a classifier")
      ->type_name("")
      ->required();
  app.add_option("INPUT", *input, "file of lines; -: standard input")
      ->type_name("");
  return [=] {
    flags->resolve();
    check_usage(config->top_k >= 1, "--top-k ", config->top_k,
                ": give at least 1");
    const ClassifierModel model = load_classifier(*folder, Precision::kFloat32);
    if (config->test.empty()) {
      predict_lines(model, *config, *input);
    } else if (config->json) {
      print_test_json(tested(model, *config));
    } else {
      print_test(tested(model, *config));
    }
  };
}

}  // namespace fovea::cli
