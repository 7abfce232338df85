#include "fovea/layers/pass.h"

#include "fovea/base/check.h"

namespace fovea {

Pass Pass::in(std::string_view child) const {
  Pass inner = *this;
  inner.key = key.with(child);
  inner.outer_ = this;
  inner.part_ = child;
  inner.index_ = -1;
  return inner;
}

Pass Pass::in(std::string_view child, int index) const {
  Pass inner = in(child);
  inner.key = inner.key.with(static_cast<uint64_t>(index));
  inner.index_ = index;
  return inner;
}

std::string Pass::name() const {
  if (!outer_) return {};
  const std::string before = outer_->name();
  return join(before, before.empty() ? "" : ".", part_,
              index_ < 0 ? "" : join(".", index_));
}

}  // namespace fovea
