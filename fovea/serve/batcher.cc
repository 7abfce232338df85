#include "fovea/serve/batcher.h"

#include <algorithm>
#include <cmath>

#include "fovea/base/check.h"
#include "fovea/base/parallel.h"
#include "fovea/serve/http_error.h"

namespace fovea {
namespace {

constexpr double kBatchWeight = 0.2;  // of the last batch in the speed
constexpr int kLongestWait = 60;      // seconds
constexpr int kShortQueue = 2;        // sentences for each thread

size_t sentences_of(std::span<const std::unique_ptr<Task>> batch) {
  int count = 0;
  for (const auto& task : batch) count += task->sentences();
  return static_cast<size_t>(count);
}

}  // namespace

Batcher::Batcher(const BatcherConfig& config, std::function<void(size_t)> ran)
    : config_(config), ran_(std::move(ran)) {
  check_usage(config.max_batch >= 1, "--max-batch ", config.max_batch,
              ": give at least 1");
  check_usage(config.max_tokens >= 1, "--max-tokens ", config.max_tokens,
              ": give at least 1");
  check_usage(config.queue >= 2, "--queue ", config.queue, ": give at least 2");
  check_usage(config.max_wait > 0, "--max-wait ", config.max_wait,
              ": give a number above 0");
  check_usage(config.window_ms >= 0 && config.window_ms <= 1000, "--window-ms ",
              config.window_ms, ": give a number from 0 to 1000");
  for (int i = 0; i < config.threads; ++i) {
    threads_.emplace_back([this] { work(); });
  }
}

Batcher::~Batcher() {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    stopping_ = true;
  }
  changed_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

int Batcher::waiting() const { return waiting_; }

bool Batcher::overloaded() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  const int64_t newcomer = waiting_before({});
  return waiting_ >= config_.queue * 0.7 || is_long_wait(newcomer);
}

int Batcher::retry_after() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return seconds_to_wait();
}

double Batcher::seconds_of(int64_t tasks) const {
  return static_cast<double>(tasks) * task_seconds_ / config_.threads;
}

int Batcher::seconds_to_wait() const {
  return static_cast<int>(std::clamp(std::ceil(seconds_of(waiting_ / 2)), 1.0,
                                     static_cast<double>(kLongestWait)));
}

int64_t Batcher::waiting_of(const std::string& client) const {
  const auto own = by_name_.find(client);
  return own == by_name_.end() ? 0 : std::ssize(own->second->tasks);
}

// A connection that is new, or has let rounds pass, joins the one behind that
// under way: else those that keep coming would hold up who has several tasks.
int64_t Batcher::Client::next_round(uint64_t connection) const {
  const auto own = next_rounds.find(connection);
  return own == next_rounds.end() ? round : std::max(round, own->second);
}

// What runs before the connection's next task: turns go round.
int64_t Batcher::waiting_before(const TaskOwner& owner) const {
  int64_t own = 0;
  const auto found = by_name_.find(owner.client);
  if (found != by_name_.end()) {
    const int64_t next = found->second->next_round(owner.connection);
    own = std::ranges::count_if(
        found->second->tasks,
        [&](const Waiting& waiting) { return waiting.round <= next; });
  }
  int64_t before = own;
  for (const Client& other : clients_) {
    if (other.name == owner.client) continue;
    before += std::min<int64_t>(std::ssize(other.tasks), own + 1);
  }
  return before;
}

void Batcher::check_tokens(int tokens) const {
  check_request(tokens <= config_.max_tokens, 422, "a sentence may come to ",
                tokens, " tokens, but ", config_.max_tokens,
                " are the most; ask for a smaller beam or a shorter "
                "translation");
}

void Batcher::check_pair(int tokens) const {
  check_request(tokens <= config_.max_tokens, 422, "a pair comes to ", tokens,
                " tokens, but ", config_.max_tokens,
                " are the most; send shorter texts");
}

void Batcher::check_count(int64_t sentences) const {
  const int64_t most = config_.queue / 2;
  check_request(sentences <= most, 413, "the request has more than ", most,
                " sentences, which are the most that a client may have "
                "waiting; send it in parts");
}

// Half of what others leave, so that there is always room for a newcomer.
bool Batcher::has_room(const TaskOwner& owner, int64_t more) const {
  const int64_t own = waiting_of(owner.client);
  const int64_t left = config_.queue - (waiting_ - own);
  return 2 * (own + more) <= left;
}

// However slow a model is, some clients can share it.
bool Batcher::is_long_wait(int64_t before) const {
  return before > kShortQueue * config_.threads &&
         seconds_of(before) > config_.max_wait;
}

