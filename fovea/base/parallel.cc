#include "fovea/base/parallel.h"

#include <omp.h>

#include <algorithm>
#include <atomic>
#include <exception>

#if defined(__SSE2__)
#include <xmmintrin.h>
#endif

namespace fovea {
namespace {

// Keeps the first exception of a parallel region, to be thrown after it.
class FirstException {
 public:
  void keep() noexcept {
    if (!taken_.exchange(true)) exception_ = std::current_exception();
  }
  void rethrow() const {
    if (exception_) std::rethrow_exception(exception_);
  }

 private:
  std::atomic<bool> taken_{false};
  std::exception_ptr exception_;
};

}  // namespace

int thread_limit() { return omp_in_parallel() ? 1 : omp_get_max_threads(); }

void set_thread_limit(int threads) {
  omp_set_num_threads(std::max(1, threads));
}

int hardware_threads() { return omp_get_num_procs(); }

bool in_parallel() { return omp_in_parallel(); }

void parallel_for(int64_t count, int64_t grain,
                  FunctionRef<void(int64_t, int64_t)> body) {
  if (count <= 0) return;
  const int64_t most = count / std::max<int64_t>(1, grain);
  const int parts = static_cast<int>(std::min<int64_t>(thread_limit(), most));
  if (parts <= 1) {
    body(0, count);
    return;
  }
  FirstException first;
#pragma omp parallel for num_threads(parts) schedule(static, 1)
  for (int part = 0; part < parts; ++part) {
    try {
      body(count * part / parts, count * (part + 1) / parts);
    } catch (...) {
      first.keep();
    }
  }
  first.rethrow();
}

void parallel_tasks(int64_t count, FunctionRef<void(int64_t, int)> body) {
  const int workers =
      static_cast<int>(std::min<int64_t>(thread_limit(), count));
  if (workers <= 1) {
    for (int64_t i = 0; i < count; ++i) body(i, 0);
    return;
  }
  FirstException first;
#pragma omp parallel for num_threads(workers) schedule(dynamic, 1)
  for (int64_t i = 0; i < count; ++i) {
    try {
      body(i, omp_get_thread_num());
    } catch (...) {
      first.keep();
    }
  }
  first.rethrow();
}

void flush_denormals() {
#if defined(__SSE2__)
  const auto flush = [] {
    constexpr unsigned kFlushToZero = 0x8000, kDenormalsAreZero = 0x0040;
    _mm_setcsr(_mm_getcsr() | kFlushToZero | kDenormalsAreZero);
  };
  flush();  // libomp hands the caller's setting to its threads, each time
#pragma omp parallel
  flush();  // those of libgomp keep their own
#endif
}

}  // namespace fovea
