#include "fovea/predict/state.h"

#include "fovea/autograd/gather.h"

namespace fovea {
namespace {

std::vector<int> chosen(const std::vector<int>& all,
                        std::span<const int> parents) {
  std::vector<int> some;
  some.reserve(parents.size());
  for (int parent : parents) some.push_back(all[parent]);
  return some;
}

}  // namespace

void State::keep(std::span<const int> parents) {
  for (Var& r : rows) r = gather(r, parents);
  for (Memory& m : caches) keep_sequences(m, parents);
  for (Carry& c : carries) c = c.select(parents);
  source = chosen(source, parents);
  position = chosen(position, parents);
}

}  // namespace fovea
