#include "fovea/kernels/target.h"

#include <hwy/highway.h>
#include <hwy/targets.h>

#include <atomic>

#include "fovea/base/check.h"

#if HWY_ARCH_X86
#include <cpuid.h>
#endif

namespace fovea::kernels {
namespace {

struct Target {
  std::string name;
  int64_t highway;
  bool vnni = false;
};

#if HWY_ARCH_X86
bool has_avx_vnni() {
  unsigned a = 0, b = 0, c = 0, d = 0;
  return __get_cpuid_count(7, 1, &a, &b, &c, &d) != 0 && (a >> 4 & 1) != 0;
}

bool has_avx512_vnni() { return __builtin_cpu_supports("avx512vnni"); }
#endif

std::vector<Target> find_targets() {
  std::vector<Target> found;
  for (int64_t target : hwy::SupportedAndGeneratedTargets()) {
    const std::string name = hwy::TargetName(target);
#if HWY_ARCH_X86
    if ((target == HWY_AVX3 && has_avx512_vnni()) ||
        (target == HWY_AVX2 && has_avx_vnni())) {
      found.push_back({name + "+VNNI", target, true});
    }
#endif
    found.push_back({name, target});
  }
  return found;
}

const std::vector<Target>& all_targets() {
  static const std::vector<Target> targets = find_targets();
  return targets;
}

std::atomic<const Target*>& target_in_use() {
  static std::atomic<const Target*> target = &all_targets().front();
  return target;
}

}  // namespace

std::vector<std::string> supported_targets() {
  std::vector<std::string> names;
  for (const Target& target : all_targets()) names.push_back(target.name);
  return names;
}

std::string current_target() { return target_in_use().load()->name; }

void use_target(const std::string& name) {
  for (const Target& target : all_targets()) {
    if (target.name != name) continue;
    hwy::SetSupportedTargetsForTest(target.highway);
    hwy::GetChosenTarget().Update(target.highway);
    target_in_use() = &target;
    return;
  }
  fail(ErrorKind::kUsage, "this CPU cannot run target ", name);
}

bool use_vnni() {
  return target_in_use().load(std::memory_order_relaxed)->vnni;
}

}  // namespace fovea::kernels
