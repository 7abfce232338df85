#include "fovea/decode/groups.h"

#include <algorithm>
#include <atomic>
#include <mutex>

#include "fovea/base/check.h"

namespace fovea {
namespace {

constexpr int64_t kWidestWindow = 8;  // times a group
constexpr int kLeastShare = 8;        // sentences of a group near the end

// Sorted by length a window at a time, so that the first sentences are done
// early; the first windows are small.
std::vector<int> order_of(std::span<const int> lengths, int group) {
  std::vector<int> order;
  for (size_t i = 0; i < lengths.size(); ++i) {
    if (lengths[i] > 0) order.push_back(static_cast<int>(i));
  }
  int64_t window = group;
  for (auto begin = order.begin(); begin != order.end();) {
    const auto end = begin + std::min(window, order.end() - begin);
    std::stable_sort(begin, end,
                     [&](int a, int b) { return lengths[a] > lengths[b]; });
    begin = end;
    window = std::min(2 * window, kWidestWindow * group);
  }
  return order;
}

// Groups become smaller towards the end, where there are several threads, for
// these to end together.
int most_sentences(int64_t left, const GroupLimits& limits) {
  const int threads = thread_limit();
  if (threads == 1) return limits.sentences;
  const int64_t share = std::max<int64_t>(left / (2 * threads), kLeastShare);
  return static_cast<int>(std::min<int64_t>(share, limits.sentences));
}

}  // namespace

std::vector<Group> groups_of(std::span<const int> lengths,
                             const GroupLimits& limits) {
  const std::vector<int> order = order_of(lengths, limits.sentences);
  std::vector<Group> groups;
  int64_t tokens = 0, left = std::ssize(order);
  int most = 0;
  for (int i : order) {
    if (groups.empty() || std::ssize(groups.back()) >= most ||
        tokens + lengths[i] > limits.tokens) {
      groups.emplace_back();
      tokens = 0;
      most = most_sentences(left, limits);
    }
    groups.back().push_back(i);
    tokens += lengths[i];
    --left;
  }
  return groups;
}

void run_in_groups(std::span<const int> lengths, const GroupLimits& limits,
                   FunctionRef<void(const Group&)> work,
                   const std::function<void(int64_t)>& done) {
  check_usage(limits.sentences >= 1, "--batch-size ", limits.sentences,
              ": give at least 1");
  const std::vector<Group> groups = groups_of(lengths, limits);
  int64_t finished = std::ranges::count(lengths, 0);
  std::mutex mutex;
  std::atomic<bool> stopped = false;
  parallel_tasks(std::ssize(groups), [&](int64_t g, int) {
    if (stopped) return;
    work(groups[g]);
    const std::lock_guard<std::mutex> lock(mutex);
    finished += std::ssize(groups[g]);
    if (!done || stopped) return;
    try {
      done(finished);
    } catch (...) {
      stopped = true;
      throw;
    }
  });
}

}  // namespace fovea
