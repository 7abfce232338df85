#include "fovea/serve/clerk.h"

#include <algorithm>
#include <utility>

#include "fovea/base/parallel.h"

namespace fovea {

Clerk::Clerk() : thread_([this] { run(); }) {}

Clerk::~Clerk() { stop(); }

void Clerk::stop() {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    stopping_ = true;
  }
  changed_.notify_one();
  if (thread_.joinable()) thread_.join();
}

void Clerk::post(const std::string& client, Work work) {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    auto own = std::ranges::find(turns_, client, &Client::name);
    if (own == turns_.end()) own = turns_.insert(own, Client{client, {}});
    own->left.push_back(std::move(work));
  }
  changed_.notify_one();
}

void Clerk::run() {
  set_thread_limit(1);
  std::unique_lock<std::mutex> lock(mutex_);
  for (;;) {
    changed_.wait(lock, [&] { return stopping_ || !turns_.empty(); });
    if (turns_.empty()) return;
    const auto client = turns_.begin();
    Work work = std::move(client->left.front());
    client->left.pop_front();
    lock.unlock();
    const bool more = work();
    if (!more) work = {};  // what it holds goes without the lock
    lock.lock();
    if (more) client->left.push_back(std::move(work));
    // Behind those that have come meanwhile.
    turns_.splice(turns_.end(), turns_, client);
    if (client->left.empty()) turns_.erase(client);
  }
}

}  // namespace fovea
