// Sentences of calls for translations.
#include <algorithm>
#include <utility>

#include "fovea/base/check.h"
#include "fovea/decode/prepared_text.h"
#include "fovea/serve/split_text.h"
#include "fovea/serve/work.h"

namespace fovea {
namespace {

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

int tokens_of(const SearchSource& source, const SearchConfig& search) {
  const auto own = static_cast<int>(source.ids.size());
  const auto given = static_cast<int>(source.prefix.size());
  const int longest = LengthLimit{.most = search.max_length}.of(own);
  return search_tokens(search.width(), own + std::max(longest, given + 1));
}

// A call for translations while its sentences are on their way.
class TranslateWork : public std::enable_shared_from_this<TranslateWork> {
 public:
  TranslateWork(const WorkOrder& order, ModelRef model,
                const TranslateCall& call, TranslateEvents events)
      : order_(order),
        model_(std::move(model)),
        requests_(call.requests),
        options_(call.options),
        splits_(call.split),
        events_(std::move(events)),
        group_(group_of(*model_, options_)) {
    model_->translator.check_options(options_);
    texts_.reserve(call.requests.size());
  }

  // Cuts the next text into tokens; behind the last one all are queued. False:
  // there is nothing left to do.
  bool prepare();

  // Told by the thread that searches.
  void found(size_t text, size_t part, const std::vector<Hypothesis>& what);
  void failed() {
    if (!has_failed_.exchange(true) && !*order_.cancelled) {
      order_.failed(std::current_exception());
    }
  }
  void step(size_t part, const SearchStep& step) {
    start();
    events_.step(part, step);
  }

  bool cancelled() const { return *order_.cancelled || has_failed_; }
  bool follows() const { return static_cast<bool>(events_.step); }
  const std::string& group() const { return group_; }
  const TranslateOptions& options() const { return options_; }
  const Translator& translator() const { return model_->translator; }
  SearchSource source(size_t text, size_t part) const {
    return texts_[text].source(part);
  }

 private:
  void prepare_next();
  void queue();
  std::unique_ptr<Task> task(size_t text, size_t part);
  void start();
  void finish();

  const WorkOrder order_;
  const ModelRef model_;
  const std::vector<TranslateRequest> requests_;
  const TranslateOptions options_;
  const bool splits_;
  const TranslateEvents events_;
  const std::string group_;
  std::vector<PreparedText> texts_;
  std::atomic<int> left_ = 0;         // parts
  std::atomic<int64_t> weights_ = 0;  // that were found
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
    return tokens_of(source_, work_->options().all.search);
  }
  int sentences() const override { return 1; }
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

bool TranslateWork::prepare() {
  if (cancelled()) return false;
  try {
    if (texts_.size() < requests_.size()) prepare_next();
    if (texts_.size() < requests_.size()) return true;
    queue();
  } catch (...) {
    failed();
  }
  return false;
}

// What is too much is told before all of it is cut.
void TranslateWork::prepare_next() {
  const Translator& translator = model_->translator;
  const TranslateRequest& request = requests_[texts_.size()];
  texts_.push_back(splits_ ? prepare_sentences(translator, request, options_)
                           : translator.prepare(request, options_));
  const PreparedText& text = texts_.back();
  for (size_t part = 0; part < text.parts.size(); ++part) {
    order_.batcher.check_tokens(
        tokens_of(text.source(part), options_.all.search));
  }
  left_ += static_cast<int>(text.parts.size());
  order_.batcher.check_count(left_);
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
  int64_t weights = 0;
  for (const Hypothesis& h : what) weights += std::ssize(h.weights);
  check_weights(weights_ += weights, order_.limits);
  texts_[text].parts[part].hypotheses = what;
  if (--left_ == 0) return finish();
  if (!follows()) return;
  std::vector<std::unique_ptr<Task>> next;
  next.push_back(task(text, part + 1));
  order_.batcher.add_rest(order_.owner, std::move(next));
}

void TranslateWork::finish() {
  if (cancelled()) return;
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

}  // namespace

void queue_translation(const WorkOrder& order, const ModelRef& model,
                       const TranslateCall& call, TranslateEvents events) {
  const auto work =
      std::make_shared<TranslateWork>(order, model, call, std::move(events));
  // The first text at once, so that short requests take one turn.
  if (!work->prepare()) return;
  order.clerk.post(order.owner.client, [work] { return work->prepare(); });
}

}  // namespace fovea
