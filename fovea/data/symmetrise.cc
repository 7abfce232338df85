#include "fovea/data/symmetrise.h"

#include <algorithm>
#include <set>
#include <utility>

namespace fovea {
namespace {

using LinkSet = std::set<std::pair<int, int>>;

class Growing {
 public:
  explicit Growing(const LinkSet& links) {
    for (const auto& link : links) add(link);
  }

  // Adds neighbours of links, diagonal ones too, that link a word without one.
  void grow(const LinkSet& all) {
    constexpr std::pair<int, int> kNeighbours[] = {
        {-1, 0}, {0, -1}, {1, 0}, {0, 1}, {-1, -1}, {-1, 1}, {1, -1}, {1, 1}};
    for (bool changed = true; changed;) {
      changed = false;
      for (const auto& [i, j] : links_) {  // also those that come meanwhile
        for (const auto& [down, right] : kNeighbours) {
          const std::pair<int, int> near{i + down, j + right};
          if (!all.contains(near) || (is_linked(near.first, sources_) &&
                                      is_linked(near.second, targets_))) {
            continue;
          }
          add(near);
          changed = true;
        }
      }
    }
  }

  // Adds links of words that have none: of either word, or of both.
  void finish(const LinkSet& links, bool both) {
    for (const auto& link : links) {
      const bool source = !is_linked(link.first, sources_);
      const bool target = !is_linked(link.second, targets_);
      if (both ? source && target : source || target) add(link);
    }
  }

  WordLinks take() const { return {links_.begin(), links_.end()}; }

 private:
  static bool is_linked(int word, const std::set<int>& words) {
    return words.contains(word);
  }
  void add(const std::pair<int, int>& link) {
    links_.insert(link);
    sources_.insert(link.first);
    targets_.insert(link.second);
  }

  LinkSet links_;
  std::set<int> sources_, targets_;
};

}  // namespace

WordLinks symmetrise(const WordLinks& forward, const WordLinks& backward,
                     Symmetry how) {
  const LinkSet a(forward.begin(), forward.end());
  const LinkSet b(backward.begin(), backward.end());
  if (how == Symmetry::kForward) return {a.begin(), a.end()};
  if (how == Symmetry::kBackward) return {b.begin(), b.end()};
  LinkSet all = a, both;
  all.insert(b.begin(), b.end());
  std::set_intersection(a.begin(), a.end(), b.begin(), b.end(),
                        std::inserter(both, both.end()));
  if (how == Symmetry::kUnion) return {all.begin(), all.end()};
  Growing growing(both);
  if (how == Symmetry::kIntersection) return growing.take();
  growing.grow(all);
  if (how != Symmetry::kGrowDiag) {
    const bool and_both = how == Symmetry::kGrowDiagFinalAnd;
    growing.finish(a, and_both);
    growing.finish(b, and_both);
  }
  return growing.take();
}

WordLinks swapped(const WordLinks& links) {
  WordLinks result;
  for (const auto& [source, target] : links) {
    result.emplace_back(target, source);
  }
  return result;
}

}  // namespace fovea
