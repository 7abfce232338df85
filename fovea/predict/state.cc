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

State State::select(std::span<const int> parents) const {
  State next;
  for (const Var& r : rows) next.rows.push_back(gather(r, parents));
  for (const Memory& m : caches) {
    next.caches.push_back(select_sequences(m, parents));
  }
  for (const Carry& c : carries) next.carries.push_back(c.select(parents));
  next.source = chosen(source, parents);
  next.position = chosen(position, parents);
  next.memories = memories;
  return next;
}

}  // namespace fovea
