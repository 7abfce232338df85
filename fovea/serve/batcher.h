#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "fovea/base/fields.h"

namespace fovea {

struct BatcherConfig {
  int threads = 1;  // set by the caller; no field
  int max_batch = 64;
  int max_tokens = 16384;
  double window_ms = 2;
  int queue = 4096;
  double max_wait = 1.0;  // seconds

  void fields(auto&& field) {
    field("max-batch", max_batch, "sentences that are computed together");
    field("max-tokens", max_tokens,
          "tokens that they may come to: beam-size x (source + longest\n"
          "translation) of each, and more if that is beyond 256; a sentence\n"
          "that alone has more is refused");
    field("window-ms", window_ms,
          "milliseconds that a sentence waits for others to join it");
    field("queue", queue,
          "sentences that may wait; a client gets half of what others leave");
    field("max-wait", max_wait,
          "seconds; a request that would wait longer for its turn is refused,\n"
          "unless only a few sentences are before it");
  }
};

// Something that a batcher's thread does, alone or with others of its kind.
class Task {
 public:
  virtual ~Task() = default;

  // Tasks of one group run together; those of an empty one run alone.
  virtual const std::string& group() const = 0;
  // What its memory and time grow with.
  virtual int tokens() const = 0;
  virtual int sentences() const = 0;  // 0: it is none of a model's work
  // Nobody waits for it any more.
  virtual bool cancelled() const = 0;
  // Runs all of these, this one being the first. Must not throw.
  virtual void run(std::span<const std::unique_ptr<Task>> together) = 0;
};

// Whose tasks they are.
struct TaskOwner {
  std::string client;
  uint64_t connection = 0;  // one of the client's
};

// One queue for all clients and the threads that work it off. Whose turn it is
// goes round by clients, and a client's turn by its connections, so that one
// with many sentences keeps nobody waiting; tasks of one connection run in
// their order. Threads may share one.
class Batcher {
 public:
  // `ran` is told the sentences of each batch, by any thread.
  Batcher(const BatcherConfig& config, std::function<void(size_t)> ran);
  ~Batcher();  // runs what waits

  // An HttpError if a sentence or a pair of so many tokens, or so many
  // sentences of a request, are too much even where nobody else waits.
  void check_tokens(int tokens) const;
  void check_pair(int tokens) const;
  void check_count(int64_t sentences) const;
  // All of them or none: an HttpError says why not.
  void add(const TaskOwner& owner, std::vector<std::unique_ptr<Task>> tasks);
  // What is left of work whose first tasks were added; never refused.
  void add_rest(const TaskOwner& owner,
                std::vector<std::unique_ptr<Task>> tasks);
  int waiting() const;
  bool overloaded() const;  // hardly any room, or long to wait
  // Seconds until half of what waits is done, at the speed of late.
  int retry_after() const;

 private:
  using Clock = std::chrono::steady_clock;
  struct Waiting {
    std::unique_ptr<Task> task;
    Clock::time_point since;
    int64_t round;  // of the client's connections: each has one task in it
  };
  struct Client {
    std::string name;
    std::list<Waiting> tasks;                 // by rounds
    std::map<uint64_t, int64_t> next_rounds;  // of connections
    int64_t round = 0;                        // that newcomers join

    int64_t next_round(uint64_t connection) const;
  };
  using Clients = std::list<Client>;
  using Tasks = std::vector<std::unique_ptr<Task>>;

  double seconds_of(int64_t tasks) const;
  int64_t waiting_of(const std::string& client) const;
  int64_t waiting_before(const TaskOwner& owner) const;
  int seconds_to_wait() const;
  bool has_room(const TaskOwner& owner, int64_t more) const;
  bool is_long_wait(int64_t before) const;
  void check_room(const TaskOwner& owner, int64_t more) const;
  void put(const TaskOwner& owner, Tasks tasks);
  void work();
  void wait_for_more(std::unique_lock<std::mutex>& lock);
  Tasks take_batch();
  void forget_cancelled();

  const BatcherConfig config_;
  const std::function<void(size_t)> ran_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  Clients clients_;  // who has tasks; the first one's turn is next
  std::map<std::string, Clients::iterator> by_name_;
  std::atomic<int> waiting_ = 0;
  double task_seconds_ = 0;  // of a thread, recent batches weighing most
  bool stopping_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace fovea
