// fovea attend: a small laboratory for attention mechanisms.
#include <iomanip>
#include <iostream>
#include <memory>
#include <sstream>

#include "cli/attend_examples.h"
#include "cli/attend_lab.h"
#include "cli/command.h"
#include "cli/flags.h"
#include "fovea/attend/kinds.h"
#include "fovea/attend/registry.h"
#include "fovea/base/check.h"
#include "fovea/base/nearest.h"
#include "fovea/io/number_table.h"

namespace fovea::cli {
namespace {

struct AttendFlags {
  bool list = false, steps = false, json = false, no_numbers = false;
  std::string example, queries, keys, values, words, embedding, query, svg;
  int head = 0;
  int64_t seed = 1;
};

void declare_input(CLI::App& app, AttendFlags& f) {
  app.add_flag("--list", f.list, "list all mechanisms and examples");
  app.add_option("--example", f.example, "run a built-in example; see --list")
      ->type_name("NAME");
  app.add_option("--queries", f.queries,
                 "CSV file, a row for each query; a first\ncell that is no "
                 "number is its label")
      ->type_name("FILE");
  app.add_option("--keys", f.keys, "the same for keys (default: the queries)")
      ->type_name("FILE");
  app.add_option("--values", f.values,
                 "the same for values (default: the keys)")
      ->type_name("FILE");
  app.add_option("--words", f.words, "a sentence; needs --embedding")
      ->type_name("TEXT");
  app.add_option("--embedding", f.embedding,
                 "vectors of words: lines 'word 0.1 -0.2 ...'")
      ->type_name("FILE");
}

void declare_output(CLI::App& app, AttendFlags& f) {
  app.add_option("--query", f.query, "show this query alone, by name or number")
      ->type_name("NAME");
  app.add_flag("--steps", f.steps,
               "show the six steps of scaled_dot for a query");
  app.add_option("--head", f.head, "head of --steps")->type_name("N");
  app.add_flag("--no-numbers", f.no_numbers, "colours only");
  app.add_flag("--json", f.json, "print one JSON object");
  app.add_option("--svg", f.svg, "also write the weights as a picture")
      ->type_name("FILE");
  app.add_option("--seed", f.seed, "of random projections and draws")
      ->type_name("N");
}

template <class Entries>
void list(const char* title, const Entries& entries) {
  std::cout << title << "\n";
  for (const auto& entry : entries) {
    std::cout << "  " << std::left << std::setw(24) << entry.name << entry.help
              << "\n";
  }
}

void list_all() {
  list("scores (--score)", score_registry());
  list("extents (--extent)", extent_registry());
  list("normalisers (--normaliser)", normaliser_registry());
  list("selects (--select)", select_registry());
  list("positions (--position)", position_registry());
  list("other kinds, from C++ only", kind_registry());
  std::cout << "examples (--example)\n";
  for (const Example& example : examples()) {
    std::cout << "  " << std::left << std::setw(24) << example.name
              << example.summary << "\n";
  }
}

const Example& find_example(const std::string& name) {
  std::vector<std::string> names;
  for (const Example& example : examples()) {
    if (name == example.name) return example;
    names.push_back(example.name);
  }
  fail(ErrorKind::kUsage, "no example is named '", name, "'",
       did_you_mean(name, names), "; see 'fovea attend --list'");
}

NamedRows named_rows(const NumberTable& table, const char* prefix) {
  NamedRows named{table.labels,
                  Tensor::from({table.rows, table.columns}, table.values)};
  if (!named.names.empty()) return named;
  for (int64_t i = 0; i < table.rows; ++i) {
    named.names.push_back(join(prefix, i));
  }
  return named;
}

std::vector<std::string> words_of(const std::string& text) {
  std::istringstream in(text);
  std::vector<std::string> words;
  for (std::string word; in >> word;) words.push_back(word);
  check_usage(!words.empty(), "--words is empty: give a sentence");
  return words;
}

Lab lab_of(const AttendFlags& f, const ComposedConfig& config) {
  check_usage(!f.queries.empty() || !f.words.empty(),
              "nothing to attend to: give --example, --queries or --words; "
              "'fovea attend --list' names the examples");
  check_usage(f.queries.empty() || f.words.empty(),
              "--queries and --words exclude each other");
  check_usage(f.words.empty() == f.embedding.empty(),
              "--words and --embedding go together");
  Lab lab;
  lab.config = config;
  lab.seed = f.seed;
  if (!f.words.empty()) {
    check_usage(f.keys.empty() && f.values.empty(),
                "--words attend to themselves: leave out --keys and --values");
    lab.queries =
        named_rows(load_word_vectors(f.embedding, words_of(f.words)), "");
  } else {
    lab.queries = named_rows(load_number_table(f.queries), "q");
  }
  lab.self = f.keys.empty();
  lab.keys =
      lab.self ? lab.queries : named_rows(load_number_table(f.keys), "k");
  lab.values = f.values.empty() ? lab.keys
                                : named_rows(load_number_table(f.values), "v");
  check_data(lab.values.rows.dim(0) == lab.keys.rows.dim(0), f.values, ": ",
             lab.values.rows.dim(0), " values for ", lab.keys.rows.dim(0),
             " keys");
  if (!f.query.empty()) lab.only_query = find_query(lab.queries, f.query);
  return lab;
}

LabView view_of(const AttendFlags& f) {
  check_usage(!f.steps || !f.json, "--steps and --json exclude each other");
  return {
      .numbers = !f.no_numbers, .steps = f.steps, .svg = f.svg, .json = f.json};
}

void run_own(const AttendFlags& f, const ComposedConfig& config) {
  const Lab lab = lab_of(f, config);
  const LabView view = view_of(f);
  show_lab(lab, view);
  if (!f.steps) return;
  check_usage(f.head >= 0 && f.head < config.heads, "--head ", f.head,
              ": give a number from 0 to ", config.heads - 1);
  show_steps(lab, lab.only_query.value_or(0), f.head);
}

}  // namespace

Run attend(CLI::App& app) {
  auto f = std::make_shared<AttendFlags>();
  auto config = std::make_shared<ComposedConfig>();
  config->project = config->value_proj = config->out_proj = false;
  declare_input(app, *f);
  declare_output(app, *f);
  auto flags = std::make_shared<ConfigFlags>(app, fields_of(*config));
  return [=] {
    if (f->list) return list_all();
    if (f->example.empty()) {
      flags->resolve();
      return run_own(*f, *config);
    }
    const Example& example = find_example(f->example);
    check_usage(f->queries.empty() && f->words.empty() && f->keys.empty() &&
                    f->values.empty(),
                "--example brings its own data: leave out the files");
    *config = example.config();
    flags->resolve();
    example.run({.config = *config,
                 .query = f->query,
                 .seed = f->seed,
                 .view = view_of(*f)});
  };
}

}  // namespace fovea::cli
