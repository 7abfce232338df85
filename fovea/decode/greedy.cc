#include "fovea/decode/greedy.h"

#include <algorithm>
#include <limits>
#include <numeric>

#include "fovea/autograd/softmax.h"
#include "fovea/kernels/topk.h"

namespace fovea {
namespace {

void ban(const Tensor& scores, int word) {
  for (int64_t row = 0; row < scores.rows(); ++row) {
    scores.data()[row * scores.cols() + word] =
        -std::numeric_limits<float>::infinity();
  }
}

}  // namespace

std::vector<Hypothesis> greedy_search(const Seq2Seq& model, const Ids& source,
                                      const LengthLimit& limit) {
  const NoGrad none;
  const Pass pass;
  std::vector<Hypothesis> results(source.of.count());
  State state = model.start(model.encode(source, pass), pass);
  std::vector<int> sentence(results.size());  // of each row of the state
  std::iota(sentence.begin(), sentence.end(), 0);
  std::vector<int> last(results.size(), model.begin());
  bool begins = true;
  while (!sentence.empty()) {
    Step step = model.step(std::move(state), last, pass);
    const Tensor scores = log_softmax(model.readout(step.hidden)).value();
    if (begins) ban(scores, model.end());
    begins = false;
    std::vector<float> values(sentence.size());
    std::vector<int> words(sentence.size());
    kernels::topk({scores.data(), scores.rows(), scores.cols()},
                  {1, values, words});
    std::vector<int> rows, kept;
    last.clear();
    for (size_t i = 0; i < sentence.size(); ++i) {
      Hypothesis& h = results[sentence[i]];
      const int length = std::max(0, source.of.length(sentence[i]) - 1);
      const int most = std::min(limit.of(length), model.longest());
      h.finished = words[i] == model.end();
      // Behind the last word only the end mark may come.
      if (!h.finished && std::ssize(h.ids) >= most) continue;
      h.log_probability += values[i];
      h.score = h.log_probability;
      if (h.finished) continue;
      h.ids.push_back(words[i]);
      rows.push_back(static_cast<int>(i));
      kept.push_back(sentence[i]);
      last.push_back(words[i]);
    }
    if (kept.empty()) break;
    state = std::move(step.state);
    if (kept.size() < sentence.size()) state.keep(rows);
    sentence = std::move(kept);
  }
  return results;
}

}  // namespace fovea
