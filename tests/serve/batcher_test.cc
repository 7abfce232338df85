#include "fovea/serve/batcher.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <mutex>
#include <thread>

#include "fovea/serve/http_error.h"

namespace fovea {
namespace {

using namespace std::chrono_literals;

// Notes what ran together.
struct Journal {
  std::mutex mutex;
  std::vector<std::vector<std::string>> batches;
  std::atomic<bool> open = true;  // tasks wait while it is not

  std::vector<std::vector<std::string>> all() {
    const std::lock_guard<std::mutex> lock(mutex);
    return batches;
  }
};

class NotedTask : public Task {
 public:
  NotedTask(Journal& journal, std::string name, std::string group,
            const bool* cancelled = nullptr)
      : journal_(journal),
        name_(std::move(name)),
        group_(std::move(group)),
        cancelled_(cancelled) {}

  const std::string& group() const override { return group_; }
  int tokens() const override { return 10; }
  int sentences() const override { return 1; }
  bool cancelled() const override {
    return cancelled_ != nullptr && *cancelled_;
  }
  void run(std::span<const std::unique_ptr<Task>> together) override {
    while (!journal_.open) std::this_thread::sleep_for(1ms);
    std::vector<std::string> names;
    for (const auto& task : together) {
      names.push_back(static_cast<NotedTask*>(task.get())->name_);
    }
    const std::lock_guard<std::mutex> lock(journal_.mutex);
    journal_.batches.push_back(std::move(names));
  }

 private:
  Journal& journal_;
  const std::string name_, group_;
  const bool* cancelled_;
};

class BatcherTest : public ::testing::Test {
 protected:
  using Tasks = std::vector<std::unique_ptr<Task>>;

  // Tasks "a0", "a1", ...
  Tasks tasks(const std::string& name, int count, const std::string& group,
              const bool* cancelled = nullptr) {
    Tasks all;
    for (int i = 0; i < count; ++i) {
      all.push_back(std::make_unique<NotedTask>(
          journal_, name + std::to_string(i), group, cancelled));
    }
    return all;
  }

  // While its only thread is held by a task of its own.
  void run_held(const BatcherConfig& config,
                const std::function<void(Batcher&)>& add) {
    journal_.open = false;
    Batcher batcher(config, [](size_t) {});
    batcher.add({"holder"}, tasks("hold", 1, ""));
    while (batcher.waiting() > 0) std::this_thread::sleep_for(1ms);
    try {
      add(batcher);
    } catch (...) {
      journal_.open = true;
      throw;
    }
    journal_.open = true;
  }

  std::vector<std::vector<std::string>> batches() {
    auto all = journal_.all();
    if (!all.empty()) all.erase(all.begin());
    return all;
  }

