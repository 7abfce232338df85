#include "fovea/eval/chrf.h"

#include <algorithm>
#include <string_view>

#include "fovea/base/check.h"
#include "fovea/base/unicode_case.h"
#include "fovea/base/words.h"
#include "fovea/eval/ngram_matcher.h"
#include "fovea/eval/word_numbers.h"

namespace fovea {
namespace {

constexpr int kMostOrders = 100;

bool is_punctuation(char c) {
  return (c >= '!' && c <= '/') || (c >= ':' && c <= '@') ||
         (c >= '[' && c <= '`') || (c >= '{' && c <= '~');
}

bool is_one_character(std::string_view word) {
  return std::count_if(word.begin(), word.end(), [](char c) {
           return (static_cast<unsigned char>(c) & 0xc0) != 0x80;
         }) == 1;
}

// Words, with one sign cut off: the last one, or else the first one.
std::vector<int> words_and_signs(std::string_view text, WordNumbers& words) {
  std::vector<int> tokens;
  for (const std::string_view word : split_words(text)) {
    size_t cut = 0;
    if (!is_one_character(word)) {
      if (is_punctuation(word.back())) {
        cut = word.size() - 1;
      } else if (is_punctuation(word.front())) {
        cut = 1;
      }
    }
    if (cut > 0) tokens.push_back(words.number(word.substr(0, cut)));
    tokens.push_back(words.number(word.substr(cut)));
  }
  return tokens;
}

// A line as chrF compares it.
struct Symbols {
  std::vector<int> characters, words;
};

Symbols symbols_of(const std::string& line, const ChrfOptions& options,
                   WordNumbers& numbers) {
  const std::string text = options.lower_case ? lower_case(line) : line;
  Symbols symbols{characters_of(text), {}};
  if (options.word_order > 0) symbols.words = words_and_signs(text, numbers);
  return symbols;
}

// Counts of one reference for one kind of symbols, three for each order.
void count_kind(std::span<const int> output, std::span<const int> reference,
                NgramMatcher& matcher, std::span<double> row) {
  matcher.forget_references();
  matcher.add_reference(reference);
  const std::span<const int> matches = matcher.match(output);
  const auto ngrams = [](std::span<const int> symbols, size_t n) {
    return symbols.size() > n ? static_cast<double>(symbols.size() - n) : 0.0;
  };
  for (size_t n = 0; n < row.size() / 3; ++n) {
    const double in_reference = ngrams(reference, n);
    // An order that the reference is too short for does not count.
    row[3 * n] = in_reference > 0 ? ngrams(output, n) : 0;
    row[3 * n + 1] = in_reference;
    row[3 * n + 2] = matches[n];
  }
}

double f_score(double precision, double recall, double factor) {
  const double below = factor * precision + recall;
  return below > 0 ? (1 + factor) * precision * recall / below : 0;
}

// Mean precision and recall over the orders that both sides have.
struct Means {
  double precision = 0, recall = 0;
};

Means means_of(std::span<const double> sums) {
  Means means;
  int orders = 0;
  for (size_t k = 0; k < sums.size(); k += 3) {
    if (sums[k] == 0 || sums[k + 1] == 0) continue;
    means.precision += sums[k + 2] / sums[k];
    means.recall += sums[k + 2] / sums[k + 1];
    ++orders;
  }
  if (orders > 0) {
    means.precision /= orders;
    means.recall /= orders;
  }
  return means;
}

double mean_f_score(std::span<const double> sums, double factor) {
  constexpr double kEps = 1e-16;
  double total = 0;
  for (size_t k = 0; k < sums.size(); k += 3) {
    const double p = sums[k] > 0 ? sums[k + 2] / sums[k] : kEps;
    const double r = sums[k + 1] > 0 ? sums[k + 2] / sums[k + 1] : kEps;
    total += p + r > 0 ? f_score(p, r, factor) : kEps;
  }
  return total / static_cast<double>(sums.size() / 3);
}

}  // namespace

Chrf::Chrf(const ChrfOptions& options) : options_(options) {
  check_usage(options.char_order >= 1 && options.char_order <= kMostOrders,
              "chrF: character order ", options.char_order,
              " is not from 1 to ", kMostOrders);
  check_usage(options.word_order >= 0 && options.word_order <= kMostOrders,
              "chrF: word order ", options.word_order, " is not from 0 to ",
              kMostOrders);
  check_usage(options.beta >= 1 && options.beta <= kMostOrders, "chrF: beta ",
              options.beta, " is not from 1 to ", kMostOrders);
}

void Chrf::count_part(const Part& part, MetricCounts& counts) const {
  WordNumbers numbers;
  NgramMatcher characters(options_.char_order), words(options_.word_order);
  const size_t split = 3 * options_.char_order;
  std::vector<double> candidate(width());
  for (int64_t i = part.begin; i < part.end; ++i) {
    const Symbols output = symbols_of(part.output.lines[i], options_, numbers);
    double best = -1;
    for (const MetricText& text : part.references) {
      const Symbols reference = symbols_of(text.lines[i], options_, numbers);
      const std::span<double> row(candidate);
      count_kind(output.characters, reference.characters, characters,
                 row.first(split));
      count_kind(output.words, reference.words, words, row.subspan(split));
      const double now = score(candidate);
      if (now <= best) continue;
      best = now;
      std::copy(row.begin(), row.end(), counts.row(i).begin());
    }
  }
}

double Chrf::score(std::span<const double> sums) const {
  const double factor = options_.beta * options_.beta;
  if (options_.eps_smoothing) return 100 * mean_f_score(sums, factor);
  const Means means = means_of(sums);
  return 100 * f_score(means.precision, means.recall, factor);
}

std::string Chrf::name() const {
  return join("chrF", options_.beta, std::string(options_.word_order, '+'));
}

std::string Chrf::signature(int references) const {
  return join("nrefs:", references,
              "|case:", options_.lower_case ? "lc" : "mixed",
              "|eff:", options_.eps_smoothing ? "no" : "yes",
              "|nc:", options_.char_order, "|nw:", options_.word_order,
              "|space:no", signature_version());
}

std::vector<Figure> Chrf::figures(std::span<const double> sums) const {
  const Means means = means_of(sums);
  return {{"precision", {100 * means.precision}, 1},
          {"recall", {100 * means.recall}, 1}};
}

}  // namespace fovea
