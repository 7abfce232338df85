// Sentences that the server translates in a second of CPU time, beside those of
// the command line: the model in the box, default options, 64 clients with one
// sentence in each request. FOVEA_SERVE_SECONDS makes it longer.
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

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

constexpr int kClients = 64, kLines = 2000;
constexpr double kSeconds = 10, kWarmSeconds = 2;

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

json load(int port, const std::string& text, double seconds) {
  Program client({FOVEA_LOAD_PROGRAM, std::to_string(port), text,
                  std::to_string(kClients), std::to_string(seconds)});
  const std::string line = client.line();
  client.finish();
  check(!line.empty(), "no answer of ", FOVEA_LOAD_PROGRAM);
  return json::parse(line);
}

json server_load(const std::string& text, int threads, double seconds) {
  Program server({FOVEA_COMMAND, "--quiet", "--threads",
                  std::to_string(threads), "serve", "--port", "0"});
  const std::string ready = server.line();
  const size_t colon = ready.rfind(':');
  check(colon != std::string::npos, "the server does not start");
  const int port = std::stoi(ready.substr(colon + 1));
  load(port, text, kWarmSeconds);
  return load(port, text, seconds);
}

std::vector<Row> serve(int threads) {
  Row row = unmeasured("serve", "64 clients, model in the box", threads,
                       "sent/cpu-s");
  if (!wanted(row)) return {row};
  const char* longer = std::getenv("FOVEA_SERVE_SECONDS");
  const double seconds = longer == nullptr ? kSeconds : std::atof(longer);
  const std::string folder =
      (fs::temp_directory_path() / join("fovea-bench-", ::getpid())).string();
  fs::create_directories(folder);
  const std::string text = write_lines(folder + "/text", sentences());
  const json measured = server_load(text, threads, seconds);
  std::cerr << "bench: serve: " << measured << "\n";
  row.value = measured["sentences_per_cpu_second"];
  row.peer = "fovea translate";
  row.peer_value = command_speed(folder, threads);
  row.ratio = measured["errors"] == 0 ? row.value / row.peer_value : 0;
  fs::remove_all(folder);
  return {row};
}

}  // namespace

Bench serve_bench() { return {"serve", serve}; }

}  // namespace fovea::bench
