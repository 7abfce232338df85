#include "fovea/serve/metrics.h"

#include <sys/resource.h>

#include <algorithm>
#include <sstream>

#include "fovea/base/check.h"
#include "fovea/base/process.h"

namespace fovea {
namespace {

std::string heading(const std::string& name, const std::string& type,
                    const std::string& help) {
  return join("# HELP ", name, " ", help, "\n# TYPE ", name, " ", type, "\n");
}

// A counter grows by little for long.
std::string exact(double value) {
  std::ostringstream number;
  number.precision(15);
  number << value;
  return number.str();
}

std::string single(const std::string& name, const std::string& type,
                   const std::string& help, double value) {
  return heading(name, type, help) + join(name, " ", exact(value), "\n");
}

double cpu_seconds() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) +
           1e-6 * static_cast<double>(t.tv_usec);
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

}  // namespace

Histogram::Histogram(std::vector<double> bounds)
    : bounds_(std::move(bounds)), counts_(bounds_.size() + 1) {}

void Histogram::add(double value) {
  const auto at = std::lower_bound(bounds_.begin(), bounds_.end(), value);
  ++counts_[at - bounds_.begin()];
  sum_ += value;
}

std::string Histogram::text(const std::string& name,
                            const std::string& label) const {
  const std::string also = label.empty() ? "" : label + ",";
  const std::string alone = label.empty() ? "" : "{" + label + "}";
  std::string text;
  int64_t count = 0;
  for (size_t i = 0; i < counts_.size(); ++i) {
    count += counts_[i];
    const std::string bound = i < bounds_.size() ? join(bounds_[i]) : "+Inf";
    text += join(name, "_bucket{", also, "le=\"", bound, "\"} ", count, "\n");
  }
  return text + join(name, "_sum", alone, " ", exact(sum_), "\n", name,
                     "_count", alone, " ", count, "\n");
}

Metrics::Metrics() : batches_({1, 2, 4, 8, 16, 32, 64, 128, 256}) {}

void Metrics::request(const std::string& path, int status, double seconds) {
  const std::lock_guard<std::mutex> lock(mutex_);
  ++requests_[{path, status}];
  const auto own = seconds_.try_emplace(
      path, std::vector{0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5,
                        1.0, 2.5, 5.0, 10.0, 30.0, 60.0});
  own.first->second.add(seconds);
}

void Metrics::batch(size_t sentences) {
  if (sentences == 0) return;
  const std::lock_guard<std::mutex> lock(mutex_);
  batches_.add(static_cast<double>(sentences));
}

void Metrics::translated(int64_t sentences, int64_t source_tokens,
                         int64_t target_tokens) {
  const std::lock_guard<std::mutex> lock(mutex_);
  sentences_ += sentences;
  source_tokens_ += source_tokens;
  target_tokens_ += target_tokens;
}

void Metrics::cancelled() {
  const std::lock_guard<std::mutex> lock(mutex_);
  ++cancelled_;
}

std::string Metrics::text(const Now& now) const {
  const std::lock_guard<std::mutex> lock(mutex_);
  std::string text = heading("fovea_requests_total", "counter",
                             "Requests by path and status.");
  for (const auto& [key, count] : requests_) {
    text += join("fovea_requests_total{path=\"", key.first, "\",status=\"",
                 key.second, "\"} ", count, "\n");
  }
  text += heading("fovea_request_seconds", "histogram",
                  "Seconds of requests by path.");
  for (const auto& [path, seconds] : seconds_) {
    text += seconds.text("fovea_request_seconds", "path=\"" + path + "\"");
  }
  text += heading("fovea_batch_sentences", "histogram",
                  "Sentences or pairs that were computed together.");
  text += batches_.text("fovea_batch_sentences", "");
  const auto add = [&](const char* name, const char* type, const char* help,
                       double value) {
    text += single(name, type, help, value);
  };
  add("fovea_sentences_total", "counter", "Sentences translated.",
      static_cast<double>(sentences_));
  add("fovea_source_tokens_total", "counter", "Tokens of sources translated.",
      static_cast<double>(source_tokens_));
  add("fovea_target_tokens_total", "counter", "Tokens of translations.",
      static_cast<double>(target_tokens_));
  add("fovea_cancelled_total", "counter",
      "Requests whose client went away or waited too long.",
      static_cast<double>(cancelled_));
  add("fovea_queue_sentences", "gauge", "Sentences that wait.", now.waiting);
  add("fovea_connections", "gauge", "Open connections.", now.connections);
  add("fovea_models", "gauge", "Models that are loaded.", now.models);
  add("process_resident_memory_bytes", "gauge", "Memory in use.",
      static_cast<double>(resident_bytes()));
  add("process_cpu_seconds_total", "counter", "CPU time of this process.",
      cpu_seconds());
  return text;
}

}  // namespace fovea
