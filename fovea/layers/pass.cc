#include "fovea/layers/pass.h"

#include "fovea/base/check.h"

namespace fovea {

Pass Pass::in(std::string_view child) const {
  Pass inner = *this;
  inner.key = key.with(child);
  inner.outer = this;
  inner.part = child;
  inner.index = -1;
  return inner;
}

Pass Pass::in(std::string_view child, int which) const {
  Pass inner = in(child);
  inner.key = inner.key.with(static_cast<uint64_t>(which));
  inner.index = which;
  return inner;
}

std::string Pass::name() const {
  if (!outer) return {};
  const std::string before = outer->name();
  return join(before, before.empty() ? "" : ".", part,
              index < 0 ? "" : join(".", index));
}

}  // namespace fovea
