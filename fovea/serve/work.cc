#include "fovea/serve/work.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace fovea {
namespace {

// Of one task, so that none takes long; they may be fewer.
constexpr size_t kThings = 16, kBytes = 1 << 14;

// Runs alone.
class FunctionTask : public Task {
 public:
  FunctionTask(const WorkOrder& order, std::function<void()> work,
               size_t sentences = 0)
      : order_(order),
        work_(std::move(work)),
        sentences_(static_cast<int>(sentences)) {}

  const std::string& group() const override { return none_; }
  int tokens() const override { return 0; }
  int sentences() const override { return sentences_; }
  bool cancelled() const override { return *order_.cancelled; }
  void run(std::span<const std::unique_ptr<Task>>) override {
    try {
      work_();
    } catch (...) {
      order_.failed(std::current_exception());
    }
  }

 private:
  const std::string none_;
  const WorkOrder order_;
  const std::function<void()> work_;
  const int sentences_;
};

// Things while they are on their way.
struct PortionWork {
  explicit PortionWork(Portions all)
      : portions(std::move(all)), left(portions.bytes.size()) {}

  // The first error is that of all.
  void run(size_t begin, size_t end) {
    if (has_failed) return;
    try {
      portions.work(begin, end);
      if ((left -= end - begin) == 0) portions.done();
    } catch (...) {
      if (!has_failed.exchange(true)) throw;
    }
  }

  const Portions portions;
  std::atomic<size_t> left;
  std::atomic<bool> has_failed = false;
};

// Of the attention of a pair that is not too long.
int64_t checked_weights(const WorkOrder& order, const ServedModel& model,
                        const ScoreRequest& pair) {
  const Translator& translator = model.translator;
  const size_t source = translator.source().encode(pair.source).size() + 1,
               target = translator.target().encode(pair.target).size() + 1;
  order.batcher.check_pair(search_tokens(1, static_cast<int>(source + target)));
  return static_cast<int64_t>(source * target);
}

size_t portion_end(const std::vector<size_t>& bytes, size_t begin) {
  size_t end = begin, sum = 0;
  while (end < bytes.size() && end - begin < kThings) {
    sum += bytes[end];
    if (end > begin && sum > kBytes) break;
    ++end;
  }
  return end;
}

}  // namespace

int search_tokens(int width, int length) {
  // A step copies the beam's memory, which grows with what it has written: long
  // ones take their time by the square.
  constexpr int64_t kLong = 256;
  const int64_t tokens =
      int64_t{width} * length * std::max<int64_t>(length, kLong) / kLong;
  return static_cast<int>(
      std::min<int64_t>(tokens, std::numeric_limits<int>::max()));
}

void queue_portions(const WorkOrder& order, Portions portions) {
  if (portions.bytes.empty()) return portions.done();
  const auto work = std::make_shared<PortionWork>(std::move(portions));
  const std::vector<size_t>& bytes = work->portions.bytes;
  std::vector<std::unique_ptr<Task>> tasks;
  for (size_t begin = 0, end = 0; begin < bytes.size(); begin = end) {
    end = portion_end(bytes, begin);
    tasks.push_back(std::make_unique<FunctionTask>(
        order, [work, begin, end] { work->run(begin, end); },
        work->portions.are_sentences ? end - begin : 0));
  }
  order.batcher.add(order.owner, std::move(tasks));
}

void queue_scores(const WorkOrder& order, const ModelRef& model,
                  const PairsCall& call,
                  std::function<void(const std::vector<Translation>&)> done) {
  Portions portions{.are_sentences = true};
  for (const ScoreRequest& pair : call.pairs) {
    portions.bytes.push_back(pair.source.size() + pair.target.size());
  }
  const auto scored =
      std::make_shared<std::vector<Translation>>(call.pairs.size());
  const auto weights = std::make_shared<std::atomic<int64_t>>(0);
  portions.work = [order, model, call, scored, weights](size_t begin,
                                                        size_t end) {
    const auto pairs = std::span(call.pairs).subspan(begin, end - begin);
    for (const ScoreRequest& pair : pairs) {
      const int64_t more = checked_weights(order, *model, pair);
      if (call.config.search.want_weights) {
        check_weights(*weights += more, order.limits);
      }
    }
    auto some = model->translator.score(pairs, call.config);
    std::ranges::move(some, scored->begin() + static_cast<int64_t>(begin));
  };
  portions.done = [scored, told = std::move(done)] { told(*scored); };
  queue_portions(order, std::move(portions));
}

void queue_function(const WorkOrder& order, std::function<void()> work) {
  std::vector<std::unique_ptr<Task>> tasks;
  tasks.push_back(std::make_unique<FunctionTask>(order, std::move(work)));
  order.batcher.add(order.owner, std::move(tasks));
}

}  // namespace fovea
