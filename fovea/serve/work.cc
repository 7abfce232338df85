#include "fovea/serve/work.h"

#include <algorithm>
#include <utility>

#include "fovea/base/check.h"
#include "fovea/decode/prepared_text.h"
#include "fovea/serve/split_text.h"

namespace fovea {
namespace {

constexpr size_t kPairsOfTask = 16;

// Options that searches must share to run together.
std::string group_of(const ServedModel& model,
                     const TranslateOptions& options) {
  TranslateOptions copy = options;
  std::string group =
      join(model.place.name, " ", model.number, " ", options.shortlist, " ",
           options.all.search.want_weights, " ");
  for (const Field& field : fields_of(copy.all.search)) {
    group += field_text(field) + " ";
  }
  for (int head : options.all.search.heads) group += join(head, " ");
  return group;
}

// A call for translations while its sentences are on their way.
class TranslateWork : public std::enable_shared_from_this<TranslateWork> {
 public:
  TranslateWork(const WorkOrder& order, ModelRef model,
                const TranslateCall& call, TranslateEvents events)
      : order_(order),
        model_(std::move(model)),
        options_(call.options),
        events_(std::move(events)),
        group_(group_of(*model_, options_)) {
    model_->translator.check_options(options_);
    for (const TranslateRequest& request : call.requests) {
      const Translator& translator = model_->translator;
      texts_.push_back(call.split
                           ? prepare_sentences(translator, request, options_)
                           : translator.prepare(request, options_));
      left_ += static_cast<int>(texts_.back().parts.size());
    }
  }

  void queue();

  // Told by the thread that searches.
  void found(size_t text, size_t part, const std::vector<Hypothesis>& what);
  void failed() {
    if (!has_failed_.exchange(true) && !cancelled()) {
      order_.failed(std::current_exception());
    }
  }
  void step(size_t part, const SearchStep& step) {
    start();
    events_.step(part, step);
  }

  bool cancelled() const { return *order_.cancelled; }
  bool follows() const { return static_cast<bool>(events_.step); }
  const std::string& group() const { return group_; }
  const TranslateOptions& options() const { return options_; }
  const Translator& translator() const { return model_->translator; }
  SearchSource source(size_t text, size_t part) const {
    return texts_[text].source(part);
  }

 private:
  std::unique_ptr<Task> task(size_t text, size_t part);
  void start();
  void finish();

  const WorkOrder order_;
  const ModelRef model_;
  const TranslateOptions options_;
  const TranslateEvents events_;
  const std::string group_;
  std::vector<PreparedText> texts_;
  std::atomic<int> left_ = 0;  // parts
  std::atomic<bool> has_failed_ = false;
  bool has_started_ = false;  // parts that are followed come one by one
};

// A sentence, or another part of a text.
class SentenceTask : public Task {
 public:
  SentenceTask(std::shared_ptr<TranslateWork> work, size_t text, size_t part)
      : work_(std::move(work)),
        text_(text),
        part_(part),
        source_(work_->source(text, part)) {}

  const std::string& group() const override { return work_->group(); }
  int tokens() const override {
    return static_cast<int>(source_.ids.size()) + 1;
  }
  bool cancelled() const override { return work_->cancelled(); }
  void run(std::span<const std::unique_ptr<Task>> together) override;

 private:
  class Watch;

  const std::shared_ptr<TranslateWork> work_;
  const size_t text_, part_;
  const SearchSource source_;
  bool found_ = false;
};

// Tells each task of its own sentence.
class SentenceTask::Watch : public SearchWatch {
 public:
  explicit Watch(std::span<const std::unique_ptr<Task>> together) {
    for (const auto& task : together) {
      tasks_.push_back(static_cast<SentenceTask*>(task.get()));
    }
  }

  std::vector<SearchSource> sources() const {
    std::vector<SearchSource> all;
    for (const SentenceTask* task : tasks_) all.push_back(task->source_);
    return all;
  }

  bool stops(int sentence) override { return tasks_[sentence]->cancelled(); }
  bool follows(int sentence) override {
    return tasks_[sentence]->work_->follows();
  }
  void step(int sentence, const SearchStep& step) override {
    const SentenceTask& task = *tasks_[sentence];
    task.work_->step(task.part_, step);
  }
  void finished(int sentence, const std::vector<Hypothesis>& found) override {
    SentenceTask& task = *tasks_[sentence];
    task.found_ = true;
    try {
      task.work_->found(task.text_, task.part_, found);
    } catch (...) {
      task.work_->failed();
    }
  }

  // The exception is all of theirs who have nothing yet.
  void fail() const {
    for (const SentenceTask* task : tasks_) {
      if (!task->found_) task->work_->failed();
    }
  }

