#include "fovea/attend/extent_last.h"

#include "fovea/base/check.h"

namespace fovea {
namespace {

class LastExtent : public Extent {
 public:
  Var narrow(const Var&, std::vector<Pairs::Row>& rows) const override {
    for (Pairs::Row& row : rows) narrow_row(row, row.keys - 1, 0);
    return {};
  }
};

}  // namespace

std::unique_ptr<Extent> make_last_extent(const PartContext& context) {
  check_usage(!context.config.causal,
              "extent last and causal do not go together: all queries but the "
              "last would see nothing");
  return std::make_unique<LastExtent>();
}

}  // namespace fovea
