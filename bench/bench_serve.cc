// The server under load, with the model in the box and one sentence in each
// request: sentences in a second of CPU time, beside those of the command line;
// how long answers take at half of that load; what five times of it does.
// FOVEA_SERVE_SECONDS makes the first one longer.
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "bench/bench.h"
#include "bench/translation_case.h"
#include "fovea/base/check.h"

namespace fovea::bench {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr int kClients = 64, kManyClients = 600, kLines = 2000;
constexpr double kSeconds = 10, kWarmSeconds = 5;
constexpr double kHalfLoad = 0.5, kOverload = 5;

// Plain sentences of 3 to 25 words.
std::vector<std::string> sentences() {
  const std::vector<std::string> who = {"The cat", "My old friend",
                                        "A man in a red coat", "She",
                                        "The children of our neighbours"};
  const std::vector<std::string> does = {
      "sees", "would like to find", "has already forgotten", "talks about"};
  const std::vector<std::string> what = {
      "the house", "a small dog", "two birds in the tree",
      "the book that you gave me last year",
      "the train to Paris because it was late this morning and nobody knew "
      "why"};
  const std::vector<std::string> ends = {".", " again.", ", I think.", "!"};
  std::vector<std::string> all;
  for (int i = 0; i < kLines; ++i) {
    all.push_back(who[i % 5] + " " + does[i / 5 % 4] + " " + what[i / 20 % 5] +
                  ends[i / 100 % 4]);
  }
  return all;
}

// A program that runs beside this one; what it writes can be read.
class Program {
 public:
  explicit Program(std::vector<std::string> arguments) {
    int ends[2];
    check(::pipe(ends) == 0, "no pipe");
    id_ = ::fork();
    if (id_ == 0) {
      ::dup2(ends[1], STDOUT_FILENO);
      std::vector<char*> pointers;
      for (std::string& a : arguments) pointers.push_back(a.data());
      pointers.push_back(nullptr);
      ::execv(pointers[0], pointers.data());
      ::_exit(99);
    }
    ::close(ends[1]);
    output_ = ::fdopen(ends[0], "r");
  }
  ~Program() {
    if (id_ > 0) finish(SIGTERM);
    std::fclose(output_);
  }
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  std::string line() {
    char text[4096];
    return std::fgets(text, sizeof(text), output_) == nullptr ? "" : text;
  }

  // Its CPU seconds.
  double finish(int signal = 0) {
    if (signal != 0) ::kill(id_, signal);
    int status = 0;
    rusage usage{};
    ::wait4(id_, &status, 0, &usage);
    id_ = -1;
    return static_cast<double>(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
           1e-6 * static_cast<double>(usage.ru_utime.tv_usec +
                                      usage.ru_stime.tv_usec);
  }

 private:
  pid_t id_ = -1;
  std::FILE* output_ = nullptr;
};

std::string write_lines(const std::string& path,
                        const std::vector<std::string>& lines) {
  std::ofstream out(path);
  for (const std::string& line : lines) out << line << "\n";
  return path;
}

// Sentences a CPU second, without what a start costs.
double command_speed(const std::string& folder, int threads) {
  const auto cpu = [&](const std::string& in) {
    return Program({FOVEA_COMMAND, "--quiet", "--threads",
                    std::to_string(threads), "translate", "box", in, "-o",
                    folder + "/out"})
        .finish();
  };
  const std::string one = write_lines(folder + "/one", {"A cat."});
  const double start = cpu(one);
  return kLines / (cpu(folder + "/text") - start);
}

class Server {
 public:
  Server(std::string text, int threads)
      : program_({FOVEA_COMMAND, "--quiet", "--threads",
                  std::to_string(threads), "serve", "--port", "0"}),
        text_(std::move(text)) {
    const std::string ready = program_.line();
    const size_t colon = ready.rfind(':');
    check(colon != std::string::npos, "the server does not start");
    port_ = ready.substr(colon + 1);
    port_.erase(port_.find_last_not_of("\n/") + 1);
  }

  // A rate of 0 is as fast as answers come.
  json load(int clients, double seconds, double rate = 0) {
    Program client({FOVEA_LOAD_PROGRAM, port_, text_, std::to_string(clients),
                    std::to_string(seconds), std::to_string(rate)});
    const std::string line = client.line();
    client.finish();
    check(!line.empty(), "no answer of ", FOVEA_LOAD_PROGRAM);
    std::cerr << "bench: serve: " << line;
    return json::parse(line);
  }

 private:
  Program program_;
  std::string text_, port_;
};

std::vector<Row> serve(int threads) {
  Row work = unmeasured("serve", "64 clients, model in the box", threads,
                        "sent/cpu-s");
  Row health = unmeasured("serve", "slowest /health", threads, "ms");
  Row growth = unmeasured("serve", "memory after / before", threads, "");
  Row half = unmeasured("serve", "p99 at half load", threads, "ms");
  Row recovery = unmeasured("serve", "recovery from 5 x load", threads, "ms");
  if (!wanted(work)) return {work, health, growth, half, recovery};
  const char* longer = std::getenv("FOVEA_SERVE_SECONDS");
  const double seconds = longer == nullptr ? kSeconds : std::atof(longer);
  const std::string folder =
      (fs::temp_directory_path() / join("fovea-bench-", ::getpid())).string();
  fs::create_directories(folder);
  const std::string text = write_lines(folder + "/text", sentences());
  Server server(text, threads);
  server.load(kClients, std::max(kWarmSeconds, seconds / 5));
  const json full = server.load(kClients, seconds);
  const double capacity = full["sentences_per_second"];
  const json light = server.load(kClients, kSeconds, kHalfLoad * capacity);
  const json over = server.load(kManyClients, kSeconds, kOverload * capacity);
  work.value = full["sentences_per_cpu_second"];
  work.peer = "fovea translate";
  work.peer_value = command_speed(folder, threads);
  for (const json& load : {full, light, over}) {
    check(load["errors"] == 0, "serve: ", load["errors"], " errors");
  }
  work.ratio = work.value / work.peer_value;
  fs::remove_all(folder);
  health.value = full["slowest_health_ms"];
  growth.value = full["server_megabytes_after"].get<double>() /
                 full["server_megabytes_before"].get<double>();
  half.value = light["p99_ms"];
  recovery.value = over["recovery_ms"];
  return {work, health, growth, half, recovery};
}

}  // namespace

Bench serve_bench() { return {"serve", serve, {2}}; }

}  // namespace fovea::bench
