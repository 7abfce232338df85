#include "fovea/data/synthetic.h"

#include <algorithm>
#include <numeric>
#include <vector>

#include "fovea/base/check.h"
#include "fovea/data/hash.h"
#include "fovea/data/synthetic_tasks.h"

namespace fovea {
namespace {

constexpr uint64_t kTestShare = 10;  // one in so many
constexpr int kMostTries = 10000;

std::string text_of(const std::vector<char>& letters) {
  std::string text;
  for (const char letter : letters) {
    if (!text.empty()) text += ' ';
    text += letter;
  }
  return text;
}

std::vector<char> random_letters(Draws& draws, const SyntheticConfig& config) {
  const int more = config.max_length - config.min_length + 1;
  std::vector<char> letters(config.min_length + draws.below(more));
  for (char& letter : letters) {
    letter = static_cast<char>('a' + draws.below(config.symbols));
  }
  return letters;
}

// Target word j is source word order[j].
SyntheticPair reordered(const std::vector<char>& source,
                        const std::vector<int>& order) {
  SyntheticPair pair{.source = text_of(source), .target = {}};
  std::vector<char> target;
  for (size_t j = 0; j < order.size(); ++j) {
    target.push_back(source[order[j]]);
    pair.links.emplace_back(order[j], static_cast<int>(j));
  }
  pair.target = text_of(target);
  std::sort(pair.links.begin(), pair.links.end());
  return pair;
}

SyntheticPair make_symbols(SyntheticTask task, const SyntheticConfig& config,
                           Draws draws) {
  const std::vector<char> letters = random_letters(draws, config);
  std::vector<int> order(letters.size());
  std::iota(order.begin(), order.end(), 0);
  if (task == SyntheticTask::kReverse) std::reverse(order.begin(), order.end());
  if (task == SyntheticTask::kSort) {
    std::stable_sort(order.begin(), order.end(),
                     [&](int a, int b) { return letters[a] < letters[b]; });
  }
  return reordered(letters, order);
}

SyntheticPair make_recall(const SyntheticConfig& config, Draws draws) {
  std::vector<char> symbols;
  symbols.push_back(static_cast<char>('a' + draws.below(config.symbols)));
  for (int i = 0; i < config.delay; ++i) {
    symbols.push_back(static_cast<char>('0' + draws.below(10)));
  }
  return reordered(symbols, {0});
}

// Letters tell nothing; one word among them tells all.
SyntheticPair make_evidence(const SyntheticConfig& config, Draws draws) {
  constexpr const char* kWords[2][3] = {{"falls", "sinks", "drops"},
                                        {"rises", "climbs", "soars"}};
  const std::vector<char> letters = random_letters(draws, config);
  const auto place =
      static_cast<size_t>(draws.below(static_cast<int>(letters.size())));
  const int label = draws.below(2);
  SyntheticPair pair{.source = {}, .target = label ? "up" : "down"};
  for (size_t i = 0; i < letters.size(); ++i) {
    if (i > 0) pair.source += ' ';
    if (i == place) {
      pair.source += kWords[label][draws.below(3)];
    } else {
      pair.source += letters[i];
    }
  }
  pair.links.emplace_back(static_cast<int>(place), 0);
  return pair;
}

SyntheticPair make_one(SyntheticTask task, const SyntheticConfig& config,
                       Draws draws) {
  switch (task) {
    case SyntheticTask::kDates:
      return make_date(draws);
    case SyntheticTask::kReorder:
      return make_reordered(draws);
    case SyntheticTask::kRecall:
      return make_recall(config, draws);
    case SyntheticTask::kEvidence:
      return make_evidence(config, draws);
    case SyntheticTask::kRoles:
      return make_roles(draws);
    default:
      return make_symbols(task, config, draws);
  }
}

bool belongs(const SyntheticPair& pair, SyntheticPart part) {
  const bool test = text_hash(pair.source) % kTestShare == 0;
  return part == SyntheticPart::kAll || test == (part == SyntheticPart::kTest);
}

}  // namespace

bool is_labelled(SyntheticTask task) {
  return task == SyntheticTask::kEvidence;
}

void check_synthetic(const SyntheticConfig& c) {
  check_usage(c.min_length >= 1 && c.min_length <= c.max_length &&
                  c.max_length <= 10000,
              "lengths from ", c.min_length, " to ", c.max_length,
              " cannot be: give at least 1 and at most 10000");
  check_usage(c.symbols >= 1 && c.symbols <= 26, "symbols ", c.symbols,
              ": give a number from 1 to 26");
  check_usage(c.delay >= 0 && c.delay <= 10000, "delay ", c.delay,
              ": give a number from 0 to 10000");
}

SyntheticPair make_synthetic(SyntheticTask task, const SyntheticConfig& config,
                             int64_t index) {
  check_synthetic(config);
  const RandomKey key = RandomKey(static_cast<uint64_t>(config.seed))
                            .with(FieldText<SyntheticTask>::print(task))
                            .with(static_cast<uint64_t>(index));
  for (int attempt = 0; attempt < kMostTries; ++attempt) {
    SyntheticPair pair =
        make_one(task, config, Draws(key.with(static_cast<uint64_t>(attempt))));
    if (belongs(pair, config.part)) return pair;
  }
  fail(ErrorKind::kUsage, "there are too few different sources for the part '",
       FieldText<SyntheticPart>::print(config.part),
       "': give more symbols or lengths");
}

}  // namespace fovea
