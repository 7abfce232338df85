#include "fovea/eval/classification.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "fovea/base/check.h"
#include "fovea/base/words.h"

namespace fovea {
namespace {

constexpr std::string_view kFastTextMark = "__label__";

double percent(double part, double whole) {
  return whole > 0 ? 100 * part / whole : 0;
}

// Of a label that was right, predicted and true so often.
double f1_of(double right, double predicted, double truth) {
  return percent(2 * right, predicted + truth);
}

std::vector<std::string> sorted_labels(std::span<const std::string> lines,
                                       std::span<const std::string> more = {}) {
  std::vector<std::string> labels;
  for (const std::string& line : lines) labels.emplace_back(label_of(line));
  for (const std::string& line : more) labels.emplace_back(label_of(line));
  std::sort(labels.begin(), labels.end());
  labels.erase(std::unique(labels.begin(), labels.end()), labels.end());
  return labels;
}

// Where the line's label is; the number of labels if it is none of them.
size_t index_of(const std::vector<std::string>& labels,
                const std::string& line) {
  const std::string_view label = label_of(line);
  const auto found = std::lower_bound(labels.begin(), labels.end(), label);
  return found != labels.end() && *found == label ? found - labels.begin()
                                                  : labels.size();
}

}  // namespace

std::string_view label_of(std::string_view line) {
  line = line.substr(0, line.find('\t'));
  const auto words = split_words(line);
  if (words.empty()) return {};
  if (words[0].starts_with(kFastTextMark)) {
    return words[0].substr(kFastTextMark.size());
  }
  return line.substr(
      words.front().data() - line.data(),
      words.back().data() + words.back().size() - words.front().data());
}

Confusion::Confusion(std::span<const std::string> predicted,
                     std::span<const std::string> truth)
    : labels_(sorted_labels(predicted, truth)),
      counts_(labels_.size() * labels_.size()) {
  check(predicted.size() == truth.size(), predicted.size(),
        " predicted labels for ", truth.size());
  for (size_t i = 0; i < truth.size(); ++i) {
    ++counts_[index_of(labels_, truth[i]) * labels_.size() +
              index_of(labels_, predicted[i])];
  }
}

Confusion::Scores Confusion::scores(size_t label) const {
  int64_t predicted = 0, truth = 0;
  for (size_t other = 0; other < labels_.size(); ++other) {
    predicted += count(other, label);
    truth += count(label, other);
  }
  const auto right = static_cast<double>(count(label, label));
  const auto p = static_cast<double>(predicted), t = static_cast<double>(truth);
  return {percent(right, p), percent(right, t), f1_of(right, p, t), truth};
}

int64_t Confusion::total() const {
  return std::accumulate(counts_.begin(), counts_.end(), int64_t{0});
}

int64_t Confusion::right() const {
  int64_t right = 0;
  for (size_t label = 0; label < labels_.size(); ++label) {
    right += count(label, label);
  }
  return right;
}

double Confusion::accuracy() const {
  return percent(static_cast<double>(right()), static_cast<double>(total()));
}

double Confusion::macro_f1() const {
  double sum = 0;
  int true_somewhere = 0;
  for (size_t i = 0; i < labels_.size(); ++i) {
    const Scores s = scores(i);
    if (s.support == 0) continue;
    sum += s.f1;
    ++true_somewhere;
  }
  return true_somewhere > 0 ? sum / true_somewhere : 0;
}

// Each wrong decision is a false positive once and a false negative once.
double Confusion::micro_f1() const { return accuracy(); }

MetricCounts LabelF1::count(const MetricText& output,
                            std::span<const MetricText> references) const {
  check_texts(output, references);
  check_usage(references.size() == 1, "F1 takes one reference, not ",
              references.size());
  const auto truth = references[0].lines;
  const std::vector<std::string> labels = sorted_labels(truth);
  MetricCounts counts(static_cast<int64_t>(truth.size()),
                      3 * static_cast<int>(labels.size()));
  for (int64_t i = 0; i < counts.sentences(); ++i) {
    const size_t predicted = index_of(labels, output.lines[i]);
    const size_t expected = index_of(labels, truth[i]);
    const std::span<double> row = counts.row(i);
    row[3 * expected + 2] = 1;
    if (predicted == labels.size()) continue;  // no label of the reference
    row[3 * predicted] = predicted == expected;
    row[3 * predicted + 1] = 1;
  }
  return counts;
}

double LabelF1::score(std::span<const double> sums) const {
  double sum = 0;
  int labels = 0;
  for (size_t k = 0; k < sums.size(); k += 3) {
    if (sums[k + 2] == 0) continue;  // not in this sample
    sum += f1_of(sums[k], sums[k + 1], sums[k + 2]);
    ++labels;
  }
  return labels > 0 ? sum / labels : 0;
}

std::vector<Figure> LabelF1::figures(std::span<const double> sums) const {
  double right = 0, lines = 0;
  for (size_t k = 0; k < sums.size(); k += 3) {
    right += sums[k];
    lines += sums[k + 2];
  }
  return {{"micro", {percent(right, lines)}, 2},
          {"right", {right}},
          {"lines", {lines}},
          {"labels", {static_cast<double>(sums.size() / 3)}}};
}

std::string LabelF1::signature(int references) const {
  return join("nrefs:", references, "|average:macro", signature_version());
}

double roc_auc(std::span<const double> scores,
               const std::vector<bool>& positive) {
  check(scores.size() == positive.size(), scores.size(), " scores for ",
        positive.size(), " classes");
  std::vector<size_t> order(scores.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::sort(order.begin(), order.end(),
            [&](size_t a, size_t b) { return scores[a] < scores[b]; });
  double below = 0, wins = 0, positives = 0;  // below: negatives so far
  for (size_t i = 0; i < order.size();) {
    double tied[2] = {};
    const double value = scores[order[i]];
    for (; i < order.size() && scores[order[i]] == value; ++i) {
      ++tied[positive[order[i]] ? 1 : 0];
    }
    wins += tied[1] * (below + 0.5 * tied[0]);
    below += tied[0];
    positives += tied[1];
  }
  return wins / (below * positives);
}

}  // namespace fovea
