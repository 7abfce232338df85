#include "fovea/data/corpus.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "fovea/base/check.h"
#include "fovea/base/parallel.h"
#include "fovea/data/batch_order.h"

namespace fovea {
namespace {

constexpr int64_t kMegabyte = int64_t{1} << 20;
constexpr int kSampleVisits = 16;

void check_config(const CorpusConfig& c, size_t files) {
  check_usage(c.weights.empty() || c.weights.size() == files,
              "corpus-weights: ", c.weights.size(), " weights for ", files,
              " corpora");
  check_usage(c.alignments.empty() || c.alignments.size() == files,
              "guided alignment: ", c.alignments.size(), " files for ", files,
              " corpora");
  check_usage(c.batch_tokens >= 2, "batch-tokens ", c.batch_tokens,
              ": give at least 2");
  check_usage(c.max_length >= 1, "max_length ", c.max_length,
              ": give at least 1");
  check_usage(c.shuffle_memory >= 1, "shuffle_memory ", c.shuffle_memory,
              ": give at least 1");
}

// A sentence that no batch could hold is too long, whatever else is allowed.
int longest(const CorpusConfig& config) {
  return std::min(config.max_length, config.batch_tokens - 1);
}

CorpusFiles open_files(const CorpusConfig& config,
                       const std::vector<std::vector<std::string>>& paths) {
  check_config(config, paths.size());
  std::vector<CorpusPart> parts(paths.size());
  for (size_t p = 0; p < paths.size(); ++p) {
    for (const std::string& path : paths[p]) parts[p].files.emplace_back(path);
    if (!config.alignments.empty()) {
      parts[p].files.emplace_back(config.alignments[p]);
    }
    if (!config.weights.empty()) parts[p].weight = config.weights[p];
    if (p < config.skip.size()) parts[p].skip = config.skip[p];
  }
  return CorpusFiles(std::move(parts));
}

// What an epoch has of lines that it sees so often.
void add(CorpusSize& size, const CorpusSize& more, float weight) {
  const auto often = [&](int64_t number) {
    return std::llround(static_cast<double>(number) * weight);
  };
  size.examples += often(more.examples);
  size.source_tokens += often(more.source_tokens);
  size.target_tokens += often(more.target_tokens);
  size.skipped += more.skipped;
  size.empty += more.empty;
  size.too_long += more.too_long;
  size.bad += more.bad;
  size.cut += more.cut;
  size.more_labels += more.more_labels;
}

void count(CorpusSize& size, const MadeExample& made, bool target) {
  size.empty += made.fate == Fate::kEmpty;
  size.too_long += made.fate == Fate::kTooLong;
  size.bad += made.fate == Fate::kBad;
  if (made.fate != Fate::kKept) return;
  ++size.examples;
  size.cut += made.cut;
  size.more_labels += made.more_labels;
  size.source_tokens += static_cast<int64_t>(made.example.source.size()) + 1;
  if (target) {
    size.target_tokens += static_cast<int64_t>(made.example.target.size()) + 1;
  }
}

// The source length that 99 of 100 examples do not exceed, end marks apart.
int long_source(const ExampleStore& store) {
  if (store.size() == 0) return 0;
  std::vector<int> lengths;
  for (int64_t i = 0; i < store.size(); ++i) {
    lengths.push_back(store.length(i).source - 1);
  }
  const auto at = lengths.begin() + (99 * std::ssize(lengths) + 99) / 100 - 1;
  std::nth_element(lengths.begin(), at, lengths.end());
  return *at;
}

}  // namespace

Corpus Corpus::of_pairs(const CorpusConfig& config, const Tokenizer& source,
                        const Tokenizer& target) {
  check_usage(config.src.size() == config.tgt.size(), config.src.size(),
              " source files but ", config.tgt.size(), " target files");
  std::vector<std::vector<std::string>> paths;
  for (size_t i = 0; i < config.src.size(); ++i) {
    paths.push_back({config.src[i], config.tgt[i]});
  }
  return Corpus(config, open_files(config, paths),
                pair_maker(source, target, longest(config)),
                {source.end(), target.end()});
}

Corpus Corpus::of_labels(const CorpusConfig& config, const Tokenizer& text,
                         const std::vector<std::string>& labels) {
  std::vector<std::vector<std::string>> paths;
  for (const std::string& path : config.labelled) paths.push_back({path});
  return Corpus(config, open_files(config, paths),
                label_maker(text, labels, longest(config)), {text.end(), -1});
}

Corpus::Corpus(const CorpusConfig& config, CorpusFiles files, ExampleMaker make,
               EndMarks ends)
    : config_(config),
      files_(std::move(files)),
      make_(std::move(make)),
      ends_(ends),
      kept_(files_.memory() <= memory()) {
  if (kept_) {
    store_ = read(files_.once(), 0, size_);
    size_.long_source = long_source(store_);
  } else {
    size_ = estimate();
  }
  size_.lines = files_.lines();
}

int64_t Corpus::memory() const { return config_.shuffle_memory * kMegabyte; }

RandomKey Corpus::key() const {
  return RandomKey(static_cast<uint64_t>(config_.seed)).with("corpus");
}

ExampleStore Corpus::read_visit(const Visit& visit, int64_t epoch,
                                CorpusSize& size) const {
  const CorpusPart& part = files_.parts()[visit.part];
  std::vector<LineBlock> blocks;
  for (const LineFile& file : part.files) {
    blocks.push_back(file.read(visit.first, CorpusFiles::kVisitLines));
  }
  ExampleStore store;
  std::vector<std::string_view> texts(blocks.size());
  for (int64_t i = 0; i < blocks[0].size(); ++i) {
    const int64_t in_part = visit.first + i, line = part.first_line + in_part;
    if (in_part < static_cast<int64_t>(part.skip.size()) &&
        part.skip[in_part]) {
      ++size.skipped;
      continue;
    }
    if (!visit.whole && !CorpusFiles::has_turn(part.weight, line, epoch)) {
      continue;
    }
    for (size_t f = 0; f < blocks.size(); ++f) texts[f] = blocks[f][i];
    MadeExample made = make_(texts);
    made.example.line = line;
    count(size, made, ends_.target >= 0);
    if (made.fate == Fate::kKept) store.add(made.example);
  }
  return store;
}

ExampleStore Corpus::read(const std::vector<Visit>& visits, int64_t epoch,
                          CorpusSize& size) const {
  std::vector<ExampleStore> stores(visits.size());
  std::vector<CorpusSize> sizes(visits.size());
  parallel_tasks(static_cast<int64_t>(visits.size()), [&](int64_t v, int) {
    stores[v] = read_visit(visits[v], epoch, sizes[v]);
  });
  ExampleStore all;
  for (size_t v = 0; v < visits.size(); ++v) {
    all.append(stores[v]);
    stores[v] = {};
    add(size, sizes[v], files_.parts()[visits[v].part].weight);
  }
  return all;
}

CorpusSize Corpus::estimate() const {
  const std::vector<Visit> all = files_.once();
  std::vector<Visit> some;
  for (size_t i = 0; i < kSampleVisits; ++i) {
    some.push_back(all[i * all.size() / kSampleVisits]);
  }
  CorpusSize size;
  size.long_source = long_source(read(some, 0, size));
  const double scale = static_cast<double>(all.size()) / kSampleVisits;
  for (int64_t* number :
       {&size.examples, &size.source_tokens, &size.target_tokens, &size.skipped,
        &size.empty, &size.too_long, &size.bad, &size.cut, &size.more_labels}) {
    *number = static_cast<int64_t>(static_cast<double>(*number) * scale);
  }
  size.estimated = true;
  return size;
}

std::vector<int64_t> Corpus::rows_of(int64_t epoch) const {
  std::vector<int64_t> rows;
  size_t p = 0;
  for (int64_t row = 0; row < store_.size(); ++row) {
    const int64_t line = store_.line(row);
    while (line >= files_.parts()[p].first_line + files_.parts()[p].lines()) {
      ++p;
    }
    const float weight = files_.parts()[p].weight;
    rows.insert(rows.end(),
                static_cast<size_t>(weight) +
                    CorpusFiles::has_turn(weight, line, epoch),
                row);
  }
  return rows;
}

std::vector<Batch> Corpus::in_order() const {
  CorpusSize size;
  const ExampleStore read_now =
      kept_ ? ExampleStore() : read(files_.once(), 0, size);
  const ExampleStore& store = kept_ ? store_ : read_now;
  std::vector<int64_t> rows(store.size());
  std::iota(rows.begin(), rows.end(), 0);
  const std::vector<int> begins = cut_rows(store, rows, config_.batch_tokens);
  std::vector<Batch> batches;
  for (size_t b = 0; b + 1 < begins.size(); ++b) {
    std::vector<Example> examples;
    for (int i = begins[b]; i < begins[b + 1]; ++i) {
      examples.push_back(store[i]);
    }
    batches.push_back(make_batch(std::move(examples), ends_));
  }
  return batches;
}

}  // namespace fovea
