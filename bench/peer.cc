#include "bench/peer.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <iostream>
#include <limits>
#include <nlohmann/json.hpp>
#include <thread>
#include <utility>

#include "fovea/base/check.h"

namespace fovea::bench {
namespace {

using nlohmann::json;

// Runs of each side; slow ones stop when they have taken enough time.
constexpr int kRuns = 15, kLeastRuns = 5, kLeastSlowRuns = 3;
constexpr double kEnoughSeconds = 20, kSlowSeconds = 1;

// OpenMP's threads spin for some milliseconds after their work; the other side
// must not have to share the cores with them.
void let_threads_sleep() {
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
}

double timed(const Work& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start)
      .count();
}

}  // namespace

// A child with a pipe to its input and one from its output.
struct Peer::Process {
  pid_t id = -1;
  std::FILE* to = nullptr;
  std::FILE* from = nullptr;
  std::string name;

  Process() = default;
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;
  ~Process() {
    if (to) std::fclose(to);  // end of input: the child leaves
    if (from) std::fclose(from);
    if (id > 0) waitpid(id, nullptr, 0);
  }

  void start(const std::string& program) {
    int input[2], output[2];
    check(pipe(input) == 0 && pipe(output) == 0, "cannot make a pipe");
    id = fork();
    check(id >= 0, "cannot start ", program);
    if (id == 0) {
      dup2(input[0], STDIN_FILENO);
      dup2(output[1], STDOUT_FILENO);
      for (int end : {input[0], input[1], output[0], output[1]}) close(end);
      execl(program.c_str(), program.c_str(), nullptr);
      _exit(127);
    }
    close(input[0]);
    close(output[1]);
    to = fdopen(input[1], "w");
    from = fdopen(output[0], "r");
  }

  json ask(const std::string& request) {
    std::fputs((request + "\n").c_str(), to);
    std::fflush(to);
    std::string line;
    for (int c; (c = std::fgetc(from)) != EOF && c != '\n';) {
      line.push_back(static_cast<char>(c));
    }
    check(!line.empty(), "the peer gave no answer");
    json answer = json::parse(line);
    check(!answer.contains("error"), answer.value("error", ""));
    return answer;
  }
};

Peer::Peer(const std::string& program, const std::string& request)
    : process_(std::make_unique<Process>()) {
  signal(SIGPIPE, SIG_IGN);  // a peer that died is an answer, not our end
  try {
    process_->start(std::string(FOVEA_PEERS) + "/" + program);
    process_->name = process_->ask(request).at("ready");
  } catch (const std::exception& error) {
    std::cerr << "bench: no comparison with " << program << ": " << error.what()
              << "\n";
    process_.reset();
  }
}

Peer::~Peer() = default;
Peer::Peer(Peer&&) noexcept = default;

bool Peer::present() const { return process_ != nullptr; }

std::string Peer::name() const { return process_ ? process_->name : "absent"; }

std::string Peer::ask(const std::string& request) {
  return process_->ask(request).dump();
}

double Peer::run() { return process_->ask(R"({"run": true})").at("seconds"); }

Peer torch_ragged_attention(std::span<const int> lengths, int heads, int width,
                            int threads) {
  const json request = {
      {"case", "ragged_attention"},
      {"lengths", std::vector<int>(lengths.begin(), lengths.end())},
      {"heads", heads},
      {"width", width},
      {"threads", threads}};
  return Peer("torch", request.dump());
}

Peer torch_additive_attention(std::span<const int> lengths,
                              const AdditiveCase& c) {
  const json request = {
      {"case", "additive_attention"},
      {"lengths", std::vector<int>(lengths.begin(), lengths.end())},
      {"steps", c.steps},
      {"width", c.width},
      {"at_once", c.at_once},
      {"threads", c.threads}};
  return Peer("torch", request.dump());
}

Peer sacrebleu_score(const ScoringCase& c) {
  const json request = {
      {"metric", c.metric}, {"output", c.output}, {"reference", c.reference}};
  return Peer("sacrebleu", request.dump());
}

Row against(Peer& peer, Row row, const Work& ours) {
  row.unit = "ms";
  row.peer = peer.name();
  if (!wanted(row)) return row;
  double best = std::numeric_limits<double>::max();
  double best_peer = best;
  // Threads wake up in a fraction of slow work, and need no call for that.
  const bool slow = timed(ours) > kSlowSeconds;
  double spent = 0;
  for (int i = 0; i < kRuns; ++i) {
    const int least = slow ? kLeastSlowRuns : kLeastRuns;
    if (i >= least && spent > kEnoughSeconds) break;
    let_threads_sleep();
    if (!slow) ours();
    const double seconds = timed(ours);
    best = std::min(best, seconds);
    spent += 2 * seconds;
    if (!peer.present()) continue;
    let_threads_sleep();
    if (!slow) peer.run();
    const double peer_seconds = peer.run();
    best_peer = std::min(best_peer, peer_seconds);
    spent += 2 * peer_seconds;
  }
  row.value = 1e3 * best;
  if (peer.present()) {
    row.peer_value = 1e3 * best_peer;
    row.ratio = best_peer / best;
  }
  return row;
}

}  // namespace fovea::bench
