#include "cli/attend_examples.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <iomanip>
#include <iostream>

#include "fovea/base/check.h"
#include "fovea/base/nearest.h"
#include "fovea/base/rng.h"

namespace fovea::cli {
namespace {

ComposedConfig plain(const char* score) {
  ComposedConfig config;
  config.score = score;
  config.project = config.value_proj = config.out_proj = false;
  return config;
}

NamedRows column(std::vector<std::string> names, std::vector<float> values) {
  const auto rows = static_cast<int64_t>(names.size());
  return {std::move(names), Tensor::from({rows, 1}, values)};
}

Lab lab_of(const ExampleRequest& request) {
  Lab lab;
  lab.config = request.config;
  lab.seed = request.seed;
  return lab;
}

// SPEC A10.
void boxes(const ExampleRequest& request) {
  Lab lab = lab_of(request);
  lab.title =
      "What does a box of size 360 weigh, if one of 300 weighs 30 pounds and "
      "one\nof 400 weighs 40? The nearer box counts more.";
  float size = 360;
  if (!request.query.empty()) {
    const char* end = request.query.data() + request.query.size();
    const auto parsed = std::from_chars(request.query.data(), end, size);
    check_usage(parsed.ec == std::errc() && parsed.ptr == end, "--query ",
                request.query, ": give the size of a box");
  }
  lab.queries = column({short_number(size)}, {size});
  lab.keys = column({"300", "400"}, {300, 400});
  lab.values = column({"30 lb", "40 lb"}, {30, 40});
  show_lab(lab, request.view);
  if (request.view.json) return;
  std::cout << "The box weighs about " << std::fixed << std::setprecision(1)
            << run_lab(lab).output[0] << " pounds.\n";
}

// SPEC A9. Names are told apart by their number in the book.
void phonebook(const ExampleRequest& request) {
  const std::vector<std::string> names{
      "Alice Johnson", "Bob Smith", "Carol Davis", "Dave Martin", "Eve Clark"};
  const std::vector<float> numbers{5551234, 5555678, 5558765, 5554321, 5553456};
  const std::string wanted =
      request.query.empty() ? "Bob Smith" : request.query;
  const auto found = std::find(names.begin(), names.end(), wanted);
  Lab lab = lab_of(request);
  lab.title = "A phone book: attention that looks at the equal key only.";
  lab.keys = column(names, {0, 1, 2, 3, 4});
  lab.values = column(names, numbers);
  // The place behind the last is that of nobody.
  lab.queries = column({wanted}, {static_cast<float>(found - names.begin())});
  show_lab(lab, request.view);
  if (request.view.json) return;
  if (found == names.end()) {
    std::cout << wanted << ": not found" << did_you_mean(wanted, names) << "\n";
    return;
  }
  const auto number = static_cast<int>(std::lround(run_lab(lab).output[0]));
  std::cout << wanted << ": " << number / 10000 << "-" << number % 10000
            << "\n";
}

// SPEC A11: q.k of 112 and 96 with 64 columns.
void scores(const ExampleRequest& request) {
  const auto row = [](float first) {
    std::vector<float> x(64);
    x[0] = first;
    return x;
  };
  Lab lab = lab_of(request);
  lab.title =
      "Scores 112 and 96 of vectors with 64 columns, divided by sqrt(64) = 8: "
      "14 and\n12. Try --score dot to see why they are divided.";
  lab.queries = {{"word 1"}, Tensor::from({1, 64}, row(16))};
  std::vector<float> keys = row(7);
  const std::vector<float> second = row(6);
  keys.insert(keys.end(), second.begin(), second.end());
  lab.keys = {{"word 1", "word 2"}, Tensor::from({2, 64}, keys)};
  lab.values = column({"word 1", "word 2"}, {1, 0});
  show_lab(lab, request.view);
  if (request.view.steps) show_steps(lab, 0, 0);
}

// Made-up vectors: animal, action, time, grammar.
NamedRows words_with_vectors(const std::vector<std::string>& words) {
  struct Entry {
    const char* word;
    float vector[4];
  };
  constexpr Entry kEntries[] = {
      {"the", {0.1f, 0.0f, 0.1f, 1.0f}},
      {"early", {0.5f, 0.2f, 1.2f, 0.1f}},
      {"bird", {1.6f, 0.6f, 0.5f, 0.1f}},
      {"catches", {0.9f, 1.6f, 0.2f, 0.0f}},
      {"worm", {1.5f, 0.4f, 0.1f, 0.1f}},
      {"you", {0.9f, 0.1f, 0.1f, 0.8f}},
      {"are", {0.1f, 0.9f, 0.3f, 0.7f}},
      {"happy", {0.6f, 0.4f, 0.2f, 0.1f}},
      {"today", {0.1f, 0.2f, 1.3f, 0.2f}},
  };
  std::vector<float> values;
  for (const std::string& word : words) {
    const auto entry =
        std::find_if(std::begin(kEntries), std::end(kEntries),
                     [&](const Entry& e) { return word == e.word; });
    values.insert(values.end(), std::begin(entry->vector),
                  std::end(entry->vector));
  }
  return {words, Tensor::from({static_cast<int64_t>(words.size()), 4}, values)};
}

ComposedConfig bird_config() {
  ComposedConfig config = plain("scaled_dot");
  config.exclude_self = true;
  return config;
}

// SPEC A13b.
void bird(const ExampleRequest& request) {
  Lab lab = lab_of(request);
  lab.title =
      "Where 'bird' looks in \"the early bird catches the worm\": at words "
      "whose (made-up)\nvectors are like its own. --no-exclude-self lets it "
      "see itself too.";
  lab.queries = lab.keys = lab.values =
      words_with_vectors({"the", "early", "bird", "catches", "the", "worm"});
  lab.self = true;
  lab.only_query =
      find_query(lab.queries, request.query.empty() ? "bird" : request.query);
  show_lab(lab, request.view);
  if (request.view.steps) show_steps(lab, *lab.only_query, 0);
}

std::vector<double> mean_row(const Tensor& rows) {
  std::vector<double> mean(rows.cols());
  for (int64_t i = 0; i < rows.size(); ++i) {
    mean[i % rows.cols()] += rows[i] / static_cast<double>(rows.dim(0));
  }
  return mean;
}

void print_mean(const std::string& sentence, const std::vector<double>& mean) {
  std::cout << "  " << std::left << std::setw(22) << sentence;
  for (double value : mean) {
    std::cout << " " << std::right << std::fixed << std::setprecision(4)
              << std::setw(8) << value;
  }
  std::cout << "\n";
}

ComposedConfig order_config() {
  ComposedConfig config = plain("scaled_dot");
  config.position = "sinusoidal";
  return config;
}

// SPEC C1.
void order(const ExampleRequest& request) {
  check_usage(!request.view.json && request.view.svg.empty(),
              "the example 'order' prints text only");
  std::cout << "The mean of self-attention's output for two orders of the same "
               "words.\n";
  for (const std::string& position :
       {std::string("none"), request.config.position}) {
    std::cout << "position " << position << "\n";
    std::vector<std::vector<double>> means;
    for (const auto& words :
         {std::vector<std::string>{"you", "are", "happy", "today"},
          std::vector<std::string>{"are", "you", "happy", "today"}}) {
      Lab lab = lab_of(request);
      lab.config.position = position;
      if (position == "none") lab.config.options.clear();
      lab.queries = lab.keys = lab.values = words_with_vectors(words);
      lab.self = true;
      means.push_back(mean_row(run_lab(lab).output));
      print_mean(words[0] + " " + words[1] + " happy today", means.back());
    }
    double difference = 0;
    for (size_t d = 0; d < means[0].size(); ++d) {
      difference = std::max(difference, std::abs(means[0][d] - means[1][d]));
    }
    std::cout << (difference < 1e-6
                      ? "  alike: a question and a statement cannot be told "
                        "apart\n"
                      : "  different: the order can be told\n");
    if (request.config.position == "none") break;
  }
}

ComposedConfig kernel_config() { return plain("inverse_distance"); }
ComposedConfig exact_config() { return plain("exact"); }
ComposedConfig scaled_config() { return plain("scaled_dot"); }

constexpr Example kExamples[] = {
    {"boxes", "weigh a box by its neighbours: 36.0 pounds", kernel_config,
     boxes},
    {"phonebook", "look up an equal key", exact_config, phonebook},
    {"scores", "scores 112 and 96, scaled and normalised", scaled_config,
     scores},
    {"variance", "why dot products are divided by sqrt(d)", scaled_config,
     show_variance},
    {"bird", "one word's weights in a sentence", bird_config, bird},
    {"order", "what positions are for", order_config, order},
};

}  // namespace

std::span<const Example> examples() { return kExamples; }

int find_query(const NamedRows& queries, const std::string& name) {
  const auto& names = queries.names;
  const auto found = std::find(names.begin(), names.end(), name);
  if (found != names.end()) return static_cast<int>(found - names.begin());
  int number = 0;
  const char* end = name.data() + name.size();
  const auto parsed = std::from_chars(name.data(), end, number);
  check_usage(parsed.ptr == end && !name.empty() && number >= 0 &&
                  number < std::ssize(names),
              "no query is named '", name, "'", did_you_mean(name, names),
              "; give a name, or a number from 0 to ", names.size() - 1);
  return number;
}

}  // namespace fovea::cli
