#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>

namespace fovea {

// A thread that does one thing after another.
class Clerk {
 public:
  Clerk();
  ~Clerk();  // does what is left
  void post(std::function<void()> work);

 private:
  void run();

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::function<void()>> left_;
  bool stopping_ = false;
  std::thread thread_;
};

}  // namespace fovea
