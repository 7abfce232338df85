#include <algorithm>
#include <map>

#include "fovea/autograd/elementwise.h"
#include "fovea/autograd/gather.h"
#include "fovea/autograd/reduce.h"
#include "fovea/autograd/softmax.h"
#include "fovea/base/check.h"
#include "fovea/eval/distribution_distance.h"
#include "fovea/explain/distance_ops.h"
#include "fovea/explain/weight_tests.h"
#include "fovea/train/optimizer.h"

namespace fovea {
namespace {

constexpr float kSpread = 3.0f;  // deviation of the logits at the start

// What is optimised: a logit for each weight of each call.
struct Logits {
  std::vector<Var> calls;
  void params(Params& p) {
    for (size_t i = 0; i < calls.size(); ++i) p(join("call.", i), calls[i]);
  }
};

// All restarts of all texts at once: restart r of text b is copy b * restarts +
// r of the texts.
class Search {
 public:
  Search(const TestedModel& model, const TestTexts& texts,
         const WeightChange& change, const AdversaryConfig& config)
      : model_(model),
        config_(config),
        change_(change),
        copies_(copies_of(texts, repeated(texts.count(), config.restarts))),
        cases_(copies_.cases()) {
    const NoGrad none;
    source_ = model.encode(copies_.source);
    own_ = run_watched(model, source_, copies_);
    for (const LayerCall& call : own_.calls) {
      logits_.calls.push_back(Var::parameter(first_logits(call)));
      shown_.push_back(
          shown_weights(call.weights, call.pairs, change_.head).value());
      partners_.push_back(partners_of(call));
    }
  }

  void optimise() {
    Optimizer optimizer({.optimizer = OptimizerKind::kAmsgrad,
                         .beta2 = 0.999f,
                         .epsilon = 1e-8f,
                         .clip_norm = 0.0f},
                        Params(logits_));
    for (int step = 1; step <= config_.steps; ++step) {
      Var loss;
      const Var outputs = run(&loss);
      const Var moved = row_sums(absolute(outputs - own_.outputs));
      const Var over = sum(relu(shift(moved, -config_.slack)));
      (config_.penalty * over - loss).backward();
      optimizer.step(step, config_.rate, 1.0);
    }
  }

  // The best of each case of the texts.
  std::vector<Adversary> best() {
    const NoGrad none;
    const Tensor outputs = run(nullptr).value();
    const auto width = static_cast<size_t>(outputs.cols());
    std::vector<Adversary> found(outputs.rows() / config_.restarts);
    for (size_t i = 0; i < own_.calls.size(); ++i) {
      const LayerCall& call = own_.calls[i];
      const Tensor now =
          shown_weights(weights(call, i), call.pairs, change_.head).value();
      const Segments rows = shown_rows(call.pairs);
      for (int m = 0; m < rows.count(); ++m) {
        const auto c = static_cast<size_t>(call.cases[m]);
        const size_t begin = rows.begin(m), length = rows.length(m);
        keep_best(
            found[case_of_text(call.cases[m])],
            {.js = js_divergence({shown_[i].data() + begin, length},
                                 {now.data() + begin, length}),
             .distance =
                 total_variation({outputs.data() + c * width, width},
                                 {own_.outputs.data() + c * width, width}),
             .found = 1,
             .weights = {now.data() + begin, now.data() + begin + length}});
      }
    }
    return found;
  }

 private:
  static std::vector<TextCopy> repeated(int texts, int restarts) {
    std::vector<TextCopy> copies;
    for (int b = 0; b < texts; ++b) {
      for (int r = 0; r < restarts; ++r) copies.push_back({.text = b});
    }
    return copies;
  }

  void keep_best(Adversary& best, Adversary one) const {
    if (one.distance > config_.threshold) return;
    one.found += best.found;
    if (best.found == 0 || one.js > best.js) {
      best = std::move(one);
    } else {
      best.found = one.found;
    }
  }

