#include "fovea/explain/layer_weights.h"

#include <algorithm>

#include "fovea/autograd/elementwise.h"
#include "fovea/autograd/gather.h"
#include "fovea/base/check.h"

namespace fovea {
namespace {

// Which text the keys of a row belong to.
int text_of(const Pairs::Row& row, const Segments& source) {
  const auto offsets = source.offsets();
  const int start = row.key - row.first;
  const auto after = std::upper_bound(offsets.begin(), offsets.end(), start);
  return static_cast<int>(after - offsets.begin()) - 1;
}

// The rows of a text come in the order of its cases, call by call.
void number_cases(std::vector<LayerCall>& calls, const TestTexts& texts) {
  const Segments cases = texts.cases();
  std::vector<int> seen(static_cast<size_t>(cases.count()), 0);
  for (LayerCall& call : calls) {
    for (int64_t m = 0; m < call.pairs.rows(); ++m) {
      const int text = text_of(call.pairs.row(m), texts.source.of);
      check(text < cases.count() && seen[text] < cases.length(text),
            "faithfulness: the weights of text ", text,
            " do not belong to its ", cases.length(text), " outputs");
      call.cases.push_back(cases.begin(text) + seen[text]++);
    }
  }
}

}  // namespace

LayerRun run_watched(const TestedModel& model, const Encoded& source,
                     const TestTexts& texts) {
  const NoGrad none;
  LayerRun run;
  Impose impose;
  impose.weights(model.layer(), [&](const Var& own, const Pairs& pairs) {
    run.calls.push_back({pairs, own.value().clone(), {}});
    return own;
  });
  run.outputs =
      model.outputs(source, texts.target, Pass{.impose = &impose}).value();
  check_usage(!run.calls.empty(), "the model has no attention named '",
              model.layer(), "'");
  number_cases(run.calls, texts);
  return run;
}

Var run_changed(const TestedModel& model, const Encoded& source,
                const TestTexts& texts, const LayerRun& own,
                const CallChange& change) {
  size_t number = 0;
  Impose impose;
  impose.weights(model.layer(), [&](const Var&, const Pairs&) {
    const size_t now = number++;
    return change(own.calls.at(now), now);
  });
  return model.outputs(source, texts.target, Pass{.impose = &impose});
}

Var shown_weights(const Var& weights, const Pairs& pairs, int head) {
  check_usage(head < pairs.heads(), "--head ", head, ": there ",
              pairs.heads() == 1 ? "is one head"
                                 : join("are ", pairs.heads(), " heads"),
              ", the first is 0");
  if (pairs.heads() == 1) return weights;
  const Var column = reshape(weights, {pairs.size(), 1});
  Var sum;
  for (int h = std::max(head, 0); h < pairs.heads(); ++h) {
    std::vector<int> places;
    for (int64_t m = 0; m < pairs.rows(); ++m) {
      for (int k = 0; k < pairs.row(m).keys; ++k) {
        places.push_back(static_cast<int>(pairs.begin(m, h)) + k);
      }
    }
    const Var one = gather(column, places);
    sum = sum ? sum + one : one;
    if (head >= 0) break;
  }
  sum = reshape(sum, {sum.dim(0)});
  return head >= 0 ? sum : scale(sum, 1.0f / static_cast<float>(pairs.heads()));
}

Segments shown_rows(const Pairs& pairs) {
  std::vector<int> lengths;
  for (int64_t m = 0; m < pairs.rows(); ++m) {
    lengths.push_back(pairs.row(m).keys);
  }
  return Segments::from_lengths(lengths);
}

std::vector<CaseWeights> weights_of_cases(const LayerRun& run, int head) {
  const NoGrad none;
  std::vector<CaseWeights> all(static_cast<size_t>(run.outputs.rows()));
  for (const LayerCall& call : run.calls) {
    const Tensor shown = shown_weights(call.weights, call.pairs, head).value();
    const Segments rows = shown_rows(call.pairs);
    for (int m = 0; m < rows.count(); ++m) {
      const float* begin = shown.data() + rows.begin(m);
      all[call.cases[m]] = {call.pairs.row(m).first,
                            {begin, begin + rows.length(m)}};
    }
  }
  return all;
}

}  // namespace fovea
