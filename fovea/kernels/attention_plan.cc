#include "fovea/kernels/attention_plan.h"

namespace fovea::kernels {
namespace {

constexpr int64_t kSmallTask = 1 << 19;  // multiply-adds: not worth a cut
constexpr int64_t kSmallCall = 1 << 17;  // not worth a second thread
constexpr int kTasksPerWorker = 4;       // so that they end together
constexpr int kFewestQueries = 192;      // that pay for packing the keys again

// Backward: pieces are not smaller than this; more tasks than this need none.
constexpr int kFewestInPiece = 512;
constexpr int kEnoughTasks = 8;
constexpr int kQueryUnit = 48, kKeyUnit = 192;  // the kernel's blocks

int64_t cost(const AttentionInputs& in, const AttentionSpan& span) {
  return int64_t{span.queries} * span.keys * (in.q.cols + in.v.cols);
}

// Queries of a task: all of a span unless there are too few tasks.
int queries_per_task(const AttentionInputs& in, int kv_heads) {
  int longest = 1;
  for (const AttentionSpan& span : in.spans) {
    longest = std::max(longest, span.queries);
  }
  const int64_t tasks = static_cast<int64_t>(in.spans.size()) * kv_heads;
  const int64_t wanted = int64_t{kTasksPerWorker} * thread_limit();
  if (tasks == 0 || tasks >= wanted || thread_limit() == 1) return longest;
  const int pieces = static_cast<int>((wanted + tasks - 1) / tasks);
  return std::max(kFewestQueries, (longest + pieces - 1) / pieces);
}

int64_t pieces(int queries, int per_task) {
  return (queries + per_task - 1) / per_task;
}

size_t most_tasks(const AttentionInputs& in, int kv_heads) {
  const int per_task = queries_per_task(in, kv_heads);
  size_t count = 0;
  for (const AttentionSpan& span : in.spans) {
    count += pieces(span.queries, per_task) * kv_heads;
  }
  return count;
}

}  // namespace

size_t attention_weights_size(std::span<const AttentionSpan> spans,
                              int weight_heads) {
  size_t size = 0;
  for (const AttentionSpan& span : spans) {
    size += size_t{1} * weight_heads * span.queries * span.keys;
  }
  return size;
}

AttentionTasks::AttentionTasks(const AttentionInputs& in,
                               const AttentionOptions& options,
                               size_t weight_heads)
    : tasks_(most_tasks(in, options.kv_heads)) {
  const int per_task = queries_per_task(in, options.kv_heads);
  int64_t weights = 0, total = 0;
  for (size_t b = 0; b < in.spans.size(); ++b) {
    const AttentionSpan& span = in.spans[b];
    const bool small = cost(in, span) < kSmallTask;
    const int heads = small ? options.kv_heads : 1;
    most_queries_ = std::max(most_queries_, std::min(per_task, span.queries));
    most_keys_ = std::max(most_keys_, span.keys);
    total += cost(in, span);
    // Under a causal mask the last queries have the most to do: they go first.
    for (int64_t piece = pieces(span.queries, per_task) - 1; piece >= 0;
         --piece) {
      const int begin = static_cast<int>(piece) * per_task;
      for (int kv = 0; kv < options.kv_heads; kv += heads) {
        tasks_[count_++] = {static_cast<int>(b),
                            kv,
                            kv + heads,
                            begin,
                            std::min(begin + per_task, span.queries),
                            weights};
      }
    }
    weights += int64_t(weight_heads) * span.queries * span.keys;
  }
  workers_ = total < kSmallCall ? 1 : thread_limit();
}

void AttentionTasks::run(
    FunctionRef<void(const AttentionTask&, int worker)> body) const {
  if (workers_ == 1) {
    for (int64_t i = 0; i < count_; ++i) body(tasks_[i], 0);
    return;
  }
  parallel_tasks(count_,
                 [&](int64_t i, int worker) { body(tasks_[i], worker); });
}

AttentionBackwardTasks::AttentionBackwardTasks(const AttentionInputs& in,
                                               const AttentionOptions& options)
    : in_(in),
      kv_heads_(options.kv_heads),
      order_(in.spans.size() + 1),
      groups_(in.spans.size() + 1) {
  int most_keys = 0, used = 0;
  int64_t total = 0, queries = 0, keys = 0;
  for (size_t b = 0; b < in.spans.size(); ++b) {
    const AttentionSpan& span = in.spans[b];
    if (span.queries == 0 || span.keys == 0) continue;
    most_queries_ = std::max(most_queries_, span.queries);
    most_keys = std::max(most_keys, span.keys);
    total += cost(in, span);
    queries += span.queries;
    keys += span.keys;
    order_[used++] = static_cast<int>(b);
  }
  serial_ = total < kSmallCall;
  find_groups(used);
  // What is cut depends on the sizes alone, never on the threads.
  const int tasks = group_count_ * kv_heads_;
  if (tasks > 0 && group_count_ == used) {
    pieces_ = std::clamp(std::min(most_queries_, most_keys) / kFewestInPiece, 1,
                         std::max(1, kEnoughTasks / tasks));
  }
  covers_q_ = pieces_ == 1 && queries == in.q.rows;
  covers_kv_ = pieces_ == 1 && group_count_ == used && keys == in.k.rows;
}

void AttentionBackwardTasks::find_groups(int used) {
  const auto begin = [&](int b) { return in_.spans[b].key; };
  std::stable_sort(order_.begin(), order_.begin() + used,
                   [&](int a, int b) { return begin(a) < begin(b); });
  int end = 0;
  for (int i = 0; i < used; ++i) {
    const AttentionSpan& span = in_.spans[order_[i]];
    if (i == 0 || span.key >= end) groups_[group_count_++] = i;
    end = std::max(end, span.key + span.keys);
  }
  groups_[group_count_] = used;
}

KeyRange AttentionBackwardTasks::piece(int count, int64_t index,
                                       int unit) const {
  const int size = (count + pieces_ - 1) / pieces_;
  const int64_t step = (size + unit - 1) / unit * unit;
  return {static_cast<int>(std::min<int64_t>(count, index * step)),
          static_cast<int>(std::min<int64_t>(count, (index + 1) * step))};
}

void AttentionBackwardTasks::run_part(
    int64_t index, int round,
    FunctionRef<void(const AttentionBackwardTask&)> body) const {
  const int64_t part = index % pieces_;
  const int64_t task = index / pieces_;
  const int group = static_cast<int>(task / kv_heads_);
  const int kv_head = static_cast<int>(task % kv_heads_);
  for (int i = groups_[group]; i < groups_[group + 1]; ++i) {
    const AttentionSpan& span = in_.spans[order_[i]];
    body({order_[i], kv_head,
          piece(span.queries, (part + round) % pieces_, kQueryUnit),
          piece(span.keys, part, kKeyUnit)});
  }
}

void AttentionBackwardTasks::run(
    FunctionRef<void(const AttentionBackwardTask&, int worker)> body) const {
  const int64_t parts = int64_t{group_count_} * kv_heads_ * pieces_;
  for (int round = 0; round < pieces_; ++round) {
    const auto part = [&](int64_t index, int worker) {
      run_part(index, round,
               [&](const AttentionBackwardTask& task) { body(task, worker); });
    };
    if (serial_) {
      for (int64_t i = 0; i < parts; ++i) part(i, 0);
    } else {
      parallel_tasks(parts, part);
    }
  }
}

}  // namespace fovea::kernels
