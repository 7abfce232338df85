#pragma once

#include <map>
#include <string>
#include <vector>

namespace fovea {

// The weights of what attention adds to the loss (Pass::losses).
class LossWeights {
 public:
  // `texts` are "coverage=0.5": a name and a number of 0 or more. What is not
  // named keeps its own weight. An unknown name is a usage error that tells the
  // nearest.
  explicit LossWeights(const std::vector<std::string>& texts);

  double operator[](const std::string& loss) const;

 private:
  std::map<std::string, double> weights_;
};

}  // namespace fovea
