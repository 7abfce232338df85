#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "bench/bench.h"

namespace fovea::bench {

// A rival in another process. It prepares one case and then runs it once for
// each request, so that its runs alternate with ours. While it waits it uses no
// CPU. When it cannot be had, a message says why and it is simply absent.
class Peer {
 public:
  // `program` is a file of bench/peers; `request` a line of JSON that says
  // which case to prepare.
  Peer(const std::string& program, const std::string& request);
  ~Peer();
  Peer(Peer&&) noexcept;

  bool present() const;
  std::string name() const;  // "PyTorch 2.5.1"
  double run();              // seconds of one run
  // The answer to another request; both are a line of JSON.
  std::string ask(const std::string& request);

 private:
  struct Process;
  std::unique_ptr<Process> process_;
};

// PyTorch's masked, padded attention over a ragged batch, forward and backward.
Peer torch_ragged_attention(std::span<const int> lengths, int heads, int width,
                            int threads);

// PyTorch's usual additive attention of a decoder over padded sources, forward
// and backward: a loop over the steps, or also all of them at once.
struct AdditiveCase {
  int steps, width;
  bool at_once;
  int threads;
};
Peer torch_additive_attention(std::span<const int> lengths,
                              const AdditiveCase& c);

// sacreBLEU's metric of that name ("bleu", "chrf++", "ter") over these lines.
struct ScoringCase {
  std::string metric;
  std::vector<std::string> output, reference;
};
Peer sacrebleu_score(const ScoringCase& c);

// A row that compares our time with a peer's, in milliseconds. Without the peer
// our time is measured alone, and the row has no ratio.
Row against(Peer& peer, Row row, const Work& ours);

}  // namespace fovea::bench
