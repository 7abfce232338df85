#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace fovea {

// Lines that a metric compares. It owns none of them.
struct MetricText {
  std::span<const std::string> lines;
  std::string source = "text";  // for messages: the name of a file
};

// What a metric counted in each sentence. The score of a corpus is a function
// of the sums, so that a resampled corpus costs no second counting.
class MetricCounts {
 public:
  MetricCounts(int64_t sentences, int width)
      : sentences_(sentences), width_(width), values_(sentences * width) {}

  int64_t sentences() const { return sentences_; }
  int width() const { return width_; }
  std::span<double> row(int64_t i) {
    return std::span(values_).subspan(i * width_, width_);
  }
  std::span<const double> row(int64_t i) const {
    return std::span(values_).subspan(i * width_, width_);
  }
  std::vector<double> sums() const;

 private:
  int64_t sentences_;
  int width_;
  std::vector<double> values_;  // [sentences, width]
};

// A number, or several alike, that a score is made of.
struct Figure {
  std::string name;
  std::vector<double> values;
  int digits = 0;  // after the point, for people
};
std::string list_text(const Figure& figure);    // "62.5/33.3"
std::string figure_text(const Figure& figure);  // "BP = 0.965"

// One measure of quality. Immutable, so threads may share one. Scores are
// percent, except perplexities.
class Metric {
 public:
  virtual ~Metric() = default;

  virtual std::string name() const = 0;  // "BLEU"
  // All that changes the score: "nrefs:1|case:mixed|...|version:fovea.0.1.0".
  virtual std::string signature(int references) const = 0;
  virtual bool higher_is_better() const { return true; }
  virtual bool takes_references() const { return true; }

  // Texts of different numbers of lines are a data error.
  virtual MetricCounts count(const MetricText& output,
                             std::span<const MetricText> references) const = 0;

  virtual double score(std::span<const double> sums) const = 0;
  virtual double sentence_score(std::span<const double> row) const {
    return score(row);
  }
  virtual std::vector<Figure> figures(std::span<const double> sums) const = 0;
  // The figures in one line, for people.
  virtual std::string details(std::span<const double> sums) const;

 protected:
  void check_texts(const MetricText& output,
                   std::span<const MetricText> references) const;
};

// A metric that looks at each sentence alone. Counts on all threads.
class SentenceMetric : public Metric {
 public:
  MetricCounts count(const MetricText& output,
                     std::span<const MetricText> references) const override;

 protected:
  struct Part {
    const MetricText& output;
    std::span<const MetricText> references;
    int64_t begin, end;
  };
  virtual int width() const = 0;
  // Fills the rows of the part's sentences.
  virtual void count_part(const Part& part, MetricCounts& counts) const = 0;
};

// The score of lines against one reference each.
double corpus_score(const Metric& metric, std::span<const std::string> output,
                    std::span<const std::string> reference);

// "0.97", with so many digits after the point.
std::string fixed_digits(double value, int digits);

// The end of every signature.
std::string signature_version();

}  // namespace fovea