  struct Place {
    int text, restart, number;  // of the case within its text
  };
  Place place_of(int copied_case) const {
    const auto offsets = cases_.offsets();
    const auto after =
        std::upper_bound(offsets.begin(), offsets.end(), copied_case);
    const auto copy = static_cast<int>(after - offsets.begin()) - 1;
    return {copy / config_.restarts, copy % config_.restarts,
            copied_case - cases_.begin(copy)};
  }
  int copied_case(const Place& p) const {
    return cases_.begin(p.text * config_.restarts + p.restart) + p.number;
  }
  // Its number among those of the texts that are not copied.
  size_t case_of_text(int copied) const {
    const Place p = place_of(copied);
    return cases_.begin(p.text * config_.restarts) / config_.restarts +
           p.number;
  }

  Tensor first_logits(const LayerCall& call) const {
    Tensor logits({call.pairs.size()});
    for (int64_t m = 0; m < call.pairs.rows(); ++m) {
      const Place p = place_of(call.cases[m]);
      const RandomKey key =
          change_.key.with(change_.numbers[p.text]).with(p.restart);
      for (int h = 0; h < call.pairs.heads(); ++h) {
        fill_normal(key.with(p.number).with(h), 0.0f, kSpread,
                    logits.span().subspan(call.pairs.begin(m, h),
                                          call.pairs.row(m).keys));
      }
    }
    return logits;
  }

  // For each weight shown, where the same one of the next restart is; of the
  // one after it; and so on.
  std::vector<std::vector<int>> partners_of(const LayerCall& call) const {
    std::map<int, int> row_of;  // by case
    for (size_t m = 0; m < call.cases.size(); ++m) {
      row_of[call.cases[m]] = static_cast<int>(m);
    }
    const Segments rows = shown_rows(call.pairs);
    std::vector<std::vector<int>> all;
    for (int next = 1; next < config_.restarts; ++next) {
      std::vector<int> places;
      for (int m = 0; m < rows.count(); ++m) {
        Place p = place_of(call.cases[m]);
        p.restart = (p.restart + next) % config_.restarts;
        const int other = row_of.at(copied_case(p));
        for (int k = 0; k < rows.length(m); ++k) {
          places.push_back(rows.begin(other) + k);
        }
      }
      all.push_back(std::move(places));
    }
    return all;
  }

  // Those that a head does not change stay as they are.
  Var weights(const LayerCall& call, size_t number) const {
    const Var made = softmax(logits_.calls[number], call.pairs.segments());
    if (change_.head < 0 || call.pairs.heads() == 1) return made;
    Tensor mask = Tensor::zeros({call.pairs.size()}),
           rest = call.weights.clone();
    for (int64_t m = 0; m < call.pairs.rows(); ++m) {
      const int64_t begin = call.pairs.begin(m, change_.head);
      for (int k = 0; k < call.pairs.row(m).keys; ++k) {
        mask[begin + k] = 1.0f;
        rest[begin + k] = 0.0f;
      }
    }
    return made * mask + rest;
  }

  // The outputs with the weights as they are now, and how far these are from
  // the model's own and from those of other restarts.
  Var run(Var* apart) {
    return run_changed(
        model_, source_, copies_, own_, [&](const LayerCall& call, size_t i) {
          const Var made = weights(call, i);
          if (!apart) return made;
          const Var now = shown_weights(made, call.pairs, change_.head);
          Var far = js_sum(now, shown_[i]);
          const Var column = reshape(now, {now.dim(0), 1});
          for (const std::vector<int>& places : partners_[i]) {
            const Var other = reshape(gather(column, places), {now.dim(0)});
            far = far + scale(js_sum(now, other),
                              1.0f / static_cast<float>(partners_[i].size()));
          }
          *apart = *apart ? *apart + far : far;
          return made;
        });
  }

  const TestedModel& model_;
  const AdversaryConfig& config_;
  const WeightChange& change_;
  TestTexts copies_;
  Segments cases_;
  Encoded source_;
  LayerRun own_;
  Logits logits_;
  std::vector<Tensor> shown_;  // own weights of each call
  std::vector<std::vector<std::vector<int>>> partners_;
};

}  // namespace

std::vector<Adversary> find_adversaries(const TestedModel& model,
                                        const TestTexts& texts,
                                        const WeightChange& change,
                                        const AdversaryConfig& config) {
  check_usage(config.restarts >= 1 && config.steps >= 1, "--restarts ",
              config.restarts, " and --adversary-steps ", config.steps,
              ": give at least 1 of each");
  Search search(model, texts, change, config);
  search.optimise();
  return search.best();
}

}  // namespace fovea
