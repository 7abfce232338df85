#include "fovea/attend/extent_global.h"

namespace fovea {
namespace {

class GlobalExtent : public Extent {
 public:
  Var narrow(const Var&, std::vector<Pairs::Row>&) const override { return {}; }
  std::optional<Window> fused(std::vector<AttentionSpan>&) const override {
    return Window{};
  }
};

}  // namespace

std::unique_ptr<Extent> make_global_extent(const PartContext&) {
  return std::make_unique<GlobalExtent>();
}

}  // namespace fovea