  using Batches = std::vector<std::vector<std::string>>;
  Journal journal_;
};

TEST_F(BatcherTest, JoinsClientsAndTakesTurns) {
  run_held({.max_batch = 4}, [&](Batcher& b) {
    b.add({"a"}, tasks("a", 4, "g"));
    b.add({"b"}, tasks("b", 1, "g"));
    b.add({"c"}, tasks("c", 2, "g"));
  });
  EXPECT_EQ(batches(), (Batches{{"a0", "b0", "c0", "a1"}, {"c1", "a2", "a3"}}));
}

TEST_F(BatcherTest, KeepsGroupsApartAndLeavesNobodyBehind) {
  run_held({.max_batch = 2}, [&](Batcher& b) {
    b.add({"a"}, tasks("a", 4, "g"));
    b.add({"b"}, tasks("b", 1, "h"));
  });
  EXPECT_EQ(batches(), (Batches{{"a0", "a1"}, {"b0"}, {"a2", "a3"}}));
}

TEST_F(BatcherTest, RunsTasksWithoutAGroupAlone) {
  run_held({}, [&](Batcher& b) { b.add({"a"}, tasks("a", 2, "")); });
  EXPECT_EQ(batches(), (Batches{{"a0"}, {"a1"}}));
}

TEST_F(BatcherTest, LimitsTheTokensOfABatch) {
  run_held({.max_tokens = 25},
           [&](Batcher& b) { b.add({"a"}, tasks("a", 3, "g")); });
  EXPECT_EQ(batches(), (Batches{{"a0", "a1"}, {"a2"}}));
}

TEST_F(BatcherTest, DoesNotRunWhatNobodyWaitsFor) {
  bool gone = false;
  run_held({}, [&](Batcher& b) {
    b.add({"a"}, tasks("a", 2, "g", &gone));
    b.add({"b"}, tasks("b", 1, "g"));
    gone = true;
  });
  EXPECT_EQ(batches(), (Batches{{"b0"}}));
}

int status_of(const std::function<void()>& work) {
  try {
    work();
  } catch (const HttpError& error) {
    return error.status();
  }
  return 200;
}

TEST_F(BatcherTest, RefusesWhatFindsNoRoom) {
  bool gone = false;
  run_held({.queue = 20}, [&](Batcher& b) {
    EXPECT_EQ(status_of([&] { b.add({"a"}, tasks("a", 11, "g")); }), 413);
    b.add({"a"}, tasks("a", 8, "g", &gone));
    EXPECT_FALSE(b.overloaded());
    EXPECT_EQ(status_of([&] { b.add({"b"}, tasks("b", 7, "g")); }), 503);
    EXPECT_EQ(status_of([&] { b.add({"a"}, tasks("a", 3, "g")); }), 429);
    b.add({"b"}, tasks("b", 6, "g"));
    b.add_rest({"b"}, tasks("b", 4, "g"));
    EXPECT_TRUE(b.overloaded());
    gone = true;  // what nobody waits for makes room
    b.add({"c"}, tasks("c", 5, "g"));
    EXPECT_EQ(b.waiting(), 15);
  });
}

TEST_F(BatcherTest, KeepsRoomForNewcomersHoweverManyFillTheQueue) {
  run_held({.queue = 64}, [&](Batcher& b) {
    int room = 32;
    for (const char* name : {"a", "b", "c", "d"}) {
      b.add({name}, tasks(name, room, "g"));
      EXPECT_NE(status_of([&] { b.add({name}, tasks(name, 1, "g")); }), 200)
          << name;
      room /= 2;
    }
    b.add({"e"}, tasks("e", 1, "g"));
  });
}

TEST_F(BatcherTest, RefusesASentenceThatIsTooLargeForABatch) {
  run_held({.max_tokens = 100}, [&](Batcher& b) {
    EXPECT_EQ(status_of([&] { b.check_tokens(100); }), 200);
    EXPECT_EQ(status_of([&] { b.check_tokens(101); }), 422);
  });
}

TEST_F(BatcherTest, TakesTheRestOfWorkHoweverFullItIs) {
  run_held({.queue = 2}, [&](Batcher& b) {
    b.add({"a"}, tasks("a", 1, "g"));
    EXPECT_EQ(status_of([&] { b.add({"b"}, tasks("b", 1, "g")); }), 503);
    b.add_rest({"b"}, tasks("b", 1, "g"));
    EXPECT_EQ(b.waiting(), 2);
  });
  EXPECT_EQ(batches(), (Batches{{"a0", "b0"}}));
}

TEST_F(BatcherTest, AClientsConnectionsTakeTurns) {
  run_held({}, [&](Batcher& b) {
    b.add({"a", 1}, tasks("x", 3, ""));
    b.add({"a", 2}, tasks("y", 2, ""));
    b.add({"b", 3}, tasks("z", 2, ""));
    b.add({"a", 1}, tasks("v", 1, ""));
  });
  EXPECT_EQ(
      batches(),
      (Batches{
          {"x0"}, {"z0"}, {"y0"}, {"z1"}, {"x1"}, {"y1"}, {"x2"}, {"v0"}}));
}

// Clients behind one address ask over ever new connections.
TEST_F(BatcherTest, NewConnectionsDoNotHoldUpWhoHasSeveralTasks) {
  {
    uint64_t next = 100;
    std::atomic<Batcher*> self = nullptr;
    journal_.open = false;
    Batcher batcher({}, [&](size_t) {
      if (self == nullptr || ++next > 120) return;
      self.load()->add_rest({"a", next}, tasks("new", 1, ""));
    });
    batcher.add({"a", 1}, tasks("hold", 1, ""));
    while (batcher.waiting() > 0) std::this_thread::sleep_for(1ms);
    batcher.add({"a", 2}, tasks("x", 3, ""));
    self = &batcher;
    journal_.open = true;
  }
  const Batches all = batches();
  const auto last = std::ranges::find(all, std::vector<std::string>{"x2"});
  EXPECT_LT(last - all.begin(), 6);
  EXPECT_EQ(all.size(), 23u);
}

class SlowBatcherTest : public BatcherTest {
 protected:
  // A task has taken half a second, and another holds the only thread.
  explicit SlowBatcherTest(double max_wait = 1.45)
      : batcher_({.queue = 60, .max_wait = max_wait}, [](size_t) {}) {
    journal_.open = false;
    batcher_.add({"holder"}, tasks("slow", 1, ""));
    std::this_thread::sleep_for(500ms);
    journal_.open = true;
    while (journal_.all().empty()) std::this_thread::sleep_for(1ms);
    journal_.open = false;
    batcher_.add({"holder"}, tasks("hold", 1, ""));
    while (batcher_.waiting() > 0) std::this_thread::sleep_for(1ms);
  }
  ~SlowBatcherTest() override { journal_.open = true; }

