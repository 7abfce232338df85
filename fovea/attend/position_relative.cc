#include "fovea/attend/position_relative.h"

#include <algorithm>

#include "fovea/attend/score_dot.h"
#include "fovea/autograd/elementwise.h"
#include "fovea/autograd/gather.h"
#include "fovea/autograd/linear.h"
#include "fovea/base/check.h"
#include "fovea/layers/init.h"

namespace fovea {
namespace {

constexpr int kLargestReach = 1 << 20;

struct RelativeConfig {
  int reach = 16;
  bool use_value_table = true;
  void fields(auto&& field) {
    field("reach", reach, "distance from which on all are alike");
    field("use-value-table", use_value_table, "add a vector to values too");
  }
};

class RelativePosition : public Position {
 public:
  RelativePosition(const RelativeConfig& config, int key_size, int value_size,
                   RandomKey key)
      : count_(2 * config.reach + 1), reach_(config.reach) {
    keys_ = Var::parameter(xavier_init(count_, key_size, key.with("keys")));
    if (!config.use_value_table) return;
    values_ =
        Var::parameter(xavier_init(count_, value_size, key.with("values")));
  }

  bool biases() const override { return true; }
  bool needs_dot() const override { return true; }

  Var bias(const Var& scores, const Pairing& p) const override {
    const int64_t size = keys_.dim(1), rows = p.q.dim(0) * p.pairs.heads();
    const Var products = matmul(reshape(p.q, {rows, size}), keys_, {.b = true});
    const Var of_rows = reshape(scale(products, p.scale),
                                {p.q.dim(0), p.pairs.heads() * count_});
    return scores + pair_pick(of_rows, p.pairs, index(p));
  }

  Var add_values(const Var& context, const Var& weights,
                 const Pairing& p) const override {
    if (!values_) return context;
    const Var sums = pair_bucket_sums(weights, p.pairs, index(p));
    const int64_t rows = p.pairs.rows() * p.pairs.heads();
    const Var added = matmul(reshape(sums, {rows, count_}), values_);
    return context + reshape(added, context.shape());
  }

  void params(Params& p) override {
    p("keys", keys_);
    p("values", values_);
  }

 private:
  PairIndex index(const Pairing& p) const {
    auto of = std::make_shared<std::vector<int>>(p.relation.begin(),
                                                 p.relation.end());
    if (of->empty()) {
      for (int64_t m = 0; m < p.pairs.rows(); ++m) {
        const Pairs::Row& row = p.pairs.row(m);
        for (int j = 0; j < row.keys; ++j) {
          const int distance = row.first + j - row.position;
          of->push_back(std::clamp(distance, -reach_, reach_) + reach_);
        }
      }
    }
    check(std::ssize(*of) * p.pairs.heads() == p.pairs.size(),
          "attend: ", of->size(), " relations for ",
          p.pairs.size() / p.pairs.heads(),
          " pairs of a query and a key that it sees");
    for (int r : *of) {
      check(r >= 0 && r < count_, "attend: relation ", r, " of ", count_);
    }
    return {std::move(of), count_};
  }

  int count_, reach_;
  Var keys_, values_;  // [count, size of a head]
};

}  // namespace

std::unique_ptr<Position> make_relative_position(const PartContext& context) {
  RelativeConfig config;
  context.settings.read(config);
  check_option(config.reach >= 0, "reach", config.reach, "give 0 or more");
  check_option(config.reach <= kLargestReach, "reach", config.reach,
               "give 2^20 or less");
  const int size = context.score.query / context.score.heads;
  check_usage(size > 0, "position relative and heads ", context.score.heads,
              " do not go together: a query has ", context.score.query,
              " columns");
  return std::make_unique<RelativePosition>(config, size, context.value_size,
                                            context.key.with("position"));
}

}  // namespace fovea
