#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <list>
#include <mutex>
#include <string>
#include <thread>

namespace fovea {

// A thread that does one thing after another, each step by step. Turns go round
// by clients, and a client's turn by its things: one with much to do keeps
// nobody waiting for longer than a step.
class Clerk {
 public:
  // Does a step; true: there are more. Must not throw.
  using Work = std::function<bool()>;

  Clerk();
  ~Clerk();
  void post(const std::string& client, Work work);
  void stop();  // when all is done

 private:
  struct Client {
    std::string name;
    std::deque<Work> left;
  };

  void run();

  std::mutex mutex_;
  std::condition_variable changed_;
  std::list<Client> turns_;  // who has something to do; the first one is next
  bool stopping_ = false;
  std::thread thread_;
};

}  // namespace fovea