void Batcher::check_room(const TaskOwner& owner, int64_t more) const {
  check_count(more);
  const int64_t before = waiting_before(owner);
  if (has_room(owner, more) && !is_long_wait(before)) return;
  const int64_t own = waiting_of(owner.client);
  if (2 * own >= std::min<int64_t>(config_.queue, before)) {
    throw HttpError(429, "you have too many sentences waiting; try again later",
                    seconds_to_wait());
  }
  throw HttpError(503, "too many sentences are waiting; try again later",
                  seconds_to_wait());
}

void Batcher::add(const TaskOwner& owner, Tasks tasks) {
  if (tasks.empty()) return;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (!has_room(owner, std::ssize(tasks))) forget_cancelled();
    check_room(owner, std::ssize(tasks));
    put(owner, std::move(tasks));
  }
  changed_.notify_all();
}

void Batcher::add_rest(const TaskOwner& owner, Tasks tasks) {
  if (tasks.empty()) return;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    put(owner, std::move(tasks));
  }
  changed_.notify_all();
}

void Batcher::put(const TaskOwner& owner, Tasks tasks) {
  auto found = by_name_.find(owner.client);
  if (found == by_name_.end()) {
    clients_.push_back({owner.client, {}, {}});
    found = by_name_.emplace(owner.client, std::prev(clients_.end())).first;
  }
  Client& client = *found->second;
  std::erase_if(client.next_rounds, [&](const auto& connection) {
    return connection.second <= client.round;
  });
  int64_t round = client.next_round(owner.connection);
  const auto now = Clock::now();
  auto at = client.tasks.begin();
  for (auto& task : tasks) {
    while (at != client.tasks.end() && at->round <= round) ++at;
    client.tasks.insert(at, {std::move(task), now, round++});
  }
  client.next_rounds[owner.connection] = round;
  waiting_ += static_cast<int>(tasks.size());
}

// What nobody waits for takes no room.
void Batcher::forget_cancelled() {
  for (auto client = clients_.begin(); client != clients_.end();) {
    const auto gone = std::erase_if(
        client->tasks, [](const Waiting& w) { return w.task->cancelled(); });
    waiting_ -= static_cast<int>(gone);
    if (client->tasks.empty()) {
      by_name_.erase(client->name);
      client = clients_.erase(client);
    } else {
      ++client;
    }
  }
}

void Batcher::work() {
  set_thread_limit(1);
  std::unique_lock<std::mutex> lock(mutex_);
  for (;;) {
    changed_.wait(lock, [&] { return stopping_ || !clients_.empty(); });
    if (clients_.empty()) return;
    wait_for_more(lock);
    Tasks batch = take_batch();
    if (batch.empty()) continue;
    lock.unlock();
    ran_(sentences_of(batch));
    const auto start = Clock::now();
    batch.front()->run(batch);
    const std::chrono::duration<double> passed = Clock::now() - start;
    const double seconds = passed.count() / static_cast<double>(batch.size());
    batch.clear();
    lock.lock();
    task_seconds_ = task_seconds_ == 0
                        ? seconds
                        : std::lerp(task_seconds_, seconds, kBatchWeight);
  }
}

// Until the task whose turn it is has waited for the window, or there is enough
// for a batch.
void Batcher::wait_for_more(std::unique_lock<std::mutex>& lock) {
  const auto window = std::chrono::duration_cast<Clock::duration>(
      std::chrono::duration<double, std::milli>(config_.window_ms));
  const auto enough = [&] {
    return stopping_ || clients_.empty() || waiting_ >= config_.max_batch;
  };
  while (!enough()) {
    const Waiting& first = clients_.front().tasks.front();
    if (first.task->group().empty()) return;
    const auto until = first.since + window;
    if (changed_.wait_until(lock, until) == std::cv_status::timeout) return;
  }
}

// The first task of each client that fits in, round by round: who gave one goes
// behind the others, who was passed over is first in the next batch.
Batcher::Tasks Batcher::take_batch() {
  Tasks batch;
  int tokens = 0;
  const auto fits = [&](const Task& task) {
    if (batch.empty()) return true;
    const std::string& group = batch.front()->group();
    return !group.empty() && task.group() == group &&
           tokens + task.tokens() <= config_.max_tokens;
  };
  for (auto next = clients_.begin();
       next != clients_.end() && std::ssize(batch) < config_.max_batch;) {
    const auto client = next++;
    if (!fits(*client->tasks.front().task)) continue;
    std::unique_ptr<Task> taken = std::move(client->tasks.front().task);
    client->round = client->tasks.front().round + 1;
    client->tasks.pop_front();
    --waiting_;
    if (client->tasks.empty()) {
      by_name_.erase(client->name);
      clients_.erase(client);
    } else {
      clients_.splice(clients_.end(), clients_, client);
      if (next == clients_.end()) next = client;
    }
    if (taken->cancelled()) continue;
    tokens += taken->tokens();
    batch.push_back(std::move(taken));
  }
  return batch;
}

}  // namespace fovea
