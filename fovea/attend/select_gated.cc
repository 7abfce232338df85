#include "fovea/attend/select_gated.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "fovea/attend/trace.h"
#include "fovea/autograd/elementwise.h"
#include "fovea/autograd/gather.h"
#include "fovea/autograd/reduce.h"
#include "fovea/base/check.h"

namespace fovea {
namespace {

enum class HardGate { kThreshold, kSample };
constexpr EnumName<HardGate> kHardGates[] = {
    {HardGate::kThreshold, "threshold"}, {HardGate::kSample, "sample"}};
constexpr auto& enum_names(HardGate) { return kHardGates; }

enum class AllClosed { kMean, kEmpty };
constexpr EnumName<AllClosed> kAllClosed[] = {{AllClosed::kMean, "mean"},
                                              {AllClosed::kEmpty, "empty"}};
constexpr auto& enum_names(AllClosed) { return kAllClosed; }

struct GatedConfig {
  float tau = 1.0f;
  HardGate gates = HardGate::kThreshold;
  AllClosed all_closed = AllClosed::kMean;
  void fields(auto&& field) {
    field("tau", tau, "temperature of the relaxed gates");
    field("gates", gates, "outside of training: p > 0.5, or a draw");
    field("all-closed", all_closed,
          "what a sequence without an open gate gives: its mean, or nothing");
  }
};

// log u - log (1 - u) for each key: what turns a logit into a draw.
Tensor logistic_noise(int64_t count, const Pass& pass) {
  const RandomKey key = pass.key.with("gates");
  Tensor noise({count, 1});
  for (int64_t i = 0; i < count; ++i) {
    const float u = random_uniform(key, static_cast<uint32_t>(i));
    noise[i] = std::log(u) - std::log1p(-u);
  }
  return noise;
}

// How likely each gate is open, as one row of weights for each sequence.
void record_gates(const Tensor& logits, const Segments& of, const Pass& pass) {
  const Pass own = pass.in("gate");
  std::vector<int> heads = traced_heads(own, 1);
  if (heads.empty()) return;
  Record::Blocks blocks{
      .heads = std::move(heads),
      .queries = Segments::from_lengths(std::vector<int>(of.count(), 1)),
      .keys = {},
      .values = Tensor({logits.size()}),
      .visible = {}};
  for (int b = 0; b < of.count(); ++b) {
    blocks.keys.push_back(of.length(b));
    blocks.visible.push_back(
        {.key = of.begin(b), .keys = of.length(b), .first = 0, .position = 0});
  }
  for (int64_t i = 0; i < logits.size(); ++i) {
    blocks.values[i] = 1 / (1 + std::exp(-logits[i]));
  }
  pass.trace->add({{.name = own.name(), .kind = "gate", .score = "sigmoid"},
                   std::move(blocks)});
}

// Keeps some rows of the memory. Row `total` + b stands for the mean of
// sequence b.
class Keeper {
 public:
  Keeper(const Segments& of, AllClosed all_closed)
      : of_(of), all_closed_(all_closed) {}

  void keep(Memory& memory, const Tensor& logits) {
    for (int b = 0; b < of_.count(); ++b) {
      const int start = static_cast<int>(ids_.size());
      for (int i = of_.begin(b); i < of_.end(b); ++i) {
        if (logits[i] > 0) add(i, i - of_.begin(b), memory);
      }
      const bool none = start == std::ssize(ids_) && of_.length(b) > 0;
      if (none && all_closed_ == AllClosed::kMean) {
        add(of_.total() + b, kMeanOfKeys, memory);
      }
      const int length = static_cast<int>(ids_.size()) - start;
      memory.rows[b] = {start, length, length};
      memory.full_lengths.push_back(of_.length(b));
    }
    memory.keys = kept(memory.keys);
    memory.values = kept(memory.values);
  }

 private:
  void add(int row, int index, Memory& memory) {
    ids_.push_back(row);
    memory.kept.push_back(index);
  }
  Var kept(const Var& x) const {
    const bool means =
        std::ranges::any_of(ids_, [&](int i) { return i >= of_.total(); });
    return gather(means ? concat_rows({x, segment_mean(x, of_)}) : x, ids_);
  }

  const Segments& of_;
  AllClosed all_closed_;
  std::vector<int> ids_;
};

class Gated : public Select {
 public:
  Gated(const GatedConfig& config, const PartContext& context)
      : config_(config),
        gate_(context.sizes.extra, 1, true, context.key.with("gate")),
        heads_(context.score.heads) {}
  void params(Params& p) override { p("gate", gate_); }
  bool acts(const Pass& pass) const override { return pass.training; }
  bool drops_keys() const override { return true; }

  void remember(Memory& memory, const Source& source,
                const Pass& pass) const override {
    const Var& states = source.extra ? source.extra : source.keys;
    check(states.dim(0) == source.of.total(), "gated: ", states.dim(0),
          " states for ", source.of.total(), " keys");
    Var logits = gate_(states);  // [N,1]
    record_gates(logits.value(), source.of, pass);
    if (pass.training || config_.gates == HardGate::kSample) {
      logits = logits + logistic_noise(logits.dim(0), pass);
    }
    if (!pass.training) {
      Keeper(source.of, config_.all_closed).keep(memory, logits.value());
      return;
    }
    const Var x = scale(logits, 1 / config_.tau);
    memory.extra = concat_columns(
        {-softplus(-x),  // log g, and the log that all gates are closed
         repeat_rows(-segment_sum(softplus(x), source.of), source.of)});
    if (pass.losses) {
      pass.losses->push_back(
          {"gate_sparsity", sum(segment_mean(sigmoid(x), source.of))});
    }
  }

  Var adjust_scores(const Var& scores, const Pairs& pairs, const Memory& memory,
                    const Pass& pass) const override {
    if (!pass.training) return scores;
    const auto of_keys = [&](int column) {
      const Var x = slice_columns(memory.extra, column, column + 1);
      return pair_of_keys(concat_columns(std::vector<Var>(heads_, x)), pairs);
    };
    const Var open = scores + of_keys(0);
    if (config_.all_closed == AllClosed::kEmpty) return open;
    // As far as all gates are closed, every key counts alike, as it will
    // outside of training; else closing them all would cost nothing.
    return open + softplus(of_keys(1) - open);
  }

 private:
  GatedConfig config_;
  Linear gate_;
  int heads_;
};

}  // namespace

double gate_density(const Memory& memory) {
  const auto& full = memory.full_lengths;
  const int all = std::accumulate(full.begin(), full.end(), 0);
  if (all == 0) return 1;
  const auto open =
      std::ranges::count_if(memory.kept, [](int i) { return i >= 0; });
  return static_cast<double>(open) / all;
}

std::unique_ptr<Select> make_gated(const PartContext& context) {
  GatedConfig config;
  context.settings.read(config);
  check_option(std::isfinite(config.tau) && config.tau > 0, "tau", config.tau,
               "give more than 0");
  return std::make_unique<Gated>(config, context);
}

}  // namespace fovea