  Batcher batcher_;
};

TEST_F(SlowBatcherTest, SaysWhenItIsWorthTryingAgain) {
  EXPECT_EQ(batcher_.retry_after(), 1);
  batcher_.add({"a"}, tasks("a", 10, ""));
  // Half of ten, each about as slow as the first.
  EXPECT_GE(batcher_.retry_after(), 3);
  EXPECT_LE(batcher_.retry_after(), 30);
}

TEST_F(SlowBatcherTest, RefusesWhatWouldWaitForLong) {
  batcher_.add({"a"}, tasks("a", 10, ""));  // nobody is before it
  EXPECT_EQ(status_of([&] { batcher_.add({"a"}, tasks("a", 1, "")); }), 429);
  EXPECT_FALSE(batcher_.overloaded());
  batcher_.add({"b"}, tasks("b", 1, ""));  // after one task of a
  EXPECT_EQ(status_of([&] { batcher_.add({"b"}, tasks("b", 1, "")); }), 503);
  batcher_.add({"c"}, tasks("c", 1, ""));  // after one of a and one of b
  EXPECT_TRUE(batcher_.overloaded());
  EXPECT_EQ(status_of([&] { batcher_.add({"d"}, tasks("d", 1, "")); }), 503);
}

class ImpatientBatcherTest : public SlowBatcherTest {
 protected:
  ImpatientBatcherTest() : SlowBatcherTest(0.001) {}
};

TEST_F(ImpatientBatcherTest, SomeClientsShareASlowModelAllTheSame) {
  batcher_.add({"a"}, tasks("a", 1, ""));
  batcher_.add({"b"}, tasks("b", 1, ""));
  batcher_.add({"c"}, tasks("c", 1, ""));  // after two
  EXPECT_EQ(status_of([&] { batcher_.add({"d"}, tasks("d", 1, "")); }), 503);
}

TEST_F(SlowBatcherTest, AsksWhenTheTurnOfAConnectionComes) {
  batcher_.add({"a", 1}, tasks("a", 10, ""));
  EXPECT_EQ(status_of([&] { batcher_.add({"a", 1}, tasks("a", 1, "")); }), 429);
  batcher_.add({"a", 2}, tasks("b", 1, ""));  // after one task of the other
}

TEST_F(BatcherTest, WaitsForOthersWithinTheWindow) {
  Batcher batcher({.threads = 2, .window_ms = 300}, [](size_t) {});
  batcher.add({"a"}, tasks("a", 1, "g"));
  std::this_thread::sleep_for(20ms);
  batcher.add({"b"}, tasks("b", 1, "g"));
  while (journal_.all().empty()) std::this_thread::sleep_for(1ms);
  EXPECT_EQ(journal_.all(), (Batches{{"a0", "b0"}}));
}

TEST_F(BatcherTest, DoesNotWaitForMoreThanABatch) {
  Batcher batcher({.max_batch = 2, .window_ms = 1000}, [](size_t) {});
  const auto begin = std::chrono::steady_clock::now();
  batcher.add({"a"}, tasks("a", 2, "g"));
  while (journal_.all().empty()) std::this_thread::sleep_for(1ms);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, 900ms);
}

TEST_F(BatcherTest, RunsAllThatWaitsBeforeItGoes) {
  {
    Batcher batcher({.max_batch = 3}, [](size_t) {});
    batcher.add({"a"}, tasks("a", 10, "g"));
  }
  size_t count = 0;
  for (const auto& batch : journal_.all()) count += batch.size();
  EXPECT_EQ(count, 10u);
}

}  // namespace
}  // namespace fovea
