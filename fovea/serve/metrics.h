#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <vector>

namespace fovea {

// Counts in buckets, as Prometheus has them: how many were at most so large.
class Histogram {
 public:
  explicit Histogram(std::vector<double> bounds);
  void add(double value);
  // Its lines without a heading; `label` is empty, or as `path="/x"`.
  std::string text(const std::string& name, const std::string& label) const;

 private:
  const std::vector<double> bounds_;
  std::vector<int64_t> counts_;  // of each bucket; the last: of larger ones
  double sum_ = 0;
};

// What a server has done. Threads may share it.
class Metrics {
 public:
  Metrics();

  void request(const std::string& path, int status, double seconds);
  void batch(size_t sentences);  // none: it had something else
  void translated(int64_t sentences, int64_t source_tokens,
                  int64_t target_tokens);
  void cancelled();

  // Of the moment; asked for by whoever knows.
  struct Now {
    int waiting = 0, connections = 0, models = 0;
  };
  // The text format of Prometheus.
  std::string text(const Now& now) const;

 private:
  mutable std::mutex mutex_;
  std::map<std::pair<std::string, int>, int64_t> requests_;
  std::map<std::string, Histogram> seconds_;  // of paths
  Histogram batches_;
  int64_t sentences_ = 0, source_tokens_ = 0, target_tokens_ = 0;
  int64_t cancelled_ = 0;
};

}  // namespace fovea
