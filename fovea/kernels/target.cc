#include "fovea/kernels/target.h"

#include <hwy/highway.h>
#include <hwy/targets.h>

#include "fovea/base/check.h"

namespace fovea::kernels {
std::vector<std::string> supported_targets() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> all;
    for (int64_t t : hwy::SupportedAndGeneratedTargets())
      all.push_back(hwy::TargetName(t));
    return all;
  }();
  return names;
}

std::string current_target() {
  supported_targets();
  return hwy::TargetName(hwy::SupportedAndGeneratedTargets().front());
}

void use_target(const std::string& name) {
  supported_targets();
  hwy::SetSupportedTargetsForTest(0);
  for (int64_t target : hwy::SupportedAndGeneratedTargets()) {
    if (hwy::TargetName(target) != name) continue;
    hwy::SetSupportedTargetsForTest(target);
    hwy::GetChosenTarget().Update(target);
    return;
  }
  fail(ErrorKind::kUsage, "this CPU cannot run target ", name);
}

}  // namespace fovea::kernels
