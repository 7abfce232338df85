#include "fovea/train/loss_weights.h"

#include <algorithm>
#include <cmath>

#include "fovea/base/check.h"
#include "fovea/base/fields.h"
#include "fovea/base/nearest.h"

namespace fovea {
namespace {

struct Known {
  const char* name;
  double weight;
};
// Those there are, as attention names them, and what each weighs.
constexpr Known kKnown[] = {{"coverage", 1.0}, {"gate_sparsity", 0.001}};

void check_name(const std::string& name) {
  std::vector<std::string> names;
  std::string all;
  for (const Known& known : kKnown) {
    names.emplace_back(known.name);
    all += join(all.empty() ? "" : ", ", known.name);
  }
  check_usage(std::ranges::find(names, name) != names.end(), "--loss-weights ",
              name, ": no loss has this name", did_you_mean(name, names),
              "; there are ", all);
}

}  // namespace

LossWeights::LossWeights(const std::vector<std::string>& texts) {
  for (const Known& known : kKnown) weights_[known.name] = known.weight;
  for (const std::string& text : texts) {
    const size_t sign = text.find('=');
    double weight = 0;
    check_usage(sign != std::string::npos &&
                    FieldText<double>::parse(text.substr(sign + 1), weight) &&
                    weight >= 0 && std::isfinite(weight),
                "--loss-weights ", text,
                ": give name=number, of 0 or more, such as coverage=0.5");
    check_name(text.substr(0, sign));
    weights_[text.substr(0, sign)] = weight;
  }
}

double LossWeights::operator[](const std::string& loss) const {
  const auto found = weights_.find(loss);
  return found == weights_.end() ? 1.0 : found->second;
}

}  // namespace fovea
