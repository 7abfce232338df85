#include "fovea/predict/pool.h"

#include <vector>

#include "fovea/autograd/gather.h"
#include "fovea/autograd/reduce.h"
#include "fovea/base/check.h"
#include "fovea/base/nearest.h"
#include "fovea/layers/init.h"
#include "fovea/predict/step_attention.h"

namespace fovea {
namespace {

// A function of the rows that has nothing to learn.
class FixedPool : public Pool {
 public:
  using Function = Var (*)(const Var& rows, const Segments& of);
  FixedPool(Function function, int width)
      : function_(function), width_(width) {}

  Var operator()(const Encoded& source, const Pass&) const override {
    return function_(source.states, source.of);
  }
  int width() const override { return width_; }

 private:
  Function function_;
  int width_;
};

std::unique_ptr<Pool> make_mean(const PoolContext& c) {
  return std::make_unique<FixedPool>(segment_mean, c.widths.states);
}
std::unique_ptr<Pool> make_sum(const PoolContext& c) {
  return std::make_unique<FixedPool>(segment_sum, c.widths.states);
}
std::unique_ptr<Pool> make_max(const PoolContext& c) {
  return std::make_unique<FixedPool>(segment_max, c.widths.states);
}

// The last row; of a recurrent encoder the state that has read all, at both
// ends if there are two.
class LastPool : public Pool {
 public:
  explicit LastPool(const EncodedWidths& widths)
      : recurrent_(!widths.last.empty()),
        width_(recurrent_ ? widths.last.back() : widths.states) {}

  Var operator()(const Encoded& source, const Pass&) const override {
    if (recurrent_) return source.last.back();
    const Segments& of = source.of;
    std::vector<int> rows;
    for (int b = 0; b < of.count(); ++b) {
      check(of.length(b) > 0, "pool: sequence ", b, " has no last row");
      rows.push_back(of.end(b) - 1);
    }
    return gather(source.states, rows);
  }
  int width() const override { return width_; }

 private:
  bool recurrent_;
  int width_;
};

std::unique_ptr<Pool> make_last(const PoolContext& c) {
  return std::make_unique<LastPool>(c.widths);
}

class AttentionPool : public Pool {
 public:
  explicit AttentionPool(const PoolContext& c)
      : pooling_(c.pooling, c.widths.states, c.key), width_(c.widths.states) {}

  Var operator()(const Encoded& source, const Pass& pass) const override {
    return pooling_(source.states, source.of, pass).rows;
  }
  int width() const override { return width_; }
  void params(Params& p) override { pooling_.params(p); }

 private:
  Pooling pooling_;
  int width_;
};

std::unique_ptr<Pool> make_attention_pool(const PoolContext& c) {
  return std::make_unique<AttentionPool>(c);
}

// Any attention, asked by one query that is learned.
class QueryPool : public Pool {
 public:
  explicit QueryPool(const PoolContext& c)
      : query_(Var::parameter(
            normal_init({1, c.widths.states}, c.key.with("query"), 1.0f))),
        attention_(c.attend, {.query = c.widths.states},
                   c.key.with("attention")) {}

  Var operator()(const Encoded& source, const Pass& pass) const override {
    const int count = source.of.count();
    const Var rows = gather(query_, std::vector<int>(count, 0));
    const Memory memory =
        attention_.remember({.keys = source.states, .of = source.of}, pass);
    return attention_
        .attend({.rows = rows, .of = single_rows(count), .kind = "pooling"},
                memory, {}, pass)
        .context;
  }
  int width() const override { return attention_.out_width(); }
  void params(Params& p) override {
    p("query", query_);
    p("attention", attention_);
  }

 private:
  Var query_;  // [1,D]
  Composed attention_;
};

std::unique_ptr<Pool> make_query_pool(const PoolContext& c) {
  return std::make_unique<QueryPool>(c);
}

constexpr PoolEntry kPools[] = {
    {"mean", "the mean of all rows", make_mean},
    {"sum", "the sum of all rows", make_sum},
    {"max", "the largest number of each column", make_max},
    {"last", "the last row, or a recurrent encoder's last state", make_last},
    {"attention", "rows weighted by a score of each (classes.pooling)",
     make_attention_pool},
    {"query", "any attention (attend), asked by one learned query",
     make_query_pool},
};

}  // namespace

std::span<const PoolEntry> pool_registry() { return kPools; }

std::unique_ptr<Pool> make_pool(const std::string& name,
                                const PoolContext& context) {
  std::vector<std::string> names;
  for (const PoolEntry& entry : kPools) {
    if (name == entry.name) return entry.make(context);
    names.emplace_back(entry.name);
  }
  fail(ErrorKind::kUsage, "no pool is named '", name, "'",
       did_you_mean(name, names));
}

}  // namespace fovea
