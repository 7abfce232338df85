#include "bench/translation_case.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <nlohmann/json.hpp>

#include "bench/flops.h"
#include "fovea/eval/registry.h"
#include "fovea/io/text_file.h"

namespace fovea::bench {
namespace {

using nlohmann::json;

// Of the longest output on both sides; none of a trained model comes near.
constexpr int kLongest = 150;
constexpr double kSameOutputs = 0.99;  // of greedy float32, or it is no peer

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

std::vector<std::string> lines_of(const std::string& path) {
  std::vector<std::string> lines;
  LineReader reader(path);
  while (const auto line = reader.next()) lines.emplace_back(*line);
  return lines;
}

SearchAllConfig search_config(const TranslationCase& c) {
  SearchAllConfig config;
  config.batch_size = c.batch;
  config.search = {.beam_size = c.beam,
                   .length_penalty = 1.0f,
                   .max_length = kLongest,
                   .want_weights = c.want_weights,
                   .heads = {0}};
  return config;
}

template <class T>
std::vector<T> first_of(const std::vector<T>& all, int count) {
  return {all.begin(), all.begin() + std::min<int64_t>(count, std::ssize(all))};
}

const char* word_for(Precision precision) {
  return precision == Precision::kInt8 ? "int8" : "float32";
}

}  // namespace

std::optional<TranslationSet> translation_set(const char* of_model) {
  TranslationSet set;
  set.folder = variable(of_model);
  set.data = variable("FOVEA_DATA") + "/translation/multi30k/raw/";
  const std::string test = set.data + "test_2016_flickr.";
  if (!std::filesystem::exists(weights_file(set.folder)) ||
      !std::filesystem::exists(test + "en")) {
    std::cerr << "bench: translation is not measured. Let FOVEA_DATA name a "
                 "folder with translation/multi30k/raw, and "
              << of_model
              << " a model for it, English to German, as "
                 "experiments/multi30k/quick makes it\n";
    return std::nullopt;
  }
  add_text(set, "test_2016_flickr");
  return set;
}

void add_text(TranslationSet& set, const std::string& name) {
  const Tokenizer words = Tokenizer::load(source_vocabulary_file(set.folder));
  for (const std::string& line : lines_of(set.data + name + ".en")) {
    set.source.push_back(words.encode(line));
  }
  for (std::string& line : lines_of(set.data + name + ".de")) {
    set.reference.push_back(std::move(line));
  }
}

Shortlist shortlist_of(const TranslationSet& set) {
  const TranslationModel model =
      load_translation_model(set.folder, Precision::kInt8);
  const auto ids = [&](const std::string& file, const Tokenizer& words) {
    Sentences all;
    for (const std::string& line : lines_of(file)) all.add(words.encode(line));
    return all;
  };
  return Shortlist::learn(ids(set.data + "train.en", model.source),
                          ids(set.data + "train.de", model.target),
                          {.source = model.source.size(),
                           .target = model.target.size(),
                           .end = model.target.end()});
}

std::string TranslationCase::name() const {
  return std::string(word_for(precision)) +
         (beam == 1 ? " greedy" : " beam " + std::to_string(beam)) +
         ", batch " + std::to_string(batch);
}

std::vector<TranslationCase> translation_cases(int batch, int sentences) {
  std::vector<TranslationCase> all;
  for (Precision precision : {Precision::kFloat32, Precision::kInt8}) {
    for (int beam : {1, 4}) {
      all.push_back({.precision = precision,
                     .beam = beam,
                     .batch = batch,
                     .sentences = sentences});
    }
  }
  return all;
}

Translation::Translation(const TranslationSet& set, const TranslationCase& c)
    : model_(load_translation_model(set.folder, c.precision)),
      source_(first_of(set.source, c.sentences)),
      config_(search_config(c)),
      shortlist_(c.shortlist) {
  sources_ = sources_of(source_);
}

// A shortlist is looked up within the time, as the peer does.
void Translation::run() {
  shortlists_.clear();
  for (size_t i = 0; shortlist_ != nullptr && i < sources_.size(); ++i) {
    shortlists_.push_back(shortlist_->words_for(source_[i]));
    sources_[i].shortlist = shortlists_.back();
  }
  const Seq2Seq* models[] = {model_.model.get()};
  found_ = search_all(models, sources_, config_);
}

std::vector<Sentence> Translation::outputs() const {
  std::vector<Sentence> all;
  for (const auto& some : found_) all.push_back(some.front().ids);
  return all;
}

std::vector<std::string> Translation::text(
    const std::vector<Sentence>& outputs) const {
  std::vector<std::string> lines;
  for (const Sentence& ids : outputs)
    lines.push_back(model_.target.decode(ids));
  return lines;
}

double Translation::flops() const {
  TokenAmounts amounts;
  for (size_t i = 0; i < found_.size(); ++i) {
    amounts.add(static_cast<double>(source_[i].size() + 1),
                found_[i].front().length(), config_.search.beam_size);
  }
  const ModelConfig& model = model_.config.model;
  return model.predict.kind == "rnnsearch" ? rnnsearch_flops(model, amounts)
                                           : transformer_flops(model, amounts);
}

double bleu_of(const TranslationSet& set,
               const std::vector<std::string>& text) {
  return corpus_score(*make_metric("bleu"), text, set.reference);
}

namespace {

// The shortlist as CTranslate2 has it: the words of each source word.
json lexicon(const Shortlist& shortlist, const TranslationSet& set) {
  const int words = Tokenizer::load(source_vocabulary_file(set.folder)).size();
  std::vector<Sentence> all;
  for (int id = 0; id < words; ++id) {
    all.push_back(shortlist.words_for({&id, 1}));
  }
  return {{"always", shortlist.words_for({})}, {"words", all}};
}

}  // namespace

Peer ctranslate2(const TranslationSet& set, const TranslationCase& c,
                 int threads) {
  json request = {{"model", set.folder},
                  {"source", first_of(set.source, c.sentences)},
                  {"compute", word_for(c.precision)},
                  {"beam", c.beam},
                  {"batch", c.batch},
                  {"longest", kLongest},
                  {"threads", threads}};
  if (c.shortlist != nullptr) request["lexicon"] = lexicon(*c.shortlist, set);
  return Peer("ctranslate2", request.dump());
}

Peer torch_decoding(const TranslationSet& set, const TranslationCase& c,
                    int threads) {
  const Tokenizer words = Tokenizer::load(source_vocabulary_file(set.folder));
  const json request = {{"case", "decoding"},
                        {"model", set.folder},
                        {"source", first_of(set.source, c.sentences)},
                        {"begin", words.begin()},
                        {"end", words.end()},
                        {"longest", kLongest},
                        {"threads", threads}};
  return Peer("torch", request.dump());
}

std::vector<Sentence> outputs_of(Peer& peer) {
  return json::parse(peer.ask(R"({"outputs": true})")).at("outputs");
}

double megabytes_of(Peer& peer) {
  return json::parse(peer.ask(R"({"memory": true})")).at("megabytes");
}

Row as_speed(Row row, double sentences) {
  row.unit = "sent/s";
  row.value = 1e3 * sentences / row.value;
  if (row.peer_value > 0) row.peer_value = 1e3 * sentences / row.peer_value;
  return row;
}

Row share_row(const Row& time, const TranslationCase& c,
              const Translation& ours) {
  const Row row =
      unmeasured(time.bench + "_share", c.name(), time.threads, "GFLOP/s");
  return share_of_peak(
      c.precision == Precision::kInt8 ? int8_peak() : sgemm_peak(), row,
      1e3 * ours.flops() / time.value);
}

bool alike(Peer& peer, const Translation& ours) {
  const std::vector<Sentence> own = ours.outputs(), other = outputs_of(peer);
  size_t same = 0;
  for (size_t i = 0; i < own.size(); ++i) same += own[i] == other[i];
  std::cerr << "bench: " << same << " of " << own.size()
            << " greedy float32 translations are those of " << peer.name()
            << "\n";
  return static_cast<double>(same) >=
         kSameOutputs * static_cast<double>(own.size());
}

Row unmeasured(const std::string& bench, const std::string& name, int threads,
               const std::string& unit) {
  return {.bench = bench,
          .name = name,
          .threads = threads,
          .value = std::nan(""),
          .unit = unit};
}

}  // namespace fovea::bench
