#pragma once

#include <memory>
#include <string>
#include <vector>

#include "fovea/attend/attention.h"
#include "fovea/attend/normaliser.h"
#include "fovea/base/fields.h"
#include "fovea/layers/linear.h"

namespace fovea {

enum class PoolingScore { kAdditive, kScaledDot };
constexpr EnumName<PoolingScore> kPoolingScores[] = {
    {PoolingScore::kAdditive, "additive"},
    {PoolingScore::kScaledDot, "scaled_dot"}};
constexpr auto& enum_names(PoolingScore) { return kPoolingScores; }

struct PoolingConfig {
  PoolingScore score = PoolingScore::kAdditive;
  int hidden = 0;  // 0: half of the rows' width
  std::string normaliser = "softmax";
  std::vector<std::string> options = {};

  void fields(auto&& field) {
    field("score", score, "how a row is judged");
    field("hidden", hidden, "width of the additive score; 0: half a row's");
    field("normaliser", normaliser, "how scores become weights");
    field("options", options, "options of the normaliser, as name=value");
  }
};

struct Pooled {
  Var rows;         // [B,D]; zeros for an empty sequence
  Weights weights;  // differentiable, one row for each sequence
};

// The rows h of each sequence as one (SPEC B17): the mean of them by the
// weights softmax(v.tanh(W h + b)), or softmax(w.h / sqrt d). The query, v or
// w, is learned.
class Pooling {
 public:
  Pooling(const PoolingConfig& config, int width, RandomKey key);

  Pooled operator()(const Var& rows, const Segments& of,
                    const Pass& pass) const;
  void params(Params& p);

 private:
  Var scores(const Var& rows) const;  // [N,1]

  PoolingScore score_;
  Linear hidden_, query_;
  std::unique_ptr<Normaliser> normaliser_;
};

}  // namespace fovea
