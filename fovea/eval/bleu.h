#pragma once

#include <array>
#include <optional>

#include "fovea/base/fields.h"
#include "fovea/eval/metric.h"

namespace fovea {

enum class BleuTokenizer {
  k13a,         // for raw text
  kNone,        // the text has tokens between white space
  kAsciiSpace,  // the same, but only ASCII space separates: multi-bleu.perl
};
constexpr EnumName<BleuTokenizer> kBleuTokenizers[] = {
    {BleuTokenizer::k13a, "13a"},
    {BleuTokenizer::kNone, "none"},
    {BleuTokenizer::kAsciiSpace, "ascii-space"}};
constexpr auto& enum_names(BleuTokenizer) { return kBleuTokenizers; }

// What an order without a match gets (Chen and Cherry 2014).
enum class BleuSmoothing { kExp, kFloor, kAddK, kNone };
constexpr EnumName<BleuSmoothing> kBleuSmoothings[] = {
    {BleuSmoothing::kExp, "exp"},
    {BleuSmoothing::kFloor, "floor"},
    {BleuSmoothing::kAddK, "add-k"},
    {BleuSmoothing::kNone, "none"}};
constexpr auto& enum_names(BleuSmoothing) { return kBleuSmoothings; }

struct BleuOptions {
  std::string name = "BLEU";
  BleuTokenizer tokenizer = BleuTokenizer::k13a;
  BleuSmoothing smoothing = BleuSmoothing::kExp;
  std::optional<double> smooth_value = {};  // none: floor 0.1, add-k 1
  bool effective_order = false;  // leaves out orders that the text is too short
                                 // for
  bool lower_case = false;
  // Splits words at hyphens, "ein ##AT##-##AT## mal", which raises the score.
  // Only to compare with numbers that were computed so, such as the 28.4 of
  // Vaswani et al. 2017.
  bool split_compounds = false;
};

// What Moses' multi-bleu.perl computes from tokenized text: no smoothing. Only
// comparable between texts that one tokenizer made.
BleuOptions multi_bleu_options();

// BLEU (Papineni et al. 2002) as sacreBLEU computes it, with any number of
// references. A sentence's score always has the effective order.
class Bleu : public SentenceMetric {
 public:
  static constexpr int kOrders = 4;
  // Where things are in a row of counts.
  static constexpr int kLength = 0, kReferenceLength = 1, kMatches = 2,
                       kTotals = kMatches + kOrders, kWidth = kTotals + kOrders;

  struct Result {
    double score = 0;
    double brevity_penalty = 1;
    std::array<double, kOrders> precisions = {};  // percent
  };

  explicit Bleu(const BleuOptions& options = {});

  Result result(std::span<const double> sums) const;

  std::string name() const override { return options_.name; }
  std::string signature(int references) const override;
  double score(std::span<const double> sums) const override;
  double sentence_score(std::span<const double> row) const override;
  std::vector<Figure> figures(std::span<const double> sums) const override;
  std::string details(std::span<const double> sums) const override;

 protected:
  int width() const override { return kWidth; }
  void count_part(const Part& part, MetricCounts& counts) const override;

 private:
  BleuOptions options_;
};

}  // namespace fovea