 private:
  std::vector<SentenceTask*> tasks_;
};

void SentenceTask::run(std::span<const std::unique_ptr<Task>> together) {
  Watch watch(together);
  try {
    work_->translator().search(watch.sources(), work_->options(), &watch);
  } catch (...) {
    watch.fail();
  }
}

void TranslateWork::start() {
  if (!follows() || std::exchange(has_started_, true)) return;
  TokenText cut{texts_.front().text, {}, {}};
  int end = 0;
  for (const FoundPart& part : texts_.front().parts) {
    cut.gaps.emplace_back(TextRange{end, part.range.begin}.of(cut.text));
    end = part.range.end;
    std::vector<Piece>& pieces = cut.parts.emplace_back(part.tokens);
    for (Piece& piece : pieces) {
      piece.begin += part.range.begin;
      piece.end += part.range.begin;
    }
  }
  events_.start(cut);
}

std::unique_ptr<Task> TranslateWork::task(size_t text, size_t part) {
  return std::make_unique<SentenceTask>(shared_from_this(), text, part);
}

void TranslateWork::queue() {
  if (left_ == 0) return finish();
  std::vector<std::unique_ptr<Task>> tasks;
  for (size_t t = 0; t < texts_.size(); ++t) {
    for (size_t p = 0; p < texts_[t].parts.size(); ++p) {
      tasks.push_back(task(t, p));
      if (follows()) break;  // the others come one after another
    }
  }
  order_.batcher.add(order_.owner, std::move(tasks));
}

void TranslateWork::found(size_t text, size_t part,
                          const std::vector<Hypothesis>& what) {
  texts_[text].parts[part].hypotheses = what;
  if (--left_ == 0) return finish();
  if (!follows()) return;
  std::vector<std::unique_ptr<Task>> next;
  next.push_back(task(text, part + 1));
  order_.batcher.add_rest(order_.owner, std::move(next));
}

void TranslateWork::finish() {
  if (cancelled() || has_failed_) return;
  start();
  TranslateEvents::Found all;
  TokenAmounts amounts;
  for (const PreparedText& text : texts_) {
    all.push_back(model_->translator.finish(text, options_));
    amounts.sentences += std::ssize(text.parts);
    for (const FoundPart& part : text.parts) {
      amounts.source += std::ssize(part.tokens) + 1;
      amounts.target += part.hypotheses.front().length();
    }
  }
  events_.done(all, amounts);
}

// Runs alone.
class FunctionTask : public Task {
 public:
  FunctionTask(const WorkOrder& order, std::function<void()> work)
      : order_(order), work_(std::move(work)) {}

  const std::string& group() const override { return none_; }
  int tokens() const override { return 0; }
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
};

// Pairs while they are on their way.
struct ScoreWork {
  ModelRef model;
  PairsCall call;
  std::vector<Translation> scored;
  std::atomic<size_t> left;
  std::function<void(const std::vector<Translation>&)> done;

  void score(size_t begin) {
    const size_t count = std::min(kPairsOfTask, call.pairs.size() - begin);
    auto some = model->translator.score(
        std::span(call.pairs).subspan(begin, count), call.config);
    std::ranges::move(some, scored.begin() + static_cast<int64_t>(begin));
    if ((left -= count) == 0) done(scored);
  }
};

}  // namespace

void queue_translation(const WorkOrder& order, const ModelRef& model,
                       const TranslateCall& call, TranslateEvents events) {
  std::make_shared<TranslateWork>(order, model, call, std::move(events))
      ->queue();
}

void queue_scores(const WorkOrder& order, const ModelRef& model,
                  const PairsCall& call,
                  std::function<void(const std::vector<Translation>&)> done) {
  if (call.pairs.empty()) return done({});
  const auto work = std::make_shared<ScoreWork>();
  work->model = model;
  work->call = call;
  work->scored.resize(call.pairs.size());
  work->left = call.pairs.size();
  work->done = std::move(done);
  std::vector<std::unique_ptr<Task>> tasks;
  for (size_t i = 0; i < call.pairs.size(); i += kPairsOfTask) {
    tasks.push_back(
        std::make_unique<FunctionTask>(order, [work, i] { work->score(i); }));
  }
  order.batcher.add(order.owner, std::move(tasks));
}

void queue_function(const WorkOrder& order, std::function<void()> work) {
  std::vector<std::unique_ptr<Task>> tasks;
  tasks.push_back(std::make_unique<FunctionTask>(order, std::move(work)));
  order.batcher.add(order.owner, std::move(tasks));
}

}  // namespace fovea
