#include <cstdio>

#include "bench/bench.h"
#include "fovea/base/parallel.h"

namespace fovea::bench {

// A family goes into its own file, bench_*.cc, and here.
const std::vector<Bench>& all_benches() {
  static const std::vector<Bench> benches = {
      cross_entropy_bench(),
      adam_bench(),
      recurrent_bench(),
      attention_forward_bench(),
      attention_training_bench(),
      attention_short_bench(),
      attention_memory_bench(),
  };
  return benches;
}

}  // namespace fovea::bench

int main(int argc, char** argv) {
  using namespace fovea::bench;
  for (const Bench& bench : all_benches()) {
    if (argc > 1 && bench.name != argv[1]) continue;
    for (int threads : bench.threads) {
      fovea::ThreadLimit limit(threads);
      for (const Row& row : bench.run(threads)) {
        std::printf("%-24s %-36s %d threads %9.3f %-8s %9.3f %-12s %6.3f\n",
                    row.bench.c_str(), row.name.c_str(), row.threads, row.value,
                    row.unit.c_str(), row.peer_value, row.peer.c_str(),
                    row.ratio);
      }
    }
  }
}
