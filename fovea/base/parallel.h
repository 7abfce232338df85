#pragma once

#include <cstdint>
#include <functional>

namespace fovea {

// The only place that knows OpenMP. A limit holds for the calling thread: work
// that it starts, and matrix libraries that it calls, use at most so many
// threads.
int thread_limit();
void set_thread_limit(int threads);
int hardware_threads();

// True inside the body of a parallel loop.
bool in_parallel();

// Sets the limit for its scope.
class ThreadLimit {
 public:
  explicit ThreadLimit(int threads) : before_(thread_limit()) {
    set_thread_limit(threads);
  }
  ~ThreadLimit() { set_thread_limit(before_); }
  ThreadLimit(const ThreadLimit&) = delete;
  ThreadLimit& operator=(const ThreadLimit&) = delete;

 private:
  int before_;
};

// A borrowed callable: no allocation, valid while the call lasts.
template <class Signature>
class FunctionRef;

template <class R, class... Args>
class FunctionRef<R(Args...)> {
 public:
  template <class Fn>
  FunctionRef(const Fn& fn)  // NOLINT: converts on purpose
      : object_(&fn), call_([](const void* object, Args... args) -> R {
          return (*static_cast<const Fn*>(object))(args...);
        }) {}
  R operator()(Args... args) const { return call_(object_, args...); }

 private:
  const void* object_;
  R (*call_)(const void*, Args...);
};

// Calls body(begin, end) on contiguous parts of [0, count), at most one part a
// thread, none smaller than `grain` items. The parts depend only on count,
// grain and the thread limit. Runs in place when one part is enough or when
// already inside a parallel loop. An exception of a body is thrown to the
// caller.
void parallel_for(int64_t count, int64_t grain,
                  FunctionRef<void(int64_t, int64_t)> body);

// Calls body(index, worker) for each index; a free worker takes the next index.
// Only for work whose result does not depend on who does it. Workers are
// numbered from 0 to thread_limit() - 1.
void parallel_tasks(int64_t count, FunctionRef<void(int64_t, int)> body);

// Makes denormal numbers zero in every thread of the pool, alike.
void flush_denormals();

}  // namespace fovea
