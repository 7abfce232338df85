#include "fovea/decode/force_all.h"

#include "fovea/base/check.h"
#include "fovea/decode/groups.h"

namespace fovea {

std::vector<Hypothesis> force_all(std::span<const Seq2Seq* const> models,
                                  std::span<const SearchSource> sources,
                                  std::span<const std::vector<int>> targets,
                                  const SearchAllConfig& config,
                                  const std::function<void(int64_t)>& done) {
  check(sources.size() == targets.size(), "force: ", sources.size(),
        " sources, ", targets.size(), " targets");
  std::vector<Hypothesis> results(sources.size());
  std::vector<int> lengths;  // with end marks
  for (size_t i = 0; i < sources.size(); ++i) {
    lengths.push_back(
        static_cast<int>(sources[i].ids.size() + targets[i].size()) + 2);
  }
  const auto work = [&](const Group& group) {
    std::vector<SearchSource> some;
    std::vector<std::vector<int>> their;
    for (int i : group) {
      some.push_back(sources[i]);
      their.push_back(targets[i]);
    }
    auto found = force(models, some, their, config.search);
    for (size_t i = 0; i < some.size(); ++i) {
      results[group[i]] = std::move(found[i]);
    }
  };
  run_in_groups(lengths, {config.batch_size, config.batch_tokens}, work, done);
  return results;
}

}  // namespace fovea
