#include "fovea/serve/clerk.h"

#include "fovea/base/parallel.h"

namespace fovea {

Clerk::Clerk() : thread_([this] { run(); }) {}

Clerk::~Clerk() {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    stopping_ = true;
  }
  changed_.notify_one();
  thread_.join();
}

void Clerk::post(std::function<void()> work) {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    left_.push_back(std::move(work));
  }
  changed_.notify_one();
}

void Clerk::run() {
  set_thread_limit(1);
  std::unique_lock<std::mutex> lock(mutex_);
  for (;;) {
    changed_.wait(lock, [&] { return stopping_ || !left_.empty(); });
    if (left_.empty()) return;
    std::function<void()> work = std::move(left_.front());
    left_.pop_front();
    lock.unlock();
    work();
    work = {};  // what it holds goes without the lock
    lock.lock();
  }
}

}  // namespace fovea
